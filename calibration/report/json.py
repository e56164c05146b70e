"""The result of a fit as a file for other programs."""

import dataclasses
import enum
import json
import math
import os
from typing import Any

import numpy as np

from calibration.io.atomic import write_atomically
from calibration.io.names import readable_name
from calibration.results import residuals
from calibration.results.estimate import Estimate
from calibration.results.fitted_data import FittedColumn, FittedRecording, FittedSeries
from calibration.results.methods import citations, methods_paragraph
from calibration.results.simulated_trial import SimulatedTrial
from calibration.results.summary import FitSummary
from calibration.runtime.versions import installed_versions


def write_json(fit: FitSummary, path: str | os.PathLike[str]) -> None:
    """Write the numbers of a fit as JSON (ASCII).

    ``parameters`` by path in the scene (``interval``: of 95 %), ``fit`` (``doubt``: why none of
    them is determined, or ``null``; ``simulations``: how that of each trial ended),
    ``correlation``, ``recordings``, ``series`` (measurements that are not positions of one body),
    ``outlying`` (recordings that do not agree with the others), ``modifications`` (what the model
    may lack and was looked for), ``residual_checks`` (of order, correlation, normality, variance
    and single recordings), ``columns``, ``methods`` (a paragraph for a paper, and what it cites)
    and ``versions``.
    Values are in the unit beside them, times in s, ``rms_residual`` of a recording in m. A number
    that does not exist (NaN, infinity) is ``null``: in particular the ``sd`` of a parameter that
    the data do not determine. The file is replaced as a whole or not at all.

    Args:
        fit: the result.
        path: of the file; its folder must exist.

    Raises:
        InputError: ``path`` is a folder, or its folder does not exist.

    Example:
        >>> import json, pathlib, tempfile
        >>> import calibration as cal
        >>> restitution = cal.Estimate(
        ...     name="contact.normal.restitution",
        ...     label="restitution",
        ...     symbol="e",
        ...     unit="-",
        ...     value=0.905,
        ...     sd=0.006,
        ...     start=0.8,
        ...     status=cal.Determination.DETERMINED,
        ... )
        >>> fit = cal.Fit(parameters={restitution.name: restitution}, chi2=1.5, dof=3)
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "fit.json"
        >>> cal.report.write_json(fit, file)
        >>> json.loads(file.read_text())["parameters"]["contact.normal.restitution"]["sd"]
        0.006
    """
    write_atomically(path, json_bytes(fit_numbers(fit)))


def json_bytes(numbers: dict[str, Any]) -> bytes:
    """Numbers as JSON (ASCII): arrays as lists, NaN and infinity as ``null``, dataclasses as
    tables.
    """
    return f"{json.dumps(_plain(numbers), indent=2, allow_nan=False)}\n".encode("ascii")


def fit_numbers(fit: FitSummary) -> dict[str, Any]:
    """What `write_json` writes, NaN and infinity as they are."""
    return {
        "parameters": {name: _estimate(estimate) for name, estimate in fit.parameters.items()},
        "fit": {
            "chi2_per_dof": fit.chi2_per_dof,
            "chi2": fit.chi2,
            "dof": fit.dof,
            "explained": fit.explained,
            "explained_up_to": fit.explained_up_to,
            "converged": fit.converged,
            "plausible": fit.plausible,
            "doubt": fit.doubt,
            "simulated": fit.simulated,
            "simulations": [_simulation(trial) for trial in fit.simulations],
            "iterations": fit.iterations,
            "seconds": fit.seconds,
            "inflation": fit.error_scale_factor,
            "method": fit.method,
            "warnings": fit.warnings,
            "model": fit.model,
        },
        "correlation": {"names": fit.names, "matrix": fit.correlation},
        "recordings": [_recording(recording) for recording in fit.recordings],
        "series": [_series(series) for series in fit.series],
        "outlying": list(fit.outlying),
        "modifications": [
            {**dataclasses.asdict(item), "decision": item.decision.value}
            for item in fit.modifications
        ],
        "residual_checks": list(fit.residual_checks),
        "columns": [_column(column) for column in fit.columns],
        "methods": {
            "text": methods_paragraph(fit),
            "citations": [
                {"key": one.key, "text": one.text, "bibtex": one.bibtex()} for one in citations(fit)
            ],
        },
        "versions": installed_versions(),
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": estimate.value,
        "sd": estimate.sd,
        "interval": estimate.interval(),
        "degrees": estimate.degrees,
        "unit": estimate.unit,
        "status": estimate.status.value,
        "label": estimate.label,
        "symbol": estimate.symbol,
        "start": estimate.start,
        "note": estimate.note,
    }


def _recording(recording: FittedRecording) -> dict[str, Any]:
    return {
        "name": recording.name,
        "axes": recording.axes,
        "samples": len(recording.time),
        "rms_residual": residuals.rms(recording),
        "bounce_times": recording.bounce_times,
        "nuisance": {name: _estimate(estimate) for name, estimate in recording.nuisance.items()},
        "remarks": recording.remarks,
    }


def _series(series: FittedSeries) -> dict[str, Any]:
    return {
        "name": series.name,
        "quantities": series.labels,
        "samples": residuals.used(series),
        "rms_residual": residuals.rms(series),
        "contact_times": series.contact_times,
        "nuisance": {name: _estimate(estimate) for name, estimate in series.nuisance.items()},
        "remarks": series.remarks,
    }


def _simulation(trial: SimulatedTrial) -> dict[str, Any]:
    return {"trial": trial.name, "status": trial.status.name, "advice": trial.status.advice}


def _column(column: FittedColumn) -> dict[str, Any]:
    return {
        "name": column.name,
        "label": column.label,
        "samples": residuals.used(column),
        "chi2": column.chi2,
        "alone": {name: _estimate(estimate) for name, estimate in column.alone.items()},
    }


def _plain(value: Any) -> Any:
    """The same with the types of JSON: arrays as lists, NaN and infinity as ``None``."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic) or hasattr(value, "__array__"):
        return _plain(np.asarray(value).tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, str):
        return readable_name(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
