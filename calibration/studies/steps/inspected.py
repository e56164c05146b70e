"""What the files of a study hold together, and whether that can be fitted."""

import dataclasses
from collections.abc import Sequence

from calibration.studies.file_report import FileReport
from calibration.studies.inspection import (
    Verdict,
    contradictory_files,
    inspect_files,
    verdicts,
)
from calibration.studies.option import options
from calibration.studies.plausibility.drag import drag_coefficient_per
from calibration.studies.plausibility.finding import Finding, is_meaningless
from calibration.studies.steps.asked_options import AskedOptions, check_given
from calibration.studies.study import (
    Ball,
    BodyOptions,
    ModelOptions,
    Partner,
    ReadingOptions,
    Section,
)


@dataclasses.dataclass(frozen=True)
class Inspection:
    """What is in files, before anything is fitted.

    Attributes:
        reports: of each file.
        verdicts: what the files can tell together.
        findings: what speaks against them together.
    """

    reports: Sequence[FileReport]
    verdicts: Sequence[Verdict]
    findings: Sequence[Finding]

    @property
    def usable(self) -> bool:
        """Whether there is a file that can be fitted."""
        return any(report.problem is None for report in self.reports)

    @property
    def mixed(self) -> bool:
        """Whether files that can be used are of several kinds, which no fit takes together."""
        kinds = {
            (
                report.recording is None,
                report.table is None,
                report.sounds is None,
                report.force is None,
                report.collision is None,
                type(report.decay),
            )
            for report in self.reports
            if report.problem is None
        }
        return len(kinds) > 1

    @property
    def wrong(self) -> bool:
        """Whether a file cannot be used, files are of several kinds, or contradict each other."""
        return (
            any(report.problem for report in self.reports)
            or self.mixed
            or is_meaningless(self.findings)
        )


def inspect_asked(asked: AskedOptions) -> Inspection:
    """Look at the files of what is asked for. The mass of the ball is not needed.

    Args:
        asked: files, and what is given of the options of a study.

    Raises:
        InputError: no radius, a value that is not allowed, a pattern that matches nothing. What is
            wrong with a file is in its report.
    """
    given_ball = asked.sections[Ball]
    reading = ReadingOptions(**asked.sections[ReadingOptions])
    model = ModelOptions(**asked.sections[ModelOptions])
    body = BodyOptions(**asked.sections[BodyOptions])
    if not body.given:
        check_given(given_ball, "radius")
    ball = Ball(**given_ball) if "mass" in given_ball else None
    reports = inspect_files(
        asked.files,
        radius=_radius(asked, Ball),
        reading=reading,
        model=model,
        partner_radius=_radius(asked, Partner),
        body=body,
    )
    factor = None if ball is None else drag_coefficient_per(ball, model)
    return Inspection(
        reports,
        verdicts(reports, gravity=model.gravity, drag_coefficient_per=factor),
        contradictory_files(reports, ball=ball, model=model),
    )


def _radius(asked: AskedOptions, section: type[Section]) -> float | None:
    """Of a body that may lack its mass."""
    given = asked.sections[section].get("radius")
    return None if given is None else options(section)["radius"].check("radius", given)
