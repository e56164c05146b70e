"""The command ``jaxcontact``: check, fit, simulate. What takes long to import is imported by the verb that needs it."""

import dataclasses
import os
import re
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from calibration.compilation_cache import keep_compiled_code
from calibration.data_files import find_files
from calibration.errors import InputError
from calibration.option import options, required
from calibration.progress import Progress
from calibration.study import SECTIONS, Ball, FitOptions, ModelOptions, ReadingOptions, Section, Study
from calibration.study_file import ChangedData, is_study_file, read_study
from calibration.versions import installed_versions

DEBUG = "JAXCONTACT_DEBUG"
UNUSABLE_FILE, WRONG_INPUT, DEFECT, INTERRUPTED = 1, 2, 70, 130
"""Exit statuses beside 0."""

app = typer.Typer(
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_BALL, _READING, _MODEL, _RESULT, _MOTION = "The ball", "Reading the files", "What is fitted", "Results", "The motion"


def _about(section: type[Section], name: str, flags: str, panel: str, metavar: str | None = None) -> Any:
    """A command-line option for an option of a study; without it, the study file or the default decides."""
    text = options(section)[name].about
    help_text = escape(f"{text[:1].upper()}{text[1:]}.")
    return typer.Option(flags, help=help_text, metavar=metavar, rich_help_panel=panel, show_default=False)


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES...",
        help="Recordings or tables of impacts (CSV and the like), directories, patterns such as 'drops/*.csv'; or one study.toml.",
        show_default=False,
    ),
]
Radius = Annotated[float | None, _about(Ball, "radius", "--radius", _BALL, "METRES")]
Mass = Annotated[float | None, _about(Ball, "mass", "--mass", _BALL, "KILOGRAMS")]
Shell = Annotated[bool | None, _about(Ball, "shell", "--shell/--solid", _BALL)]
Columns = Annotated[list[str] | None, _about(ReadingOptions, "columns", "--columns", _READING, "t=HEADER,z=HEADER")]
Scale = Annotated[float | None, _about(ReadingOptions, "scale", "--scale", _READING, "METRES")]
FrameRate = Annotated[float | None, _about(ReadingOptions, "frame_rate", "--frame-rate", _READING, "HERTZ")]
Vertical = Annotated[str | None, _about(ReadingOptions, "vertical", "--vertical", _READING, "AXIS")]
Sigma = Annotated[str | None, _about(ReadingOptions, "sigma", "--sigma", _READING, "SD or x=SD,z=SD")]
Speed = Annotated[float | None, _about(ReadingOptions, "speed", "--speed", _READING, "M/S")]
Drag = Annotated[bool | None, _about(ModelOptions, "drag", "--drag/--no-drag", _MODEL)]
FluidDensity = Annotated[float | None, _about(ModelOptions, "fluid_density", "--fluid-density", _MODEL, "KG/M^3")]
Gravity = Annotated[float | None, _about(ModelOptions, "gravity", "--gravity", _MODEL, "M/S^2")]
LengthScale = Annotated[bool | None, _about(ModelOptions, "length_scale", "--length-scale/--no-length-scale", _MODEL)]
Friction = Annotated[bool | None, _about(ModelOptions, "friction", "--friction/--no-friction", _MODEL)]
Spin = Annotated[bool | None, _about(ModelOptions, "spin", "--spin/--no-spin", _MODEL)]
Method = Annotated[str | None, _about(FitOptions, "method", "--method", _MODEL, "NAME")]
Steps = Annotated[int | None, _about(FitOptions, "steps", "--steps", _MODEL, "COUNT")]
Force = Annotated[bool, typer.Option("--force", help="Replace whatever is there.", rich_help_panel=_RESULT)]
Vector = tuple[float, float, float]


def _examples(*lines: str) -> str:
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


# Verbs


