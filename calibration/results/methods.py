"""A fit as a paper describes it: one paragraph, and what to cite."""

import math

from calibration.results import residuals, sentences
from calibration.results.answer import interval_of, value_of
from calibration.results.assumed_noise import AssumedNoise
from calibration.results.citation import Citation, cite_source, distinct, software_citations
from calibration.results.numbers import has_interval, plain, unit_of
from calibration.results.summary import FitSummary
from calibration.runtime.versions import installed_versions

LEAST_SQUARES = {
    "levenberg_marquardt": "the Levenberg-Marquardt method of Optimistix",
    "dogleg": "Powell's dogleg method of Optimistix",
}
"""Methods in words; the others are optimisers of Optax."""


def citations(fit: FitSummary) -> tuple[Citation, ...]:
    """The programs, and the sources of the laws that were fitted."""
    laws = (cite_source(text) for text in fit.sources)
    return distinct((*software_citations(installed_versions()), *laws))


def methods_paragraph(fit: FitSummary) -> str:
    """What was done and found, for a section on methods; numbers in brackets are those of
    ``citations``.
    """
    numbers = {one.key: place for place, one in enumerate(citations(fit), start=1)}
    version = installed_versions()["jaxcontact"]
    how = LEAST_SQUARES.get(fit.method, f"the optimiser {fit.method} of Optax, after Optimistix")
    said = [
        f"Parameters were estimated with jaxcontact{f' {version}' if version else ''} "
        f"[{numbers['jaxcontact']}] from {_data(fit)} by weighted nonlinear least squares: "
        f"{how} [{numbers['optimistix2024']}] with exact derivatives by JAX "
        f"[{numbers['jax2018github']}].",
    ]
    if fit.model:
        sources = ", ".join(str(place) for key, place in numbers.items() if key not in _PROGRAMS)
        said.append(f"The model was: {fit.model.rstrip('.')}{f' [{sources}]' if sources else ''}.")
    said += [noise_sentence(one) for one in fit.noise]
    said.append(sentences.sentence(f"At the minimum {sentences.misfit(fit)}"))
    if fit.doubt is None:
        said.append(
            "Intervals are of 95 %, from the curvature at the minimum; "
            f"{sentences.sentence(sentences.error_scale_factor(fit))}"
        )
        said += [
            f"{sentences.title(one)} was {' '.join(filter(None, (value_of(one), unit_of(one))))} "
            f"({interval_of(one)}){f', {one.note}' if one.note else ''}."
            for one in fit.parameters.values()
            if has_interval(one)
        ]
    else:
        said.append(f"No value is reported: the fit is {fit.doubt.value}.")
    return " ".join(sentences.sentence(text) for text in said)


_PROGRAMS = {"jaxcontact", "jax2018github", "optimistix2024"}
_ORIGIN = {
    "stated": "as stated with the data",
    "found": "found from the data",
    "finest": "a hundred-thousandth of the range, as the data scatter by less than instruments err",
    "guessed": "guessed, as nothing tells it",
}


def noise_sentence(noise: AssumedNoise) -> str:
    """The standard deviation of a quantity, where it comes from, and how many numbers were used."""
    low, high = noise.sigma
    if not math.isfinite(low):
        return f"{noise.quantity}: none of {noise.given} numbers was used."
    several = "" if high <= 1.005 * low else f" to {plain(float(f'{high:.2g}'))}"
    return (
        f"{noise.quantity}: standard deviation {plain(float(f'{low:.2g}'))}{several}, "
        f"{_ORIGIN[noise.origin]}; {noise.used} of {noise.given} numbers were used "
        f"({100 * noise.share:.3g} %)."
    )


def _data(fit: FitSummary) -> str:
    measurement = "other measurement" if fit.recordings else "measurement"
    parts = [
        (len(fit.recordings), "recording", sum(map(residuals.used, fit.recordings))),
        (len(fit.series), measurement, sum(map(residuals.used, fit.series))),
        (len(fit.columns), "column of impacts", sum(map(residuals.used, fit.columns))),
    ]
    said = [
        f"{count} {_plural(word, count)} ({values} numbers)"
        for count, word, values in parts
        if count
    ]
    return " and ".join(said) or "the data"


def _plural(word: str, count: int) -> str:
    if count == 1:
        return word
    first, _, rest = word.partition(" of ")
    return f"{first}s of {rest}" if rest else f"{word}s"
