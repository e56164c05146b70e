"""``jaxcontact check``."""

from calibration.arguments import (
    Columns,
    Files,
    FrameRate,
    Gravity,
    Mass,
    Radius,
    Scale,
    Shell,
    Sigma,
    Speed,
    Vertical,
    asked,
    check_given,
    verb,
)
from calibration.commands.program import app, standard_error, standard_output
from calibration.option import options
from calibration.progress import Progress
from calibration.study import Ball, ModelOptions, ReadingOptions

UNUSABLE_FILE = 1
"""Exit status."""


@verb(
    app,
    "jaxcontact check drops/*.csv --radius 0.02 --mass 0.0027",
    "jaxcontact check study.toml",
)
def check(
    files: Files,
    radius: Radius = None,
    mass: Mass = None,
    shell: Shell = None,
    columns: Columns = None,
    scale: Scale = None,
    frame_rate: FrameRate = None,
    vertical: Vertical = None,
    sigma: Sigma = None,
    speed: Speed = None,
    gravity: Gravity = None,
) -> int:
    """Say what is in these files, and what can be learned from them. Nothing is written.

    The exit status is 1 when a file cannot be used. The mass is not needed; with it, drag is given as a drag coefficient.
    """
    paths, sections = asked(files, locals())
    given, reading, model = sections[Ball], ReadingOptions(**sections[ReadingOptions]), ModelOptions(**sections[ModelOptions])
    check_given(given, "radius")
    ball = Ball(**given) if "mass" in given else None
    checked_radius = options(Ball)["radius"].checked("radius", given["radius"])
    with Progress(standard_error()) as say:
        say("Reading")
        from calibration.inspection import drag_coefficient_per, inspect_files, verdicts
        from calibration.report.inspection import print_inspection

        reports = inspect_files(paths, radius=checked_radius, reading=reading, model=model)
        factor = None if ball is None else drag_coefficient_per(ball, model)
        learned = verdicts(reports, gravity=model.gravity, drag_coefficient_per=factor)
    print_inspection(reports, learned, console=standard_output())
    return UNUSABLE_FILE if any(report.problem for report in reports) else 0
