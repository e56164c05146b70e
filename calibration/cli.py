"""The command ``jaxcontact``: check, fit, simulate. What takes long to import is imported by the verb that needs it."""

import dataclasses
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer
from rich.console import Console

from calibration.arguments import (
    FLAG,
    MOTION,
    RESULT,
    Columns,
    Drag,
    Files,
    FluidDensity,
    Force,
    FrameRate,
    Friction,
    Gravity,
    LengthScale,
    Mass,
    Method,
    Radius,
    Scale,
    Shell,
    Sigma,
    Speed,
    Spin,
    Steps,
    Vertical,
    asked,
    check_given,
    flag,
    study_file,
    verb,
)
from calibration.compilation_cache import keep_compiled_code
from calibration.data_files import find_files
from calibration.errors import InputError
from calibration.option import options, required
from calibration.progress import Progress
from calibration.study import SECTIONS, Ball, ModelOptions, ReadingOptions, Study
from calibration.study_file import ChangedData
from calibration.versions import installed_versions

if TYPE_CHECKING:
    from calibration.made_up_recording import MadeUpRecording
    from calibration.result import Fit

DEBUG = "JAXCONTACT_DEBUG"
UNUSABLE_FILE, WRONG_INPUT, DEFECT, INTERRUPTED = 1, 2, 70, 130
"""Exit statuses beside 0."""

LISTED_CONTACTS = 20

