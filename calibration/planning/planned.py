"""Candidate experiments as trials of a problem: the information that each would bring, before
anything is measured.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

import jaxcontact as jc
from calibration.detection.impacts import DetectedImpacts
from calibration.errors import InputError
from calibration.fitting.follow import follow_all
from calibration.instruments import PlannedMotion
from calibration.io.impact_table import ImpactTable
from calibration.nuisances import FirstImpact, InitialState, PerTrial, SurfaceHeight
from calibration.nuisances.base import Nuisance
from calibration.optimise.normal_equations import SharedInformation, eliminate
from calibration.planning.candidate import Candidate
from calibration.problem.problem import Problem
from calibration.problem.residuals import Batch, Block, jacobians
from calibration.problem.statuses import Statuses, judge_statuses
from calibration.problem.trial import Trial
from calibration.problem.trial_batch import TrialBatch
from calibration.uncertainty.linearisation import WorkingPoint
from jaxcontact.simulation.core.status import succeeded

SPARE_CONTACTS = 4
"""Impacts beyond the planned ones for which simulations leave room, and the step in which that room
grows.
"""


@dataclasses.dataclass(frozen=True)
class PlannedGroup:
    """Candidates that share one problem.

    Attributes:
        places: of the candidates in the list.
        problem: with one trial for each.
        local: coordinates of the trials' own parameters, kinds of (R, L).
    """

    places: tuple[int, ...]
    problem: Problem
    local: tuple[np.ndarray, ...]


class PlannedTrials:
    """Candidates at a working point.

    Args:
        point: what they add to.
        candidates: to be planned.

    Attributes:
        silent: places of candidates that would measure nothing.
    """

    def __init__(self, point: WorkingPoint, candidates: Sequence[Candidate]) -> None:
        self.point, self.candidates = point, tuple(candidates)
        self.scene = point.layout.at(point.scene, jnp.asarray(point.start.shared))[0]
        methods = [select_method(point, candidate) for candidate in self.candidates]
        motions = [
            plan_motion(self.scene, *pair) for pair in zip(self.candidates, methods, strict=True)
        ]
        self.motions = motions
        trials = [self._trial(*pair) for pair in zip(self.candidates, motions, strict=True)]
        self.silent = tuple(i for i, trial in enumerate(trials) if trial is None)
        most = max((motion.touch_down.size for motion in motions if motion is not None), default=0)
        room = SPARE_CONTACTS * (most // SPARE_CONTACTS + 1)
        self.groups = tuple(
            self._groups(
                trials, [dataclasses.replace(method, max_contacts=room) for method in methods]
            )
        )

    def _trial(
        self, candidate: Candidate, motion: PlannedMotion | None
    ) -> Trial | ImpactTable | None:
        """The candidate as a trial, or ``None`` where its instruments would measure nothing.

        Where nothing shows positions, the state is not known, unless the candidate says which
        parameters there are.
        """
        if motion is None:
            return candidate.table
        planned = [instrument.plan_measurement(motion) for instrument in candidate.watching]
        measured = [measurement for measurement in planned if measurement is not None]
        if not measured:
            return None
        trial = Trial(*measured, name=candidate.name)
        only_impacts = not trial.axes and isinstance(trial.detect(self.scene), DetectedImpacts)
        finds_impact = candidate.nuisance is None or any(
            isinstance(nuisance, FirstImpact) for nuisance in candidate.nuisance
        )
        if only_impacts and finds_impact:
            return trial
        return Trial(*measured, initial=motion.start, time=0.0, name=candidate.name)

    def _groups(
        self, trials: list[Trial | ImpactTable | None], methods: list[Any]
    ) -> Iterator[PlannedGroup]:
        """Candidates with the same nuisances and the same method, as trials of one problem."""
        together: dict[Any, dict[int, Trial | ImpactTable]] = {}
        for i, (candidate, trial) in enumerate(zip(self.candidates, trials, strict=True)):
            if trial is not None:
                nuisances = select_nuisances(self.point, candidate, trial)
                together.setdefault((nuisances, methods[i]), {})[i] = trial
        for (nuisances, method), chosen in together.items():
            places = tuple(chosen)
            problem = plan_problem(self.point, list(chosen.values()), nuisances, method)
            local = tuple(np.array(part) for part in problem.start[1])
            for batch, members, part in zip(
                problem.layout.batches, problem.members, local, strict=True
            ):
                for r, member in enumerate(members):
                    known = self.known_values(places[member])
                    part[r] = plan_coordinates(batch, part[r], known)
            yield PlannedGroup(places, problem, local)

    def known_values(self, place: int, start: jc.State | None = None) -> dict[str, Any]:
        """Values of the parameters of a candidate's trial that its motion gives, by name.

        Args:
            place: of the candidate in the list.
            start: another (traced) state at the start.
        """
        state = self.candidates[place].start(self.scene) if start is None else start
        known: dict[str, Any] = {}
        for i, axis in enumerate("xyz"):
            known[f"position_{axis}"] = state.position[i] / self.scale
            known[f"velocity_{axis}"] = state.velocity[i] / self.scale
            known[f"spin_{axis}"] = state.spin[i]
        motion = self.motions[place]
        if motion is not None and motion.touch_down.size:
            known["impact_time"] = motion.touch_down[0]
            known["impact_speed"] = motion.impact_speed[0]
        return known

    @property
    def scale(self) -> float:
        """True over recorded length at the working point."""
        names = self.point.layout.names
        if "length_scale" not in names:
            return 1.0
        index = names.index("length_scale")
        return float(
            self.point.layout.global_parameters[index].value(self.point.start.shared[index])
        )

    def information(self, shared: ArrayLike) -> list[SharedInformation | jc.Status]:
        """What one repeat of each candidate would say of the free shared coordinates, at
        coordinates ``shared`` (S,); how its simulation ended where that did not succeed.
        """
        size = self.point.free.size
        nothing = SharedInformation(np.zeros((size, size)), np.zeros(size))
        expected: list[SharedInformation | jc.Status] = [nothing] * len(self.candidates)
        for group in self.groups:
            blocks, statuses = self._blocks(group, jnp.asarray(shared))
            # The last block, if any, is what is known beforehand; it is known already.
            for block, members, codes in zip(blocks, group.problem.members, statuses, strict=False):
                by_shared = np.asarray(block.by_shared)[:, :, self.point.free]
                by_own = eliminate(
                    block._replace(by_shared=by_shared, by_local=np.asarray(block.by_local))
                )
                for r, member in enumerate(members):
                    status = jc.Status(int(codes[r]))
                    expected[group.places[member]] = (
                        SharedInformation(
                            by_own.projected[r].T @ by_own.projected[r],
                            np.sum(by_shared[r] ** 2, axis=0),
                        )
                        if succeeded(status)
                        else status
                    )
        return expected

    def _blocks(self, group: PlannedGroup, shared: jax.Array) -> tuple[tuple[Block, ...], Statuses]:
        """Residuals and derivatives of the trials of a group, with a budget of contacts that
        suffices here, and how the simulations ended.
        """
        scene, data, layout = self.point.scene, group.problem.data, group.problem.layout
        blocks = jacobians(layout, scene, shared, group.local, data)
        statuses = judge_statuses(layout, scene, shared, group.local, data, blocks)
        followed, helps = follow_all(layout, scene, shared, group.local, data, statuses)
        if not helps or followed is layout:
            return blocks, statuses
        blocks = jacobians(followed, scene, shared, group.local, data)
        return blocks, judge_statuses(followed, scene, shared, group.local, data, blocks)


def select_method(point: WorkingPoint, candidate: Candidate) -> jc.EventAligned | jc.Impulse:
    """The method of the problem; where that has rigid impacts and an instrument measures contacts,
    one that follows them.
    """
    rigid = jc.Impulse(rest_steps=1, skip_unused=False)
    method = next(
        (batch.method for batch in point.layout.batches if isinstance(batch, TrialBatch)), rigid
    )
    follows_contacts = any(instrument.needs_force for instrument in candidate.watching)
    if isinstance(method, jc.Impulse) and follows_contacts:
        return jc.EventAligned(rest_steps=1, skip_unused=False)
    return method


def plan_motion(
    scene: jc.Scene, candidate: Candidate, method: jc.EventAligned | jc.Impulse
) -> PlannedMotion | None:
    """The motion that a candidate would show; ``None`` for a table of impacts.

    Raises:
        InputError: the motion cannot be simulated.
    """
    if candidate.table is not None:
        return None
    start, times = candidate.start(scene), jnp.array([0.0, candidate.duration])
    ample = dataclasses.replace(method, max_contacts=None)
    try:
        contacts = jc.simulate(scene, start, times, method=ample).contacts
    except jc.SimulationError as error:
        said = str(error).rstrip(".")
        raise InputError(f"{candidate.name} cannot be planned. {said}") from None
    assert contacts is not None
    happened = np.asarray(contacts.happened) & (
        np.asarray(contacts.touch_down) <= candidate.duration
    )
    columns = (
        contacts.touch_down,
        contacts.lift_off,
        contacts.impact_speed,
        contacts.rebound_speed,
    )
    return PlannedMotion(
        scene, start, candidate.duration, *(np.asarray(column)[happened] for column in columns)
    )


def select_nuisances(
    point: WorkingPoint, candidate: Candidate, trial: Trial | ImpactTable
) -> tuple[Nuisance, ...]:
    """The nuisances of each repeat: those of the candidate, else of the problem, else the state and
    the height of the surface.
    """
    if isinstance(trial, ImpactTable):
        return ()
    batches = [batch for batch in point.layout.batches if isinstance(batch, TrialBatch)]
    nuisances: tuple[Nuisance, ...]
    if candidate.nuisance is not None:
        nuisances = tuple(candidate.nuisance)
    else:
        nuisances = (InitialState(), SurfaceHeight())
        if batches:
            of_problem = [nuisance for batch in batches for nuisance in batch.own]
            nuisances = tuple(
                dict.fromkeys(
                    nuisance for nuisance in of_problem if not isinstance(nuisance, PerTrial)
                )
            )
        starts_at_impact = any(isinstance(nuisance, FirstImpact) for nuisance in nuisances)
        if trial.initial is None and not starts_at_impact:
            nuisances = (*nuisances, FirstImpact())
    return tuple(nuisance for nuisance in nuisances if nuisance.concerns(trial))


def plan_problem(
    point: WorkingPoint,
    trials: Sequence[Trial | ImpactTable],
    nuisances: tuple[Nuisance, ...],
    method: jc.EventAligned | jc.Impulse | None,
) -> Problem:
    """The trials with the free parameters and shared parameters of the working point."""
    layout = point.layout
    nuisances_of_problem = [nuisance for batch in layout.batches for nuisance in batch.own]
    each = dict.fromkeys(
        nuisance.free for nuisance in nuisances_of_problem if isinstance(nuisance, PerTrial)
    )
    problem = Problem(
        point.scene,
        trials,
        free=[*layout.free, *layout.tied, *each],
        nuisance=nuisances,
        method=method,
    )
    batches = tuple(
        dataclasses.replace(batch, knowledge=layout.knowledge)
        if isinstance(batch, TrialBatch)
        else batch
        for batch in problem.layout.batches
    )
    # Shared quantities stay unknown also where none of these trials shows them.
    return problem.with_layout(
        dataclasses.replace(
            problem.layout, shared=layout.shared, batches=batches, knowledge=layout.knowledge
        )
    )


def plan_coordinates(
    batch: Batch, guess: jax.Array | np.ndarray, named: Mapping[str, Any]
) -> jax.Array | np.ndarray:
    """Coordinates (L,) of a trial's own parameters, those that are ``named`` as planned (possibly
    traced).
    """
    parameters = batch.trial_parameters
    if not parameters:
        return guess
    return jnp.stack(
        [
            jnp.asarray(
                parameter.coordinate(named[parameter.name]) if parameter.name in named else guess[i]
            )
            for i, parameter in enumerate(parameters)
        ]
    )
