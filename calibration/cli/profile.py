"""``jaxcontact profile``."""

from calibration.cli.after_fit import (
    Out,
    StudyFile,
    asked_for,
    check_names,
    checkpoint_of,
    fitted,
    report_findings,
)
from calibration.cli.application import app, standard_error
from calibration.cli.options import Force, all_of, verb
from calibration.runtime.progress import Progress
from calibration.studies.steps.asked_options import GivenOptions
from calibration.studies.study import ProfileOptions


@verb(
    app,
    "jaxcontact profile result/study.toml",
    "jaxcontact profile result/study.toml --name contact.normal.restitution --level 0.68",
    study_options=all_of(ProfileOptions),
)
def profile(
    study: StudyFile,
    given: GivenOptions,
    out: Out = None,
    force: Force = False,
) -> int:
    """Intervals from the profile of the likelihood: right where a parameter acts non-linearly and
    plus or minus is not.

    Fits the study, then holds each parameter at other values while all else adapts. Prints the
    intervals and writes profile.txt, .json, .png and .svg. When it is killed, the same command goes
    on where it was.
    """
    with asked_for(study, given, out, force=force) as (asked, folder):
        with Progress(standard_error()) as say:
            check_names(asked, asked.profile.names, option="profile.names", say=say)
            fit = fitted(asked, folder, say)
            from calibration.report.figures import png
            from calibration.report.profile_figure import profile_figure
            from calibration.report.svg import svg
            from calibration.uncertainty.profile import profile as profiled

            found = profiled(
                fit,
                asked.profile.names,
                level=asked.profile.level,
                progress=say,
                checkpoint=str(checkpoint_of(asked, folder, "profile")),
            )
            drawn = profile_figure(found)
            about = "Profile of each parameter: signed root of the rise of chi-squared."
            figures = {
                "profile.png": png(drawn),
                "profile.svg": svg(drawn, about).encode(),
            }
        return report_findings(
            fit,
            folder,
            "profile",
            text=str(found),
            numbers={"profiles": found.profiles, "warnings": found.warnings},
            others=lambda: figures,
        )
