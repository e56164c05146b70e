"""``jaxcontact simulate``."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from calibration.cli.application import app, print_lines, standard_error
from calibration.cli.options import MOTION, RESULT, Force, flag, verb
from calibration.errors import InputError
from calibration.runtime.prepare_jax import prepare_jax
from calibration.runtime.progress import Progress
from calibration.studies.option import required
from calibration.studies.steps.asked_options import GivenOptions, check_given
from calibration.studies.study import Ball, ModelOptions

if TYPE_CHECKING:
    from calibration.studies.synthetic_recording import SyntheticRecording

LISTED_CONTACTS = 20

INCOMPLETE = 1
"""Exit status."""

Vector = tuple[float, float, float]


def _motion(flags: str, about: str, metavar: str, *, shown: bool = True) -> Any:
    return flag(flags, about, MOTION, metavar, show_default=shown)


@verb(
    app,
    "jaxcontact simulate --radius 0.02 --mass 0.0027 --shell --height 0.3 --drag 0.47 --out "
    "drop.csv",
    "jaxcontact simulate --radius 0.02 --mass 0.0027 --shell --position 0 0 0.3 --velocity 2 "
    "0 -1 --friction 0.2",
    study_options={
        Ball: ("radius", "mass", "shell"),
        ModelOptions: ("fluid_density", "gravity"),
    },
)
def simulate(
    given: GivenOptions,
    height: Annotated[
        float | None,
        _motion(
            "--height", "Drop it from rest, with so much air below it [m].", "METRES", shown=False
        ),
    ] = None,
    position: Annotated[
        Vector | None,
        _motion(
            "--position",
            "Or where its centre begins [m]; the surface is at z = 0.",
            "X Y Z",
            shown=False,
        ),
    ] = None,
    velocity: Annotated[
        Vector,
        _motion(
            "--velocity", "Velocity at the beginning [m/s]. [default: 0 0 0]", "X Y Z", shown=False
        ),
    ] = (
        0.0,
        0.0,
        0.0,
    ),
    spin: Annotated[
        Vector,
        _motion(
            "--spin",
            "Angular velocity at the beginning [rad/s]. [default: 0 0 0]",
            "X Y Z",
            shown=False,
        ),
    ] = (
        0.0,
        0.0,
        0.0,
    ),
    restitution: Annotated[
        float,
        _motion(
            "--restitution", "Speed after over speed before an impact, along the normal.", "RATIO"
        ),
    ] = 0.9,
    friction: Annotated[float, _motion("--friction", "Friction coefficient.", "RATIO")] = 0.0,
    drag: Annotated[
        float,
        _motion("--drag", "Drag coefficient of the air; a smooth ball has about 0.47.", "RATIO"),
    ] = 0.0,
    stiffness: Annotated[
        float | None,
        _motion(
            "--stiffness",
            "Contact stiffness [N/m^1.5] of Hertz's law; without it, impacts are rigid.",
            "N/M^1.5",
            shown=False,
        ),
    ] = None,
    duration: Annotated[
        float, _motion("--duration", "How long it is recorded [s].", "SECONDS")
    ] = 2.0,
    rate: Annotated[float, _motion("--rate", "Samples per second.", "HERTZ")] = 240.0,
    noise: Annotated[
        float,
        _motion("--noise", "Standard deviation of the error of each coordinate [m].", "METRES"),
    ] = 0.0,
    seed: Annotated[int, _motion("--seed", "Another number, other errors.", "NUMBER")] = 0,
    out: Annotated[
        str, flag("--out", "The recording.", RESULT, "FILE", show_default=True)
    ] = "trajectory.csv",
    force: Force = False,
) -> int:
    """Write a synthetic recording: simulate a bouncing ball, print its contacts, and write t, x, y,
    z as a file that fit reads.

    For planning an experiment, and for trying a fit on data whose truth is known. The exit status
    is 1 when the motion could not be followed up to the last sample.
    """
    check_given(given.of(Ball), *required(Ball))
    ball, model = Ball(**given.of(Ball)), ModelOptions(**given.of(ModelOptions))
    start = _start(ball, height, position)
    if height is not None and model.gravity == 0:
        raise InputError(
            "without gravity a ball that is dropped from rest does not fall",
            remedy="Give --position and --velocity, or a gravity.",
        )
    with Progress(standard_error()) as say:
        say("Simulating")
        prepare_jax()
        from calibration.io.atomic import check_replaceable
        from calibration.studies.synthetic_recording import (
            MARK,
            scene_of,
            simulate_recording,
            start_of,
            write_recording,
        )

        check_replaceable(out, mark=MARK, writer="a simulation", force=force)
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
        recording = simulate_recording(
            scene, state, duration=duration, rate=rate, noise=noise, seed=seed
        )
        write_recording(recording, out)
    print_lines(*_contacts(recording), "", f"{len(recording.time)} samples: {out}")
    return 0 if recording.complete else INCOMPLETE


def _start(ball: Ball, height: float | None, position: Vector | None) -> Vector:
    if (height is None) == (position is None):
        said = (
            "neither --height nor --position is given"
            if height is None
            else "--height and --position are both given"
        )
        raise InputError(
            said,
            remedy="Give --height 0.3 to drop the ball from rest, or --position 0 0 0.3 for its "
            "centre.",
        )
    return position if height is None else (0.0, 0.0, ball.radius + height)  # type: ignore[return-value]


def _contacts(recording: "SyntheticRecording") -> Iterator[str]:
    """A line for each contact."""
    yield "contact   touch-down [s]   lasts [us]   speed before [m/s]   speed after [m/s]"
    columns = (
        recording.touch_down,
        recording.lift_off,
        recording.impact_speed,
        recording.rebound_speed,
    )
    for number, (down, off, before, after) in enumerate(zip(*columns, strict=True), start=1):
        if number > LISTED_CONTACTS:
            yield f"and {len(recording.touch_down) - LISTED_CONTACTS} more"
            break
        yield (
            f"{number:7d}   {down:14.4f}   {1e6 * (off - down):10.1f}   {before:18.3f}   "
            f"{after:17.3f}"
        )
    yield recording.advice
