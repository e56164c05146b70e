"""What is fitted: a scene with free parameters, trials with their measurements, and the nuisance
quantities of the measurement.

A problem is split into a *layout* (names, nuisances, method: hashable, part of compiled code) and
*arrays* (samples, weights, scene), so that problems of the same layout and size share one
compilation. Trials of one kind are padded to one length and simulated in one ``vmap``.
"""

import copy
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

import jaxcontact as jc
from calibration.errors import InputError
from calibration.io.impact_table import ImpactTable
from calibration.measurements.base import Abscissa, Detection, Measurement
from calibration.measurements.rules import check_attributes, check_samples
from calibration.model.free import Derived, Free, Tied, split_free
from calibration.model.knowledge import KnownParameters, as_knowledge, fixed_names, set_starts
from calibration.model.parameter import Parameter, to_coordinates
from calibration.model.samples import MeasuredSamples, pad_samples
from calibration.model.trial_state import Initial
from calibration.noise.models import Errors, check_noise
from calibration.nuisances import Nuisance, PerTrial
from calibration.nuisances.base import UnfittedTrial
from calibration.nuisances.checks import ask_start, check_nuisances
from calibration.problem.bodies import check_bodies
from calibration.problem.noise_assignment import (
    assign_errors,
    list_noise_classes,
    with_found_noise,
    with_noise,
)
from calibration.problem.residuals import Layout
from calibration.problem.simulation_method import check_method, default_method
from calibration.problem.table_batch import TableBatch
from calibration.problem.trial import Trial
from calibration.problem.trial_batch import TrialBatch, TrialData
from jaxcontact.parameters import declared_parameters, nearest

AXES = "xyz"


