"""Initial states of several bodies."""

import dataclasses
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from calibration.errors import InputError
from calibration.model.parameter import Parameter, nuisance_parameter
from calibration.model.trial_state import TrialState
from calibration.nuisances.base import AXES, MeasuredTrial, Nuisance, UnfittedTrial


@dataclasses.dataclass(frozen=True)
class InitialStates(Nuisance):
    """Components of the initial states of bodies that are known roughly: ``Trial(...,
    initial=...)`` is where the search begins. What is not named stays as it is there.

    Args:
        bodies: whose states are to be found.
        position: axes along which the position is unknown.
        velocity: axes along which the velocity is unknown.
        spin: axes about which the spin is unknown.

    Raises:
        InputError: an axis that is none, no body, or nothing unknown.

    Example:
        Two pucks on a table, the second at rest at the start:

        >>> first = cal.nuisances.InitialStates((0,), position="xy", velocity="xy", spin="z")
        >>> [parameter.name for parameter in first.parameters(())]
        ['position_0_x', 'position_0_y', 'velocity_0_x', 'velocity_0_y', 'spin_0_z']
    """

    bodies: tuple[int, ...] = (0, 1)
    position: str = AXES
    velocity: str = AXES
    spin: str = ""

    def __post_init__(self) -> None:
        for name in ("position", "velocity", "spin"):
            axes = getattr(self, name)
            if len(set(axes)) != len(axes) or not set(axes) <= set(AXES):
                raise InputError(
                    f"InitialStates: {name} = {axes!r} is not a choice of axes.",
                    remedy='Give "xyz", or some of these letters.',
                )
        if not self.bodies or not (self.position or self.velocity or self.spin):
            raise InputError(
                "InitialStates: nothing is unknown.",
                remedy="Name a body and an axis, or leave the nuisance out.",
            )
        object.__setattr__(self, "bodies", tuple(self.bodies))

    def concerns(self, trial: MeasuredTrial) -> bool:
        """Trials with an initial state."""
        return trial.initial is not None

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Each trial must have an initial state with these bodies."""
        for trial in trials:
            count = 0 if trial.initial is None else np.size(trial.initial.position) // 3
            if not all(0 <= body < count for body in self.bodies):
                raise InputError(
                    f"InitialStates: bodies = {self.bodies}, but the initial state of trial "
                    f"{trial.name!r} has {count or 'none'}.",
                    path=trial.path,
                    remedy="Give Trial(..., initial=jaxcontact.state(position=...)) with a row for "
                    "each body, from where the search begins.",
                )

    @property
    def _components(self) -> tuple[tuple[str, str, int, int], ...]:
        """What, its unit, of which body, along which axis."""
        kinds = (("position", "m"), ("velocity", "m/s"), ("spin", "rad/s"))
        return tuple(
            (name, unit, body, AXES.index(axis))
            for body in self.bodies
            for name, unit in kinds
            for axis in getattr(self, name)
        )

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """Body by body: position, velocity, spin; words count bodies from 1."""
        return tuple(
            nuisance_parameter(
                f"{name}_{body}_{AXES[axis]}",
                unit=unit,
                label=f"initial {name} of body {body + 1}, {AXES[axis]}",
                symbol=f"{SYMBOLS[name]}_{body + 1}{AXES[axis]}",
            )
            for name, unit, body, axis in self._components
        )

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """The initial state of the trial."""
        assert trial.initial is not None  # see ``check``
        return np.asarray(
            [
                np.reshape(np.asarray(getattr(trial.initial, name), dtype=float), (-1, 3))[
                    body, axis
                ]
                for name, _, body, axis in self._components
            ]
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set these components."""
        changed = {}
        for kind in ("position", "velocity", "spin"):
            now = getattr(trial_state, kind)
            rows = jnp.reshape(now, (-1, 3))
            for value, (name, _, body, axis) in zip(values, self._components, strict=True):
                if name == kind:
                    rows = rows.at[body, axis].set(value)
            changed[kind] = jnp.reshape(rows, now.shape)
        return trial_state._replace(
            position=changed["position"], velocity=changed["velocity"], spin=changed["spin"]
        )


SYMBOLS = {"position": "r", "velocity": "v", "spin": "w"}
"""Of the components in tables."""
