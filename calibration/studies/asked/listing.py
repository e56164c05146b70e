"""The parameters of a fit as a study file shows them: names, units, and what is known of each."""

from collections.abc import Iterator

from calibration.model.parameter import Parameter
from calibration.model.prior import LogNormal, Normal
from calibration.problem.problem import Problem
from calibration.studies.choices.known_parameters import FACTOR, MEAN, MEDIAN, SD
from calibration.studies.option import as_toml


def list_parameters(problem: Problem) -> Iterator[str]:
    """A line for each parameter that a study can say something of, those of the recordings last.

    Args:
        problem: of the study.
    """
    own = (one for batch in problem.layout.batches for one in batch.trial_parameters)
    every = {one.name: one for one in (*problem.layout.global_parameters, *own)}
    yield "Parameters of this fit, with the priors that they have. What is known of one goes below"
    yield "[model.parameters], as NAME = VALUE or NAME = { mean = ..., sd = ... }."
    for name, parameter in every.items():
        about = parameter.about
        prior = prior_of(parameter)
        shown = as_toml(name) if "." in name else name
        known = "" if prior is None else f" = {as_toml(prior)}"
        kept = ", kept at its start" if name in problem.frozen else ""
        yield f"{shown}{known}  # {about.label} [{about.unit}] in {about.interval}{kept}"


def prior_of(parameter: Parameter) -> dict[str, float] | None:
    """The prior of a parameter as a study says it; ``None`` where it has none, or one of its own
    kind.

    Args:
        parameter: of a fit.
    """
    prior = parameter.prior
    if isinstance(prior, Normal):
        return {MEAN: prior.mean, SD: prior.sd}
    if isinstance(prior, LogNormal):
        return {MEDIAN: prior.median, FACTOR: prior.factor}
    return None
