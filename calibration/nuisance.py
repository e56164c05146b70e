"""Quantities of the measurement that a fit must find beside the material constants.

Each nuisance names its unknowns, guesses them from the automatic reading of a recording, and applies their values to an ``Experiment``.
Nuisances are hashable, so that problems of the same structure share compiled code.
"""

import dataclasses
from typing import Any, ClassVar, Protocol

import jax.numpy as jnp
import numpy as np

from calibration.experiment import Experiment
from calibration.first_guess import Reading
from calibration.prior import Normal
from calibration.scene_parameter import Free
from calibration.unknown import Unknown, nuisance_unknown
from jaxcontact import Scene
from jaxcontact.field import put

AXES = "xyz"


class Nuisance(Protocol):
    """What a nuisance must offer; ``shared`` tells whether all recordings have one value or each its own."""

    shared: ClassVar[bool]

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]: ...
    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray: ...
    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment: ...


@dataclasses.dataclass(frozen=True)
class LengthScale:
    """One factor from recorded to true lengths, for all recordings: a pixel scale that was measured a few percent wrong.

    Gravity makes it visible. It excludes ``Gravity``, which has the same effect.
    """

    shared: ClassVar[bool] = True

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The factor."""
        return (nuisance_unknown("length_scale", unit="-", label="true over recorded length", symbol="lambda", transform="log"),)

    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """One."""
        return np.ones(1)

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set the scale."""
        return experiment._replace(scale=values[0])


@dataclasses.dataclass(frozen=True)
class Gravity:
    """The acceleration of free fall, downwards, one value for all recordings; excludes ``LengthScale``."""

    shared: ClassVar[bool] = True

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """Its magnitude."""
        return (nuisance_unknown("gravity", unit="m/s^2", label="acceleration of free fall", symbol="g", transform="log"),)

    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """That of the scene."""
        return np.asarray([np.linalg.norm(np.asarray(scene.gravity, dtype=float))])

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set gravity."""
        return experiment._replace(scene=put(experiment.scene, "gravity", -values[0] * jnp.array([0.0, 0.0, 1.0])))


@dataclasses.dataclass(frozen=True)
class SurfaceHeight:
    """Height of the (horizontal) plane in each recording, in recorded units: the origin of a camera is nobody's table top."""

    shared: ClassVar[bool] = False

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The height."""
        return (nuisance_unknown("surface_height", unit="m", label="height of the surface", symbol="h"),)

    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """From the height of the centre at the bounces."""
        return np.asarray([reading.height - float(scene.bodies.radius)])

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Move the plane."""
        return experiment._replace(scene=put(experiment.scene, "surfaces.0.offset", values[0] * experiment.scale))


@dataclasses.dataclass(frozen=True)
class InitialState:
    """Position and velocity at the first used sample, in recorded units, and the spin where it can matter.

    Args:
        spin: whether the initial spin is unknown, too; else it is zero.
    """

    shared: ClassVar[bool] = False
    spin: bool = False

    def _spin_axes(self, axes: tuple[int, ...]) -> tuple[int, ...]:
        # A planar recording sees spin about y only; spin about the vertical has no effect on a horizontal plane.
        return (() if 0 not in axes else (1,) if 1 not in axes else (0, 1)) if self.spin else ()

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """Components on the measured axes."""
        positions = [nuisance_unknown(f"position_{AXES[i]}", unit="m", label=f"initial {AXES[i]}", symbol=f"{AXES[i]}_0") for i in axes]
        velocities = [
            nuisance_unknown(f"velocity_{AXES[i]}", unit="m/s", label=f"initial velocity along {AXES[i]}", symbol=f"v_{AXES[i]}0")
            for i in axes
        ]
        spins = [
            nuisance_unknown(f"spin_{AXES[i]}", unit="rad/s", label=f"initial spin about {AXES[i]}", symbol=f"w_{AXES[i]}0", late=True)
            for i in self._spin_axes(axes)
        ]
        return (*positions, *velocities, *spins)

    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """From the first flight; no spin."""
        picked = list(axes)
        return np.concatenate([reading.position[picked], reading.velocity[picked], np.zeros(len(self._spin_axes(axes)))])

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set the initial state."""
        n, picked = len(axes), jnp.array(axes)
        spin_axes = self._spin_axes(axes)
        spin = experiment.spin.at[jnp.array(spin_axes)].set(values[2 * n :]) if spin_axes else experiment.spin
        return experiment._replace(
            position=experiment.position.at[picked].set(values[:n] * experiment.scale),
            velocity=experiment.velocity.at[picked].set(values[n : 2 * n] * experiment.scale),
            spin=spin,
        )


@dataclasses.dataclass(frozen=True)
class TimeOffset:
    """Time between the state that starts the motion and the first sample, for a known initial state (a ball released from rest)."""

    shared: ClassVar[bool] = False

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The offset."""
        return (nuisance_unknown("time_offset", unit="s", label="time of the first sample after release", symbol="t_0"),)

    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """Zero."""
        return np.zeros(1)

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Move the start before the first sample."""
        return experiment._replace(start=experiment.start - values[0])


@dataclasses.dataclass(frozen=True)
class KnownState:
    """A state that is known: a ball released at a measured place. Nothing is to be found.

    Args:
        position: of the centre [m].
        velocity: [m/s].
        spin: [rad/s].
        time: at which it holds, on the clock of the recording [s].
    """

    shared: ClassVar[bool] = False
    position: tuple[float, float, float]
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    time: float = 0.0

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """None."""
        return ()

    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """Nothing."""
        return np.zeros(0)

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set the state."""
        return experiment._replace(
            position=jnp.array(self.position),
            velocity=jnp.array(self.velocity),
            spin=jnp.array(self.spin),
            start=jnp.asarray(self.time),
        )


@dataclasses.dataclass(frozen=True)
class RestitutionScatter:
    """Restitution that differs from impact to impact: repeated impacts on one table do not repeat exactly.

    The deviation of each impact is normally distributed about the common value, on the logistic scale of the restitution; there the
    standard deviation ``sd`` is 1/(e (1 - e)) times that of the restitution itself. Without it, a handful of deviating impacts would
    bend every other quantity to explain them. Needs ``jaxcontact.NewtonRestitution``.

    Args:
        impacts: the largest number of impacts in a recording.
        sd: of the deviation of ``ln(e/(1 - e))``; the default is 0.02 in a restitution of 0.9.
    """

    shared: ClassVar[bool] = False
    impacts: int
    sd: float = 0.22

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The deviation of each impact."""
        return tuple(
            nuisance_unknown(
                f"restitution_deviation_{i}",
                unit="-",
                label=f"deviation of impact {i} in ln(e/(1 - e))",
                symbol=f"d_e{i}",
                late=True,
                prior=Normal(0.0, self.sd),
            )
            for i in range(1, self.impacts + 1)
        )

    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """None."""
        return np.zeros(self.impacts)

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set the deviations; impacts that the recording does not show have none."""
        return experiment._replace(scene=put(experiment.scene, "contact.normal.deviation", jnp.append(values, 0.0)))


@dataclasses.dataclass(frozen=True)
class OwnValue:
    """A parameter of the scene that differs from trial to trial (``Free(..., each=True)``).

    Args:
        free: the parameter.
        unknown: its unknown.
    """

    shared: ClassVar[bool] = False
    free: Free
    unknown: Unknown

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The parameter."""
        return (self.unknown,)

    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """That of the scene, or where the parameter says."""
        return np.asarray([self.free.first(scene)])

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set it."""
        return experiment._replace(scene=self.free.apply(experiment.scene, values[0]))
