"""What writes a fit into a file: the interface, and the exporters by name."""

import abc
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from calibration.errors import InputError
from calibration.runtime.registry import Registry

if TYPE_CHECKING:
    from calibration.results.summary import FitSummary


@dataclasses.dataclass(frozen=True)
class PageSection:
    """What else belongs on the page: profiles, a posterior, a comparison.

    Attributes:
        title: of the section.
        text: as it was printed.
        figure: a picture, an element ``<svg>`` as ``svg`` makes it.

    Example:
        >>> import calibration as cal
        >>> cal.report.PageSection("Profiles", text="restitution: 0.91 to 0.93").title
        'Profiles'
    """

    title: str
    text: str = ""
    figure: str = ""


@dataclasses.dataclass(frozen=True)
class ExportContext:
    """What an exporter may use beside the fit.

    Attributes:
        title: of the fit, ``"Fit of drop.csv"``.
        study: text of the study file that repeats the fit; empty where there is none.
        sections: what profiles, samplers and others found.
        written: files that other exporters have written of the same fit, by the exporter's name.

    Example:
        >>> import calibration as cal
        >>> cal.report.ExportContext(title="Fit of drop.csv").sections
        ()
    """

    title: str = "Fit"
    study: str = ""
    sections: Sequence[PageSection] = ()
    written: Mapping[str, Path] = dataclasses.field(default_factory=dict)


class Exporter(abc.ABC):
    """Writes a fit into a file of its own.

    Implementing an exporter: inherit; define ``name``, ``filename`` and ``about``; implement
    ``write``; register an instance with ``calibration.report.EXPORTERS.register(...)``. A study
    file then names it: ``exporters = ["NAME"]`` below ``[export]``.

    Attributes:
        name: by which a person chooses it.
        filename: of the file in the folder of the results.
        about: one line of help.
        always: whether every ``jaxcontact fit`` writes it; else it must be chosen.

    Example:
        >>> import calibration as cal
        >>> class RestitutionOnly(cal.report.Exporter):
        ...     name, filename = "restitution only", "restitution.txt"
        ...     about = "the restitution as one number"
        ...
        ...     def write(self, fit, path, *, context):
        ...         path.write_text(f"{fit.parameters['contact.normal.restitution'].value}")
        >>> RestitutionOnly().always
        False
    """

    name: ClassVar[str] = ""
    filename: ClassVar[str] = ""
    about: ClassVar[str] = ""
    always: ClassVar[bool] = False

    @abc.abstractmethod
    def write(self, fit: "FitSummary", path: Path, *, context: ExportContext) -> None:
        """Write the file.

        Args:
            fit: the result.
            path: of the file; its folder exists.
            context: title, study file and other findings, for exporters that show them.

        Raises:
            InputError: the fit holds nothing that this exporter can write.
        """


def _check_exporter(exporter: Exporter, others: tuple[Exporter, ...]) -> None:
    """Refuse an exporter that does not say what it is, or writes another one's file."""
    named = {"name": exporter.name, "filename": exporter.filename, "about": exporter.about}
    missing = [attribute for attribute, value in named.items() if not value]
    if missing:
        raise InputError(
            f"the exporter {type(exporter).__name__} has no {' and no '.join(missing)}",
            remedy="Define them in its class.",
        )
    for other in others:
        if other.filename == exporter.filename and other.name != exporter.name:
            raise InputError(
                f"the exporters {other.name!r} and {exporter.name!r} both write "
                f"{exporter.filename!r}",
                remedy="Give the new one another filename.",
            )


EXPORTERS: Registry[Exporter] = Registry(
    Exporter,  # type: ignore[type-abstract]
    "exporter",
    check=_check_exporter,
)
"""All exporters by name; see ``calibration.report.exporters`` for those of this package.

Example:
    >>> import calibration as cal
    >>> [exporter.name for exporter in cal.report.EXPORTERS if exporter.always]
    ['json', 'figure', 'page']
"""
