"""State of each trial at its start: position, velocity, spin, orientation, first impact."""

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from calibration.detection.bounces import DetectedBounces
from calibration.errors import InputError
from calibration.measurements.spins import Spins
from calibration.model.parameter import Parameter, nuisance_parameter
from calibration.model.prior import Prior
from calibration.model.trial_state import TrialState
from calibration.nuisances.base import AXES, MeasuredTrial, Nuisance, UnfittedTrial
from jaxcontact import Plane
from jaxcontact.geometry.rotation import quaternion_product, rotation_to_quaternion


@dataclasses.dataclass(frozen=True)
class InitialState(Nuisance):
    """Position and velocity at the first used sample, in recorded units, and the spin where it can
    matter.

    Args:
        spin: whether the initial spin is unknown, too; else it is zero.
        lift: whether spin lifts the ball: then the spin about the vertical matters, too, as it
            bends the path sideways.

    Example:
        >>> [parameter.name for parameter in cal.nuisances.InitialState().parameters((0, 2))]
        ['position_x', 'position_z', 'velocity_x', 'velocity_z']
    """

    spin: bool = False
    lift: bool = False

    def concerns(self, trial: MeasuredTrial) -> bool:
        """Trials with positions."""
        return bool(trial.axes)

    def _spin_axes(self, axes: tuple[int, ...]) -> tuple[int, ...]:
        if not self.spin or 0 not in axes:
            return ()
        # A planar recording sees spin about y only; without lift, spin about the vertical has no
        # effect on a horizontal plane.
        return (1,) if 1 not in axes else (0, 1, 2) if self.lift else (0, 1)

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """Components on the measured axes."""
        positions = [
            nuisance_parameter(
                f"position_{AXES[i]}", unit="m", label=f"initial {AXES[i]}", symbol=f"{AXES[i]}_0"
            )
            for i in axes
        ]
        velocities = [
            nuisance_parameter(
                f"velocity_{AXES[i]}",
                unit="m/s",
                label=f"initial velocity along {AXES[i]}",
                symbol=f"v_{AXES[i]}0",
            )
            for i in axes
        ]
        spins = [
            nuisance_parameter(
                f"spin_{AXES[i]}",
                unit="rad/s",
                label=f"initial spin about {AXES[i]}",
                symbol=f"w_{AXES[i]}0",
                late=not self.lift,
            )
            for i in self._spin_axes(axes)
        ]
        return (*positions, *velocities, *spins)

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """From the first flight; the spin that was measured, else none."""
        detected, picked = trial.first_guess("InitialState()"), list(trial.axes)
        return np.concatenate(
            [
                detected.position[picked],
                detected.velocity[picked],
                first_spin(trial)[list(self._spin_axes(trial.axes))],
            ]
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set the initial state."""
        n, picked = len(axes), jnp.array(axes)
        spin_axes = self._spin_axes(axes)
        spin = (
            trial_state.spin.at[jnp.array(spin_axes)].set(values[2 * n :])
            if spin_axes
            else trial_state.spin
        )

        def in_scene(recorded: Any) -> Any:
            return trial_state.camera.unproject(
                jnp.zeros(3).at[picked].set(recorded), trial_state.scale
            )[picked]

        return trial_state._replace(
            position=trial_state.position.at[picked].set(in_scene(values[:n])),
            velocity=trial_state.velocity.at[picked].set(in_scene(values[n : 2 * n])),
            spin=spin,
        )


def first_spin(trial: UnfittedTrial) -> np.ndarray:
    """Spin (3,) in the first flight [rad/s], zero where nobody measured it. Spins that were
    measured later are led back through the bounces, by what the velocities say of the impulses.

    Args:
        trial: with what was measured of it.
    """
    spins = next((item for item in trial.measured if isinstance(item, Spins)), None)
    if spins is None:
        return np.zeros(3)
    bounces = trial.detected.bounces if isinstance(trial.detected, DetectedBounces) else ()
    found, changed = spins.in_first_flight(bounces, trial.scene.bodies)
    return found - changed


@dataclasses.dataclass(frozen=True)
class KnownState(Nuisance):
    """A state that is known: a ball released at a measured place. Nothing is to be found.

    Args:
        position: of the centre [m].
        velocity: [m/s].
        spin: [rad/s].
        time: at which it holds, on the clock of the recording [s].

    Example:
        >>> release = cal.nuisances.KnownState(position=(0.0, 0.0, 0.52))
        >>> release.parameters(()), release.sets_motion
        ((), True)
    """

    sets_motion: ClassVar[bool] = True
    position: tuple[float, float, float]
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    time: float = 0.0

    def concerns(self, trial: MeasuredTrial) -> bool:
        """Trials without a state of their own."""
        return trial.initial is None

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """None."""
        return ()

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set the state."""
        return trial_state._replace(
            position=jnp.array(self.position),
            velocity=jnp.array(self.velocity),
            spin=jnp.array(self.spin),
            start=jnp.asarray(self.time),
        )


@dataclasses.dataclass(frozen=True)
class InitialSpin(Nuisance):
    """Components of the spin at the start of each trial, whatever else was measured
    (``InitialState(spin=True)`` chooses by the positions).

    Args:
        components: letters of the axes about which it is unknown.
        prior: what is known of each beforehand.

    Example:
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> spins = cal.measurements.Spins([0.0, 0.01], [[0.0, 50.0, 1.0], [0.0, 49.0, 1.0]])
        >>> trial = cal.nuisances.UnfittedTrial((spins,), None, None, scene, ())
        >>> cal.nuisances.InitialSpin("yz").start(trial)
        array([50.,  1.])
    """

    components: str = "y"
    prior: Prior | None = None

    def __post_init__(self) -> None:
        if (
            not self.components
            or len(set(self.components)) < len(self.components)
            or set(self.components) - set(AXES)
        ):
            raise InputError(
                f"InitialSpin: components = {self.components!r} are not letters of x, y, z.",
                remedy='Give e.g. "y".',
            )

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The components."""
        return tuple(
            nuisance_parameter(
                f"spin_{x}",
                unit="rad/s",
                label=f"initial spin about {x}",
                symbol=f"w_{x}0",
                prior=self.prior,
            )
            for x in self.components
        )

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """The first measured spin, else that of the known state, else zero."""
        measured = [item.first_spin for item in trial.measured if item.first_spin is not None]
        if measured:
            spin = measured[0]
        elif trial.initial is not None:
            spin = np.reshape(np.asarray(trial.initial.spin, dtype=float), 3)
        else:
            spin = np.zeros(3)
        return spin[[AXES.index(x) for x in self.components]]

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set the components."""
        return trial_state._replace(
            spin=trial_state.spin.at[jnp.array([AXES.index(x) for x in self.components])].set(
                values
            )
        )


@dataclasses.dataclass(frozen=True)
class InitialTurn(Nuisance):
    """Rotation from the first measured orientation to the true one at the start, of each trial with
    ``Orientations``.

    Example:
        >>> [parameter.name for parameter in cal.nuisances.InitialTurn().parameters(())]
        ['turn_x', 'turn_y', 'turn_z']
    """

    def concerns(self, trial: MeasuredTrial) -> bool:
        """Trials with orientations."""
        return any(item.first_orientation is not None for item in trial.measured)

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Raise ``InputError`` without orientations."""
        if not any(self.concerns(trial) for trial in trials):
            raise InputError(
                "nuisance: InitialTurn() without Orientations.", remedy="Leave it out."
            )

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """Components of the rotation vector."""
        return tuple(
            nuisance_parameter(
                f"turn_{x}", unit="rad", label=f"initial rotation about {x}", symbol=f"r_{x}0"
            )
            for x in "xyz"
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Turn the body."""
        return trial_state._replace(
            orientation=quaternion_product(rotation_to_quaternion(values), trial_state.orientation)
        )


@dataclasses.dataclass(frozen=True)
class MarkerStart(Nuisance):
    """Angle of the marker at the start of each trial with ``MarkerAngles``.

    Args:
        prior: what is known of it beforehand.

    Example:
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> marker = cal.measurements.MarkerAngles([0.0, 0.01], [0.3, 0.8])
        >>> trial = cal.nuisances.UnfittedTrial((marker,), None, None, scene, ())
        >>> cal.nuisances.MarkerStart().start(trial)
        array([0.3])
    """

    prior: Prior | None = None

    def concerns(self, trial: MeasuredTrial) -> bool:
        """Trials with a marker."""
        return any(item.first_angle is not None for item in trial.measured)

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Raise ``InputError`` without a marker."""
        if not any(self.concerns(trial) for trial in trials):
            raise InputError(
                "nuisance: MarkerStart() without MarkerAngles.", remedy="Leave it out."
            )

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The angle."""
        return (
            nuisance_parameter(
                "marker_angle",
                unit="rad",
                label="angle of the marker at first",
                symbol="a_0",
                prior=self.prior,
            ),
        )

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """From the first picture of the marker."""
        angles = [item.first_angle for item in trial.measured]
        return np.asarray([next(angle for angle in angles if angle is not None)])

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set the angle."""
        return trial_state._replace(marker=values[0])


@dataclasses.dataclass(frozen=True)
class FirstImpact(Nuisance):
    """Time and speed of the first impact of each trial: a ball dropped from an unknown height that
    only a microphone followed.

    The body moves along the normal of the first surface, which must be a plane. For trials without
    positions and without a known initial state.

    Example:
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> sounds = cal.measurements.BounceTimes([0.32, 0.75, 1.05], sigma=1e-4)
        >>> trial = cal.nuisances.UnfittedTrial((sounds,), None, sounds.detect(scene), scene, ())
        >>> cal.nuisances.FirstImpact().start(trial).round(2)  # time [s] and speed [m/s]
        array([0.32, 3.02])
    """

    sets_motion: ClassVar[bool] = True

    def concerns(self, trial: MeasuredTrial) -> bool:
        """Trials whose motion nothing else gives."""
        return not trial.axes and trial.initial is None

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """Time and approach speed."""
        return (
            nuisance_parameter(
                "impact_time", unit="s", label="time of the first impact", symbol="t_1"
            ),
            nuisance_parameter(
                "impact_speed",
                unit="m/s",
                label="speed of the first impact",
                symbol="v_1",
                transform="log",
            ),
        )

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """From the measured impacts.

        Raises:
            InputError: the first surface is not a plane, or no measurement shows impacts.
        """
        surface = trial.scene.surfaces[0]
        if not isinstance(surface, Plane):
            raise InputError(
                "FirstImpact() moves the body along the normal of the first surface, which must "
                f"be a Plane; this scene has {type(surface).__name__}.",
                remedy="Give Trial(..., initial=jaxcontact.state(...)) instead.",
            )
        detected = trial.detected
        if detected is None or detected.first_impact is None:
            raise InputError(
                "FirstImpact() in a trial without bounce times or a force trace.",
                remedy="Give Trial(..., initial=...).",
            )
        return np.asarray([detected.first_impact, detected.speed])

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Start at the first touch."""
        plane: Any = trial_state.scene.surfaces[0]
        normal = plane.unit_normal
        across = trial_state.velocity - normal * (trial_state.velocity @ normal)
        return trial_state._replace(
            position=normal * (plane.offset + trial_state.scene.bodies.radius),
            velocity=across - values[1] * normal,
            start=jnp.asarray(values[0]),
        )