@dataclasses.dataclass(frozen=True, eq=False)
class Problem:
    """A fit to be made: a value that nothing changes once it is built.

    Args:
        scene: with starting values of the free parameters, and the true values of all others.
        trials: ``Trial(...)`` each, or data that are the only measurement of a trial
            (``Recording``, ``BounceTimes``, ``ImpactTable`` ...).
        free: what is to be found of the scene: paths such as ``"contact.normal.restitution"``,
            ``Free``, ``Tied`` or ``Derived``.
        nuisance: quantities of the measurement to be found, e.g. ``[InitialState(),
            SurfaceHeight(), LengthScale()]``.
        noise: model of the errors of all measurements, or a table of models by class of
            measurement, e.g. ``{Recording: StudentT(4)}`` (``calibration.noise.models``); default
            ``Automatic()``.
        method: of simulation; by default ``jaxcontact.Impulse``, or ``EventAligned`` where a force
            or a contact duration was measured, with a budget of contacts from the trials.
        frozen: names of parameters, shared ones or those of the trials, that stay at their start;
            what their first step would be is known after the fit
            (``calibration.fitting.release``).
        known: what is known of parameters, shared ones or those of the trials, by their names:
            ``Knowledge``, or a prior alone. What is fixed there is frozen.

    Attributes:
        layout: structure, part of compiled code.
        data: arrays of each batch of trials.
        members: positions in ``trials`` of the trials of each batch.
        errors: what is assumed of the errors of each observation of each batch.
        detections: first guess of the motion of each trial.

    Raises:
        InputError: nothing to find, a recording without a bounce, a path that does not exist, a
            frozen name that is not free, nuisances that exclude each other.

    Example:
        >>> table = cal.ImpactTable(
        ...     name="drops",
        ...     impact_angle=np.zeros(3),
        ...     impact_speed=np.array([1.0, 2.0, 3.0]),
        ...     normal_restitution=np.array([0.81, 0.79, 0.80]),
        ...     sigma={"normal_restitution": np.full(3, 0.01)},
        ... )
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03),
        ...     contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.7)),
        ... )
        >>> problem = cal.Problem(scene, [table], free=["contact.normal.restitution"])
        >>> problem
        <Problem: 1 trial, 3 numbers; free: contact.normal.restitution>
        >>> problem.replace(noise=cal.noise.Estimated()).observations
        3
    """

    scene: jc.Scene
    trials: Sequence[Any]
    _: dataclasses.KW_ONLY
    free: Sequence[str | Free | Tied | Derived]
    nuisance: Sequence[Nuisance] = ()
    noise: Any = None
    method: Any = None
    frozen: Sequence[str] = ()
    known: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    layout: Layout = dataclasses.field(init=False, repr=False)
    data: tuple[Any, ...] = dataclasses.field(init=False, repr=False)
    members: tuple[tuple[int, ...], ...] = dataclasses.field(init=False, repr=False)
    errors: tuple[tuple[Errors, ...], ...] = dataclasses.field(init=False, repr=False)
    detections: tuple[Any, ...] = dataclasses.field(init=False, repr=False)

    def __post_init__(self) -> None:
        lists = {"trials": self.trials, "free": self.free}
        lists |= {"nuisance": self.nuisance, "frozen": self.frozen}
        for argument, given in lists.items():
            _check_is_sequence(argument, given)
        scene, nuisance, method = self.scene, tuple(self.nuisance), self.method
        knowledge = as_knowledge(self.known)
        if not self.trials:
            raise InputError("There is nothing to fit.", remedy="Give at least one recording.")
        shared, each, tied = split_free(self.free)
        if not (shared or each or nuisance):
            raise InputError(
                "There is nothing to find: nothing is free and there are no nuisances.",
                remedy="Name what is to be found, for example free=['contact.normal.restitution'].",
            )
        for tie in tied:
            tie.check(scene)
        trials: tuple[Any, ...] = tuple(
            item if isinstance(item, (Trial, ImpactTable)) else Trial(item) for item in self.trials
        )
        moving = [trial for trial in trials if isinstance(trial, Trial)]
        for trial in moving:
            for measurement in trial.measured:
                check_attributes(measurement)
        check_bodies(scene, trials)
        check_method(scene, moving, method)
        detections: tuple[Any, ...] = tuple(
            None if isinstance(trial, ImpactTable) else trial.detect(scene) for trial in trials
        )
        samples = [
            [samples_of(item, detected) for item in trial.measured]
            if isinstance(trial, Trial)
            else []
            for trial, detected in zip(trials, detections, strict=True)
        ]
        self._set(
            trials=trials,
            detections=detections,
            free=tuple(self.free),
            nuisance=nuisance,
            frozen=tuple(dict.fromkeys((*self.frozen, *fixed_names(knowledge)))),
            known=dict(knowledge),
        )
        asked = [item.name if isinstance(item, Derived) else item.path for item in (*shared, *each)]
        check_nuisances(nuisance, moving, free=[*asked, *(tie.path for tie in tied)])
        if method is None:
            of_moving = [
                detected
                for trial, detected in zip(trials, detections, strict=True)
                if isinstance(trial, Trial)
            ]
            method = default_method(scene, moving, of_moving)
        own = tuple(item for item in nuisance if not item.shared) + tuple(
            PerTrial(item, item.parameter(scene)) for item in each
        )
        check_noise(self.noise, list_noise_classes(trials))
        batches: dict[Any, list[int]] = {}
        for position, trial in enumerate(trials):
            batches.setdefault(
                (self._batch(trial, own, method, knowledge), assign_errors(trial, self.noise)), []
            ).append(position)
        layout = Layout(
            scene_parameters=tuple(item.parameter(scene) for item in shared),
            free=shared,
            tied=tied,
            shared=tuple(item for item in nuisance if item.shared),
            batches=tuple(batch for batch, _ in batches),
            knowledge=knowledge,
        )
        own_names = (item.name for batch in batches for item in batch[0].trial_parameters)
        there = [*layout.names, *dict.fromkeys(own_names)]
        for argument, names in (("known", self.known), ("frozen", self.frozen)):
            for name in names:
                if name not in there:
                    raise InputError(f"{argument}: {name!r} is not free.{nearest(name, there)}")
        members = tuple(map(tuple, batches.values()))
        errors: tuple[tuple[Errors, ...], ...] = tuple(
            with_found_noise(about, [detections[m] for m in of_batch])
            for (_, about), of_batch in zip(batches, members, strict=True)
        )
        self._set(layout=layout, members=members, errors=errors)
        self._set(
            data=tuple(
                with_noise(self._data(of_batch, samples), about)
                for of_batch, about in zip(members, errors, strict=True)
            )
        )

    def _set(self, **fields: Any) -> None:
        """Set fields while the problem is built or copied; nothing else may."""
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """How many trials and numbers there are, and what is free."""
        trials = f"{len(self.trials)} trial{'' if len(self.trials) == 1 else 's'}"
        free = ", ".join(self.layout.names) or "nothing shared"
        return f"<Problem: {trials}, {self.observations} numbers; free: {free}>"

    def replace(self, **changes: Any) -> "Problem":
        """The problem built anew with other arguments.

        Args:
            **changes: new values of arguments of ``Problem``, by name. Weights that an earlier fit
                found are not kept: data and structure follow from the arguments.

        Raises:
            InputError: a name is not that of an argument.
        """
        arguments = [field.name for field in dataclasses.fields(self) if field.init]
        for name in changes:
            if name not in arguments:
                raise InputError(
                    f"Problem.replace: {name!r} is no argument.{nearest(name, arguments)}",
                    remedy=f"Arguments are {', '.join(arguments)}; all else follows from them.",
                )
        return dataclasses.replace(self, **changes)

    def with_data(self, data: tuple[Any, ...]) -> "Problem":
        """The same structure with other arrays: other weights, or numbers drawn anew.

        Args:
            data: of each batch of trials, of the shapes of ``self.data``.
        """
        return self._copy(data=data)

    def with_layout(self, layout: Layout) -> "Problem":
        """The same arrays with another structure, which has the same batches of trials.

        Args:
            layout: the structure.
        """
        return self._copy(layout=layout)

    def _copy(self, **fields: Any) -> "Problem":
        other = copy.copy(self)
        other._set(**fields)
        return other

    @staticmethod
    def _batch(
        trial: Any, own: tuple[Nuisance, ...], method: Any, knowledge: KnownParameters
    ) -> Any:
        """The kind of a trial: what those have in common that are simulated together."""
        if isinstance(trial, ImpactTable):
            return TableBatch.of(trial)
        observations = tuple(measurement.observation() for measurement in trial.measured)
        axes = tuple(AXES.index(name) for name in trial.axes)
        fitting = tuple(item for item in own if item.concerns(trial))
        by_impact = tuple(item.abscissa is Abscissa.IMPACT for item in trial.measured)
        return TrialBatch(
            observations, fitting, tuple(trial.values), axes, method, by_impact, knowledge
        )

    def _data(self, members: tuple[int, ...], samples: Sequence[Sequence[MeasuredSamples]]) -> Any:
        """Arrays of the trials of one kind."""
        first = self.trials[members[0]]
        if isinstance(first, ImpactTable):
            return TableBatch.of(first).data([self.trials[m] for m in members])
        known = {name for name, _, _ in declared_parameters(self.scene)}
        sought = {
            item.path
            for item in (*self.layout.free, *self.layout.tied)
            if not isinstance(item, Derived)
        }
        sought |= {
            item.free.path
            for batch in self.layout.batches
            for item in batch.own
            if isinstance(item, PerTrial)
        }
        for path in first.values:
            if path not in known:
                raise InputError(
                    f"values: {path!r} is not a parameter of the "
                    f"scene.{nearest(path, sorted(known))}",
                    path=first.path,
                )
            if path in sought:
                raise InputError(
                    f"values: {path!r} is known for this trial, but is also free or tied.",
                    path=first.path,
                )
        parts = [samples[m] for m in members]
        starts = [
            self.trials[m].known_state(find_first_time(self.trials[m].measured, own))
            for m, own in zip(members, parts, strict=True)
        ]
        return TrialData(
            samples=tuple(
                pad_samples([own[i] for own in parts]) for i in range(len(first.measured))
            ),
            initial=Initial(*(np.stack(column) for column in zip(*starts, strict=True))),
            values=np.asarray(
                [list(self.trials[m].values.values()) for m in members], dtype=float
            ).reshape(len(members), -1),
        )

    @property
    def start(self) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
        """Coordinates of the first guess, shared (S,) and of the trials of each kind (R, L)."""
        layout, scene = self.layout, self.scene
        free = [item.initial_value(scene) for item in layout.free]

        def guess(
            parameters: Sequence[Parameter],
            first: Sequence[float],
            nuisances: tuple[Nuisance, ...],
            trial: int,
            axes: tuple[int, ...],
        ) -> np.ndarray:
            before = self._before_fit(trial, axes)
            values = [*first, *(value for item in nuisances for value in ask_start(item, before))]
            return to_coordinates(parameters, set_starts(parameters, values, layout.knowledge))

        shared = guess(layout.global_parameters, free, layout.shared, 0, ())
        local = tuple(
            np.stack([guess(batch.trial_parameters, (), batch.own, m, batch.axes) for m in members])
            for batch, members in zip(layout.batches, self.members, strict=True)
        )
        return shared, local

    def _before_fit(self, place: int, axes: tuple[int, ...]) -> UnfittedTrial:
        """What is known of the trial at a place before the fit."""
        trial, detected = self.trials[place], self.detections[place]
        if isinstance(trial, ImpactTable):
            return UnfittedTrial((), None, None, self.scene, axes)
        return UnfittedTrial(trial.measured, trial.initial, detected, self.scene, axes)

    @property
    def stages(self) -> tuple[np.ndarray, ...]:
        """Ends of the samples to be fitted first, of the trials of each kind (stages, R). They are
        two bounces, four bounces, and all, of several bodies a quarter, half, and all.
        """
        ends = [
            [
                _after_share(trial, count / 8)
                if isinstance(trial, Trial) and not trial.alone
                else _after_bounce(detected, count)
                for trial, detected in zip(self.trials, self.detections, strict=True)
            ]
            for count in (2, 4)
        ]
        everything = [np.inf] * len(self.detections)
        # All stages or none: recordings with fewer bounces then share compiled code with others.
        early = ends if np.any(np.isfinite(ends)) else []
        rows = np.asarray([*early, everything])
        return tuple(rows[:, list(members)] for members in self.members)

    @property
    def of_one_ball(self) -> bool:
        """Whether every trial is of one body that meets surfaces, by the laws of a
        ``ContactModel``: what planned experiments are made of.
        """
        moving = [trial for trial in self.trials if isinstance(trial, Trial)]
        by_laws = isinstance(self.scene.contact, jc.ContactModel)
        return by_laws and all(trial.alone for trial in moving)

    @property
    def observations(self) -> int:
        """Number of measured numbers that are used."""
        return sum(
            int(np.count_nonzero(samples.weight)) for data in self.data for samples in data.samples
        )


