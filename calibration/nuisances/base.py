"""What a nuisance is: a quantity of the measurement that a fit must find beside the material
constants.
"""

import abc
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple, Protocol

import jax
import numpy as np

from calibration.detection.detection import Detection
from calibration.errors import InputError
from calibration.measurements.base import Measurement
from calibration.model.parameter import Parameter
from calibration.model.parameter import nuisance_parameter as nuisance_parameter
from calibration.model.trial_state import TrialState
from jaxcontact import Scene, State

AXES = "xyz"
"""The axes of position, in their order.

Example:
    >>> cal.nuisances.AXES.index("z")
    2
"""


class MeasuredTrial(Protocol):
    """What a nuisance can ask of a trial (``calibration.Trial``).

    Attributes:
        name: in tables.
        path: the file of its first measurement.
        measured: its measurements.
        axes: letters of all measured axes of positions.
        clocks: names of the clocks of its measurements.
        initial: its known initial state, or ``None``.
        values: known values of scene parameters, by path.

    Example:
        >>> trial = cal.Trial(cal.measurements.BounceTimes([0.3, 0.7, 1.0]))
        >>> trial.clocks, trial.axes, cal.nuisances.FirstImpact().concerns(trial)
        (('microphone',), (), True)
    """

    name: str
    measured: tuple[Measurement, ...]
    initial: State | None
    values: Mapping[str, float]

    @property
    def path(self) -> str | None: ...
    @property
    def axes(self) -> tuple[str, ...]: ...
    @property
    def clocks(self) -> tuple[str, ...]: ...


class UnfittedTrial(NamedTuple):
    """What is known of a trial before a fit.

    Attributes:
        measured: its measurements; none where it is a table of impacts.
        initial: its known initial state, or ``None``.
        detected: the first guess of its motion, or ``None`` where no measurement gives one.
        scene: with the starting values of the material constants.
        axes: indices of the measured axes of positions; ``()`` for a nuisance that is shared.

    Example:
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> nothing = cal.nuisances.UnfittedTrial((), None, None, scene, ())
        >>> cal.nuisances.Gravity().start(nothing)
        array([9.81])
    """

    measured: tuple[Measurement, ...]
    initial: State | None
    detected: Detection | None
    scene: Scene
    axes: tuple[int, ...]

    def first_guess(self, owner: str) -> Detection:
        """The first guess of the motion, for a nuisance called ``owner`` that starts from it.

        Raises:
            InputError: no measurement gives one.
        """
        if self.detected is None:
            raise InputError(
                f"nuisance: {owner} starts from the bounces of a trial, and none of its "
                "measurements detects any.",
                remedy="Add a recording or bounce times, or implement Measurement.detect.",
            )
        return self.detected


class Nuisance(abc.ABC):
    """A quantity of the measurement that a fit must find beside the material constants.

    **Implementing a nuisance: inherit, define, implement.**

    1. *Inherit* from ``Nuisance``, in a frozen dataclass: a nuisance is part of compiled code, so
       it must be hashable and equal to its copy. Its fields are numbers, strings, priors and tuples
       of them, and no arrays.
    2. *Define* ``shared``: whether all trials have one value or each its own.
    3. *Implement* ``parameters`` and ``apply``. Every other method below has a default that suits
       most nuisances.

    ``calibration.testing.check_nuisance`` tells whether everything fits together.

    Attributes:
        sets_motion: whether it gives the initial state of the trials that it concerns, so that no
            measurement of positions and no known state is needed.
        same_effect_as: other nuisances whose effect on the data is the same, so that a fit cannot
            have both.

    Example:
        Spheres released by hand, each a little above or below the nominal height:

        >>> import dataclasses
        >>> @dataclasses.dataclass(frozen=True)
        ... class ReleaseHeight(cal.nuisances.Nuisance):
        ...     sd: float = 1e-3
        ...     def parameters(self, axes):
        ...         known = cal.Normal(0.0, self.sd)
        ...         return (
        ...             cal.nuisances.nuisance_parameter(
        ...                 "release_height",
        ...                 unit="m",
        ...                 label="release above the nominal height",
        ...                 symbol="d_h",
        ...                 prior=known,
        ...             ),
        ...         )
        ...     def apply(self, trial_state, values, axes):
        ...         position = trial_state.position.at[2].add(values[0])
        ...         return trial_state._replace(position=position)
        >>> [parameter.name for parameter in ReleaseHeight().parameters(())]
        ['release_height']
    """

    sets_motion: ClassVar[bool] = False
    same_effect_as: ClassVar[tuple[type["Nuisance"], ...]] = ()

    @property
    def shared(self) -> bool:
        """Whether all trials have one value; by default each has its own. A class attribute or a
        field will do, too.
        """
        return False

    @abc.abstractmethod
    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """What is to be found.

        Args:
            axes: indices of the measured axes of the trial; ``()`` where ``shared``.

        Returns:
            the parameters, the same at every call; made by ``nuisance_parameter``.
        """

    @abc.abstractmethod
    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """The trial with values of the parameters.

        Args:
            trial_state: the trial as it is before: scene, initial state, camera, clocks.
            values: of the parameters (n,), in their units.
            axes: indices of the measured axes of the trial.

        Returns:
            the trial changed, a differentiable function of ``values``
            (``trial_state._replace(...)``). What only an own measurement knows goes into
            ``trial_state.with_quantity(name, value)``, and its observation reads it with
            ``trial_state.quantity(name)``.
        """

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """Where the search begins. By default the middle of each parameter's coordinate: 0, or 1
        for a factor (``transform="log"``).

        Args:
            trial: what is known of it; where ``shared``, of the first trial of the problem.

        Returns:
            values (n,), in the units of the parameters.
        """
        parameters = self.parameters(trial.axes)
        return np.asarray([float(parameter.value(0.0)) for parameter in parameters])

    def concerns(self, trial: MeasuredTrial) -> bool:
        """Whether a trial has this quantity; by default every trial. Without effect where
        ``shared``.
        """
        return True

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Refuse a problem that has no use for this quantity; by default none.

        Args:
            trials: all trials of the problem that have a motion.

        Raises:
            InputError: with what is missing, and the remedy.
        """
        return