@app.command(
    epilog=_examples("jaxcontact check drops/*.csv --radius 0.02 --mass 0.0027", "jaxcontact check study.toml"),
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

    The exit status is 1 when a file cannot be used.
    """
    paths, asked = _asked(files, locals())
    ball, model = asked[Ball], ModelOptions(**asked[ModelOptions])
    reading = ReadingOptions(**asked[ReadingOptions])
    _check_given(ball, "radius")
    checked = Ball(**ball) if "mass" in ball else None  # the mass is only needed to say what drag means
    checked_radius = options(Ball)["radius"].checked("radius", ball["radius"])
    with Progress(_stderr()) as say:
        say("Reading")
        from calibration.inspection import drag_coefficient_per, inspect_files, verdicts
        from calibration.report.inspection import print_inspection

        reports = inspect_files(paths, radius=checked_radius, reading=reading, model=model)
        factor = None if checked is None else drag_coefficient_per(checked, model)
        judged = verdicts(reports, gravity=model.gravity, drag_coefficient_per=factor)
    print_inspection(reports, judged, console=_stdout())
    return UNUSABLE_FILE if any(report.problem for report in reports) else 0


@app.command(
    epilog=_examples(
        "jaxcontact fit drops/*.csv --radius 0.02 --mass 0.0027 --shell --out result",
        "jaxcontact fit tracked.txt --frame-rate 240 --scale 0.0015 --radius 0.02 --mass 0.0027",
        "jaxcontact fit impacts.csv --speed 3.9 --radius 0.0025 --mass 0.00025",
        "jaxcontact fit result/study.toml",
    ),
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
        typer.Option(
            "--out",
            metavar="FOLDER",
            help="Folder for the results: result, or for a study file result beside it.",
            rich_help_panel=_RESULT,
            show_default=False,
        ),
    ] = None,
    force: Force = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print the table only, no progress.", rich_help_panel=_RESULT)] = False,
) -> None:
    """Fit all files together: restitution, drag and what else they can tell, each with its uncertainty.

    Prints a table and writes fit.json (the numbers), fit.png (data, fitted curve, residuals) and study.toml (all options and
    fingerprints of the data; run it again with it). Results are written when everything has succeeded, and replace only earlier
    results of the same study.

    In a study file every option can be given; an option given here comes before it.
    """
    paths, asked = _asked(files, locals())
    _check_given(asked[Ball], *required(Ball))
    sections: dict[str, Any] = {cls.section: cls(**asked[cls]) for cls in SECTIONS}
    study = Study(files=paths, **sections)
    inputs = tuple(map(str, find_files(paths)))
    from calibration.results_folder import check_folder, default_folder, write_results

    folder = Path(out).expanduser() if out else default_folder(_study_file(files))
    check_folder(folder, study, force=force)
    with Progress(_stderr(), quiet=quiet) as say:
        say("Starting")
        _prepare_jax()
        from calibration.automatic import fit_study
        from calibration.report.table import print_fit

        found = fit_study(dataclasses.replace(study, files=inputs), progress=say)
        say("Writing the results")
        written = write_results(found, study, folder, inputs=inputs)
    if not quiet:
        _print_what_was_read(found)
    print_fit(found, console=_stdout())
    if not quiet:
        _stdout().print(f"\nResults: {', '.join(map(str, written))}", markup=False, highlight=False, soft_wrap=True)


def _motion(flags: str, about: str, metavar: str, **more: Any) -> Any:
    return typer.Option(flags, help=escape(about), metavar=metavar, rich_help_panel=_MOTION, **more)


@app.command(
    epilog=_examples(
        "jaxcontact simulate --radius 0.02 --mass 0.0027 --shell --height 0.3 --drag 0.47 --out drop.csv",
        "jaxcontact simulate --radius 0.02 --mass 0.0027 --shell --position 0 0 0.3 --velocity 2 0 -1 --friction 0.2",
    ),
)
def simulate(
    radius: Radius = None,
    mass: Mass = None,
    shell: Shell = None,
    height: Annotated[
        float | None, _motion("--height", "Drop the ball from rest, its lowest point so far [m] above the surface.", "METRES")
    ] = None,
    position: Annotated[
        Vector | None, _motion("--position", "Where its centre begins [m]; the surface is at z = 0.", "X Y Z", show_default=False)
    ] = None,
    velocity: Annotated[Vector, _motion("--velocity", "Its velocity there [m/s].", "X Y Z")] = (0.0, 0.0, 0.0),
    spin: Annotated[Vector, _motion("--spin", "Its angular velocity there [rad/s].", "X Y Z")] = (0.0, 0.0, 0.0),
    restitution: Annotated[float, _motion("--restitution", "Speed after over speed before a normal impact.", "RATIO")] = 0.9,
    friction: Annotated[float, _motion("--friction", "Friction coefficient.", "RATIO")] = 0.0,
    drag: Annotated[float, _motion("--drag", "Drag coefficient of the air, 0.47 for a smooth ball; 0 is no air.", "RATIO")] = 0.0,
    stiffness: Annotated[
        float | None,
        _motion("--stiffness", "Contact stiffness [N/m^1.5] of Hertz's law; without it impacts are rigid.", "N/M^1.5", show_default=False),
    ] = None,
    gravity: Annotated[float, _motion("--gravity", "Acceleration of free fall [m/s^2].", "M/S^2")] = 9.81,
    duration: Annotated[float, _motion("--duration", "How long to record [s].", "SECONDS")] = 2.0,
    rate: Annotated[float, _motion("--rate", "Samples per second.", "HERTZ")] = 240.0,
    noise: Annotated[float, _motion("--noise", "Standard deviation of the error of each coordinate [m].", "METRES")] = 0.0,
    seed: Annotated[int, _motion("--seed", "Another seed, other errors.", "NUMBER")] = 0,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="The recording.", rich_help_panel=_RESULT)] = "trajectory.csv",
    force: Force = False,
) -> None:
    """Make up a recording: simulate a bouncing ball, print its contacts, and write t, x, y, z as a file that fit reads.

    For planning an experiment, and for trying a fit on data whose truth is known.
    """
    asked = {name: value for name, value in locals().items() if name in options(Ball) and value is not None}
    _check_given(asked, *required(Ball))
    ball = Ball(**asked)
    start = _start(ball, height, position)
    with Progress(_stderr()) as say:
        say("Simulating")
        _prepare_jax()
        import jaxcontact as jc
        from calibration.made_up_recording import check_replaceable, make_up, scene_of, write_recording

        check_replaceable(out, force=force)
        scene = scene_of(ball, restitution=restitution, friction=friction, drag=drag, stiffness=stiffness, gravity=gravity)
        state = jc.state(position=start, velocity=velocity, spin=spin)
        recording = make_up(scene, state, duration=duration, rate=rate, noise=noise, seed=seed)
        write_recording(recording, out, command=_command())
    console = _stdout()
    for line in _contacts(recording):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    console.print(f"\n{len(recording.time)} samples: {out}", markup=False, highlight=False, soft_wrap=True)


@app.callback()
def _options_of_all(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=lambda wanted: _print_version(wanted), is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help=f"Show where an unexpected error happened ({DEBUG}=1 does, too).")] = False,
) -> None:
    """From measured bounces to restitution, drag and friction, each with its uncertainty.

    Lengths are in metres, masses in kilograms, times in seconds, unless a file says otherwise. Compiled code is kept in the user's
    folder of caches; JAXCONTACT_CACHE names another folder, JAXCONTACT_CACHE=off keeps none.
    """


# From the command line to a study


def _study_file(files: Sequence[str]) -> str | None:
    """The study file among the arguments, which must then be the only one."""
    studies = [file for file in files if is_study_file(file)]
    if studies and len(files) > 1:
        raise InputError("a study file names its data itself", remedy="Give the study file alone, or the data alone.", path=studies[0])
    return studies[0] if studies else None


def _asked(files: Sequence[str], given: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[type[Section], dict[str, Any]]]:
    """Files and options by section: what the command line gives, before what a study file gives."""
    path = _study_file(files)
    study = read_study(path) if path is not None else None
    parsed = {**given, "columns": _parsed_columns(given.get("columns")), "sigma": _parsed_sigma(given.get("sigma"))}
    asked = {}
    for cls in SECTIONS:
        before = vars(getattr(study, cls.section)) if study is not None else {}
        asked[cls] = {**before, **{name: parsed[name] for name in options(cls) if parsed.get(name) is not None}}
    return study.files if study is not None else tuple(files), asked


def _check_given(given: Mapping[str, Any], *names: str) -> None:
    for name in names:
        if name not in given:
            example = {"radius": "0.02", "mass": "0.0027"}[name]
            raise InputError(f"the {name} of the ball is not given", remedy=f"Add --{name}, for a table-tennis ball --{name} {example}.")


def _parsed_columns(texts: Sequence[str] | None) -> dict[str, str] | None:
    """``t=Zeit,z=Lage`` as a table; a header may contain commas and equals signs."""
    pairs = [pair.partition("=") for text in texts or () for pair in re.split(r",(?=\s*\w+\s*=)", text)]
    for key, sign, header in pairs:
        if not (sign and key.strip() and header.strip()):
            raise InputError(f"--columns: {key + sign + header!r} is not KEY=HEADER", remedy="Give for example --columns 't=Zeit,z=Lage'.")
    return {key.strip(): header.strip() for key, _, header in pairs} or None


def _parsed_sigma(text: str | None) -> float | dict[str, float] | None:
    """``0.002`` or ``x=0.002,z=0.001``."""
    if text is None:
        return None
    try:
        if "=" not in text:
            return float(text)
        return {key.strip(): float(value) for key, _, value in (pair.partition("=") for pair in text.split(","))}
    except ValueError:
        raise InputError(f"--sigma: {text!r} is not understood", remedy="Give --sigma 0.002 or --sigma x=0.002,z=0.001.") from None


def _start(ball: Ball, height: float | None, position: Vector | None) -> Vector:
    if (height is None) == (position is None):
        remedy = "Give --height 0.3 to drop the ball from rest, or --position 0 0 0.3."
        raise InputError(f"{'neither' if height is None else 'both'} of --height and --position given", remedy=remedy)
    if position is not None:
        return position
    if not 0 <= height < float("inf"):  # type: ignore[operator]
        raise InputError(f"height = {height:g} m is not a height above the surface", remedy="Give a number of at least 0.")
    return (0.0, 0.0, height + ball.radius)  # type: ignore[operator]


# Output


def _stdout() -> Console:
    """Of the present standard output; text that goes to a file or a pipe is not squeezed into 80 columns."""
    console = Console()
    return console if console.is_terminal else Console(width=110)


def _stderr() -> Console:
    return Console(stderr=True)


def _print_version(wanted: bool) -> None:
    if wanted:
        versions = installed_versions()
        print(f"jaxcontact {versions['jaxcontact'] or '(not installed, run from its source)'}")
        raise typer.Exit


def _print_what_was_read(found: Any) -> None:
    """One line a file."""
    console = _stdout()
    for recording in found.recordings:
        seconds = recording.time[-1] - recording.time[0]
        bounces = len(recording.bounce_times)
        line = f"{recording.name}: {len(recording.time)} samples over {seconds:.2f} s, {bounces} bounce{'' if bounces == 1 else 's'}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    for column in found.columns:
        console.print(f"{column.label}: {len(column.measured)} impacts", markup=False, highlight=False, soft_wrap=True)
    console.print()


def _contacts(recording: Any) -> Iterator[str]:
    """A line for each contact."""
    if not len(recording.touch_down):
        yield "No contact in this time."
    else:
        yield "contact   touch-down [s]   lasts [us]   speed before [m/s]   speed after [m/s]"
    columns = (recording.touch_down, recording.lift_off, recording.impact_speed, recording.rebound_speed)
    for number, (down, off, before, after) in enumerate(zip(*columns, strict=True), start=1):
        if number > 20:
            yield f"and {len(recording.touch_down) - 20} more"
            break
        yield f"{number:7d}   {down:14.4f}   {1e6 * (off - down):10.1f}   {before:18.3f}   {after:17.3f}"
    yield recording.advice


# The program


def _prepare_jax() -> None:
    """Double precision, and compiled code kept for the next run."""
    keep_compiled_code()
    import jax

    jax.config.update("jax_enable_x64", True)


def _command() -> str:
    return " ".join(["jaxcontact", *sys.argv[1:]])


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
            stream.reconfigure(errors="replace")  # names of files may hold letters that a terminal does not have
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default" if debug else "ignore")
            warnings.simplefilter("always", ChangedData)
            warnings.showwarning = _show_warning
            status = typer.main.get_command(app).main(args=given, prog_name="jaxcontact", standalone_mode=False)
    except InputError as error:
        return _wrong_input(str(error), error, debug=debug)
    except typer.TyperException as error:
        verb = next((f"{argument} " for argument in given if argument in ("check", "fit", "simulate")), "")
        return _wrong_input(f"{error.format_message()} See jaxcontact {verb}--help.", error, debug=debug)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _wrong_input(f"{place}{error.strerror or error}", error, debug=debug)
    except Exception as error:
        return _defect(error, debug=debug)
    if status == INTERRUPTED:
        print("interrupted", file=sys.stderr)
    return int(status or 0)


def _show_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int, *more: Any) -> None:
    print(f"warning: {message}", file=sys.stderr)


def _wrong_input(text: str, error: Exception, *, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    print(f"error: {text}", file=sys.stderr)
    return WRONG_INPUT


def _defect(error: Exception, *, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    said = str(error).strip().partition("\n")[0]
    print(
        f"error: jaxcontact failed ({type(error).__name__}{': ' if said else ''}{said}). This is a mistake in the program, not in your input."
        f" Please report it, with the command and what it prints with --debug added{'' if debug else ' to it'}.",
        file=sys.stderr,
    )
    return DEFECT