def _check_is_sequence(argument: str, given: object) -> None:
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        return
    raise InputError(
        f"Problem: {argument} = {given!r} is not a list.",
        remedy=f"Write it in brackets: {argument}=[{given!r}].",
    )


def _after_share(trial: Trial, share: float) -> float:
    """The time at which this share of the samples of a trial is over."""
    times = np.concatenate([item.samples().times for item in trial.measured])
    return float(np.quantile(times, share))


def _after_bounce(detected: Any, count: int) -> float:
    """The middle of the flight after bounce ``count``; infinite when there is no later bounce."""
    times = [bounce.time for bounce in detected.bounces] if detected is not None else []
    return (times[count - 1] + times[count]) / 2 if len(times) > count else np.inf


def samples_of(measurement: Measurement, detected: Detection | None) -> MeasuredSamples:
    """The numbers of a measurement, with guessed standard deviations that can be believed."""
    samples = check_samples(measurement, measurement.samples(detected))
    return samples if measurement.stated else samples.at_least_finest()


def find_first_time(measured: Sequence[Measurement], parts: Sequence[MeasuredSamples]) -> float:
    """The first time of all measurements of a trial that have a clock; 0 where none has."""
    timed = [
        part.times
        for measurement, part in zip(measured, parts, strict=True)
        if measurement.clock is not None
    ]
    return min([float(times[0]) for times in timed if times.size], default=0.0)
