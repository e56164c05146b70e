"""What the data ask for in a size that there is not."""

from collections.abc import Iterator

from calibration.results.modification import Decision
from calibration.results.result import Fit
from calibration.studies.plausibility.finding import Finding


def implausible_modifications(fit: Fit) -> Iterator[Finding]:
    """Findings on what was left open and came out larger than any camera or ball has it: then the
    cause is another one, and nothing that was found is to be believed.

    Args:
        fit: of trajectories.
    """
    for item in fit.modifications:
        if item.decision is Decision.IMPLAUSIBLE:
            yield Finding(
                f"The data ask for {item.name} of a size that there is not ({item.says}): look "
                "whether the recording is of one ball, in one unit, at one frame rate.",
                meaningless=True,
            )