Vector = tuple[float, float, float]
app = typer.Typer(
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
    with Progress(_standard_error()) as say:
        say("Reading")
        from calibration.inspection import drag_coefficient_per, inspect_files, verdicts
        from calibration.report.inspection import print_inspection

        reports = inspect_files(paths, radius=checked_radius, reading=reading, model=model)
        factor = None if ball is None else drag_coefficient_per(ball, model)
        learned = verdicts(reports, gravity=model.gravity, drag_coefficient_per=factor)
    print_inspection(reports, learned, console=_standard_output())
    return UNUSABLE_FILE if any(report.problem for report in reports) else 0


@verb(
    app,
    "jaxcontact fit drops/*.csv --radius 0.02 --mass 0.0027 --shell",
    "jaxcontact fit tracked.txt --frame-rate 240 --scale 0.0015 --radius 0.02 --mass 0.0027",
    "jaxcontact fit impacts.csv --speed 3.9 --radius 0.0025 --mass 0.00025 --out glass",
    "jaxcontact fit result/study.toml --no-drag --out without_drag",
)
def fit(
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
    drag: Drag = None,
    fluid_density: FluidDensity = None,
    gravity: Gravity = None,
    length_scale: LengthScale = None,
    friction: Friction = None,
    spin: Spin = None,
    method: Method = None,
    steps: Steps = None,
    out: Annotated[
        str | None,
        flag("--out", "Folder for the results. [default: result; for a study file, result beside it]", RESULT, "FOLDER"),
    ] = None,
    force: Force = False,
    quiet: Annotated[bool, flag("--quiet", "Print the table only.", RESULT, FLAG)] = False,
) -> None:
    """Fit all files together: restitution, drag and what else they can tell, each with its uncertainty.

    Prints a table and writes fit.json (the numbers), fit.png (data, fitted curve, residuals) and study.toml (all options, to be fitted
    again, with fingerprints of the data). They are written when everything has succeeded, and replace only earlier results of the
    same study.

    A study file may hold every option; what is given here comes before it.
    """
    paths, sections = asked(files, locals())
    check_given(sections[Ball], *required(Ball))
    study = Study(files=paths, **{cls.section: cls(**sections[cls]) for cls in SECTIONS})  # type: ignore[arg-type]
    inputs = tuple(map(str, find_files(paths)))
    from calibration.results_folder import check_folder, default_folder, write_results

    folder = Path(out).expanduser() if out else default_folder(study_file(files))
    check_folder(folder, study, force=force)
    with Progress(_standard_error(), quiet=quiet) as say:
        say("Starting")
        _prepare_jax()
        from calibration.automatic import fit_study
        from calibration.report.table import print_fit

        found = fit_study(dataclasses.replace(study, files=inputs), progress=say)
        say("Writing the results")
        written = write_results(found, study, folder, inputs=inputs)
    if not quiet:
        _print(*_what_was_read(found), "")
    print_fit(found, console=_standard_output())
    if not quiet:
        _print("", f"Results: {', '.join(map(str, written))}")


def _motion(flags: str, about: str, metavar: str, *, shown: bool = True) -> Any:
    return flag(flags, about, MOTION, metavar, show_default=shown)


@verb(
    app,
    "jaxcontact simulate --radius 0.02 --mass 0.0027 --shell --height 0.3 --drag 0.47 --out drop.csv",
    "jaxcontact simulate --radius 0.02 --mass 0.0027 --shell --position 0 0 0.3 --velocity 2 0 -1 --friction 0.2",
)
def simulate(
    radius: Radius = None,
    mass: Mass = None,
    shell: Shell = None,
    height: Annotated[float | None, _motion("--height", "Drop it from rest, with so much air below it [m].", "METRES", shown=False)] = None,
    position: Annotated[
        Vector | None, _motion("--position", "Or where its centre begins [m]; the surface is at z = 0.", "X Y Z", shown=False)
    ] = None,
    velocity: Annotated[Vector, _motion("--velocity", "Velocity at the beginning [m/s]. [default: 0 0 0]", "X Y Z", shown=False)] = (
        0.0,
        0.0,
        0.0,
    ),
    spin: Annotated[Vector, _motion("--spin", "Angular velocity at the beginning [rad/s]. [default: 0 0 0]", "X Y Z", shown=False)] = (
        0.0,
        0.0,
        0.0,
    ),
    restitution: Annotated[float, _motion("--restitution", "Speed after over speed before an impact, along the normal.", "RATIO")] = 0.9,
    friction: Annotated[float, _motion("--friction", "Friction coefficient.", "RATIO")] = 0.0,
    drag: Annotated[float, _motion("--drag", "Drag coefficient of the air; a smooth ball has about 0.47.", "RATIO")] = 0.0,
    fluid_density: FluidDensity = None,
    stiffness: Annotated[
        float | None,
        _motion("--stiffness", "Contact stiffness [N/m^1.5] of Hertz's law; without it, impacts are rigid.", "N/M^1.5", shown=False),
    ] = None,
    gravity: Gravity = None,
    duration: Annotated[float, _motion("--duration", "How long it is recorded [s].", "SECONDS")] = 2.0,
    rate: Annotated[float, _motion("--rate", "Samples per second.", "HERTZ")] = 240.0,
    noise: Annotated[float, _motion("--noise", "Standard deviation of the error of each coordinate [m].", "METRES")] = 0.0,
    seed: Annotated[int, _motion("--seed", "Another number, other errors.", "NUMBER")] = 0,
    out: Annotated[str, flag("--out", "The recording.", RESULT, "FILE", show_default=True)] = "trajectory.csv",
    force: Force = False,
) -> None:
    """Make up a recording: simulate a bouncing ball, print its contacts, and write t, x, y, z as a file that fit reads.

    For planning an experiment, and for trying a fit on data whose truth is known.
    """
    _, sections = asked((), {name: value for name, value in locals().items() if name not in ("drag", "friction", "spin")})
    check_given(sections[Ball], *required(Ball))
    ball, model = Ball(**sections[Ball]), ModelOptions(**sections[ModelOptions])
    start = _start(ball, height, position)
    with Progress(_standard_error()) as say:
        say("Simulating")
        _prepare_jax()
        from calibration.made_up_recording import check_replaceable, make_up, scene_of, start_of, write_recording

        check_replaceable(out, force=force)
        scene = scene_of(
            ball,
            restitution=restitution,
            friction=friction,
            drag=drag,
            stiffness=stiffness,
            gravity=model.gravity,
            fluid_density=model.fluid_density,
        )
        state = start_of(position=start, velocity=velocity, spin=spin)
        recording = make_up(scene, state, duration=duration, rate=rate, noise=noise, seed=seed)
        write_recording(recording, out)
    _print(*_contacts(recording), "", f"{len(recording.time)} samples: {out}")


def _start(ball: Ball, height: float | None, position: Vector | None) -> Vector:
    if (height is None) == (position is None):
        said = "neither --height nor --position is given" if height is None else "--height and --position are both given"
        raise InputError(said, remedy="Give --height 0.3 to drop the ball from rest, or --position 0 0 0.3 for its centre.")
    return position if height is None else (0.0, 0.0, ball.radius + height)  # type: ignore[return-value]


@app.callback()
def _for_all(
    version: Annotated[
        bool,
        typer.Option("--version", metavar=FLAG, help="Print the version.", callback=lambda wanted: _version(wanted), is_eager=True),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", metavar=FLAG, help=f"Show where an error comes from; so does {DEBUG}=1.", show_default=False)
    ] = False,
) -> None:
    """From measured bounces to restitution, drag and friction, each with its uncertainty."""


def _version(wanted: bool) -> None:
    if wanted:
        print(f"jaxcontact {installed_versions()['jaxcontact'] or '(not installed, run from its source)'}")
        raise typer.Exit


# Output


def _standard_output() -> Console:
    """A file or a pipe has no width; what is meant for it is not squeezed into 80 columns."""
    console = Console()
    return console if console.is_terminal else Console(width=110)


def _standard_error() -> Console:
    return Console(stderr=True)


def _print(*lines: str) -> None:
    """Lines as they are, for tables of ours and names of files."""
    for line in lines:
        print(line)


def _what_was_read(found: "Fit") -> Iterator[str]:
    """A line for each recording or column."""
    for recording in found.recordings:
        bounces, span = len(recording.bounce_times), recording.time[-1] - recording.time[0]
        yield f"{recording.name}: {len(recording.time)} samples in {span:.2f} s, {bounces} bounce{'' if bounces == 1 else 's'}"
    for column in found.columns:
        yield f"{column.label}: {len(column.measured)} impacts"


def _contacts(recording: "MadeUpRecording") -> Iterator[str]:
    """A line for each contact."""
    yield "contact   touch-down [s]   lasts [us]   speed before [m/s]   speed after [m/s]"
    columns = (recording.touch_down, recording.lift_off, recording.impact_speed, recording.rebound_speed)
    for number, (down, off, before, after) in enumerate(zip(*columns, strict=True), start=1):
        if number > LISTED_CONTACTS:
            yield f"and {len(recording.touch_down) - LISTED_CONTACTS} more"
            break
        yield f"{number:7d}   {down:14.4f}   {1e6 * (off - down):10.1f}   {before:18.3f}   {after:17.3f}"
    yield recording.advice


# The program


def _prepare_jax() -> None:
    """Double precision, and compiled code kept for the next run."""
    keep_compiled_code()
    import jax

    jax.config.update("jax_enable_x64", True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the entry point of ``jaxcontact``.

    Args:
        arguments: without the name of the program; by default those of the process.

    Returns:
        The exit status: 0, 1 for unusable files, 2 for wrong input, 70 for an error of this program, 130 after Ctrl-C.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given or os.environ.get(DEBUG, "0") not in ("", "0")
    given = [argument for argument in given if argument != "--debug"] or ["--help"]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal may lack letters that the name of a file has
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default" if debug else "ignore")
            warnings.simplefilter("always", ChangedData)
            warnings.showwarning = _show_warning
            status = typer.main.get_command(app).main(args=given, prog_name="jaxcontact", standalone_mode=False)
    except InputError as error:
        return _wrong_input(str(error), error, debug=debug)
    except typer.TyperException as error:
        chosen = next((f"{argument} " for argument in given if argument in ("check", "fit", "simulate")), "")
        return _wrong_input(f"{error.format_message().rstrip('.')}. See jaxcontact {chosen}--help.", error, debug=debug)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _wrong_input(f"{place}{error.strerror or error}", error, debug=debug)
    except Exception as error:
        return _defect(error, debug=debug)
    if status == INTERRUPTED:
        print("interrupted", file=sys.stderr)
    return int(status or 0)


def _show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: TextIO | None = None, line: str | None = None
) -> None:
    print(f"warning: {message}", file=sys.stderr)


def _wrong_input(text: str, error: Exception, *, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    print(f"error: {text}", file=sys.stderr)
    return WRONG_INPUT


def _defect(error: Exception, *, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    said = f"{type(error).__name__}: {error}".strip().partition("\n")[0]
    print(
        f"error: jaxcontact itself failed ({said}). Please report this, with the command and what it prints with --debug added.",
        file=sys.stderr,
    )
    return DEFECT
