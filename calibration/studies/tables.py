"""Fit of an impact table: speed, angle and spin before and after, by rigid impacts with friction
and tangential restitution.
"""

import dataclasses
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import jax
import numpy as np

import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting.assessment import Assessment
from calibration.fitting.estimates import estimate_shared
from calibration.fitting.fit import report
from calibration.fitting.impacts.branches import estimate_over_branches
from calibration.fitting.impacts.order import Deviations, find_order
from calibration.fitting.impacts.scatter_sentences import OF_TYPICAL, ORDERED, describe_order
from calibration.fitting.probes import saturating, withdraw_flat
from calibration.fitting.solve import check_method, solve
from calibration.io.headers import Header
from calibration.io.impact_table import (
    ImpactTable,
    is_impact_table,
    merge_tables,
    read_impact_table,
)
from calibration.model.samples import Samples
from calibration.problem.problem import Problem
from calibration.problem.table_batch import QUANTITIES, RELATIVE_NOISE, ImpactData, sigma_of
from calibration.results.estimate import Determination, Estimate
from calibration.results.fitted_data import FittedColumn
from calibration.results.goodness import largest_misfit
from calibration.results.result import Fit
from calibration.results.sentences import capitalised, contradictions
from calibration.studies.asked.files import check_known_to_kind
from calibration.studies.asked.problem import ask, with_values
from calibration.studies.choices.friction_laws import (
    COULOMB,
    FALLING,
    FRICTION,
    FRICTION_LAWS,
    TANGENTIAL,
)
from calibration.studies.file_kind import FileKind, Say
from calibration.studies.file_report import FileReport
from calibration.studies.recording_remarks import unused_columns
from calibration.studies.scene import (
    free_of_friction,
    free_of_normal_law,
    make_ball,
    make_contact,
)
from calibration.studies.study import ReadingOptions, Study
from jaxcontact.parameters import get, put

OBLIQUE = 0.15
"""Tangential over normal speed from which an impact can tell something of friction."""

ACROSS = 0.05
"""Spin about the direction of motion, over the largest spin, from which on it is worth a sentence.
"""

ANOTHER_SPEED, MOST_CURVES = 1.2, 6
"""Speeds this many times apart have curves of their own in a figure, if these are not too many."""

RESTITUTION = "contact.normal.restitution"


class ImpactTables(FileKind):
    """Tables of impacts, fitted as rigid impacts with friction and tangential restitution."""

    name: ClassVar[str] = "a table of impacts"
    comparable: ClassVar[bool] = True

    def recognises(self, path: str, headers: Sequence[Header]) -> bool:
        """Whether there are columns before and after an impact."""
        return is_impact_table(path)

    def problem(self, study: Study, reports: Sequence[FileReport] = ()) -> Problem:
        """All impacts of all tables."""
        check_choices(study)
        table = combine_tables([read_impacts(path, study.reading) for path in study.files])
        scene, free = scene_of_tables(study, table), parameters_of(study, table)
        return impact_problem(
            with_values(study, scene, free=free), table, free=free, asked=ask(study, scene, free)
        )

    def fit(self, study: Study, *, progress: Say) -> Fit:
        """Fit all tables together, and each column by itself."""
        check_choices(study)
        table = combine_tables([read_impacts(path, study.reading) for path in study.files])
        progress(f"Fitting {len(table)} impacts")
        scene, free = scene_of_tables(study, table), parameters_of(study, table)
        return fit_impacts(
            with_values(study, scene, free=free),
            table,
            free=free,
            method=study.fit.method,
            steps=study.fit.steps,
            asked=ask(study, scene, free),
        )

    def problems(self, study: Study, laws: Sequence[str]) -> dict[str, Problem]:
        """One problem for each law of restitution; of oblique impacts with Coulomb friction also
        one whose tangential restitution falls with the slip.
        """
        found = super().problems(study, laws)
        with_friction = FRICTION in next(iter(found.values())).layout.names
        if study.model.friction_law == COULOMB and with_friction:
            model = dataclasses.replace(study.model, friction_law=FALLING)
            falling = super().problems(dataclasses.replace(study, model=model), laws)
            found |= {f"{law}, {FALLING}": problem for law, problem in falling.items()}
        return found

    def inspect(
        self,
        path: str,
        name: str,
        *,
        radius: float,
        options: ReadingOptions,
        gravity: float,
        partner_radius: float | None = None,
    ) -> FileReport:
        """The table."""
        table = read_impacts(path, options)
        remarks = (*unused_columns(table.ignored), *spin_across(table))
        return FileReport(path=path, name=name, table=table, remarks=remarks)


def spin_across(table: ImpactTable) -> Iterator[str]:
    """A sentence where spheres spun about the direction in which they moved, which turns them out
    of the plane of the impact.
    """
    seen = np.concatenate([np.abs(table.spin_before), np.abs(table.spin_after)])
    largest = float(np.nanmax(seen, initial=0.0))
    if table.across > ACROSS * largest:
        yield (
            f"spins about the direction of motion (up to {table.across:.3g} rad/s, about the other "
            f"axis up to {largest:.3g}) are left out: an impact is seen in one plane"
        )


def check_choices(study: Study) -> None:
    """Check that a study of tables of impacts asks for nothing that such a table does not know.

    Raises:
        InputError: a law with a force, a surface or nuisances are named.
    """
    model = study.model
    check_known_to_kind(study, "a table of impacts", ball=False, interval=False)
    for name, given in (
        ("normal_law", model.normal_law is not None),
        ("surface", model.surface != "plane"),
        ("nuisances", bool(model.nuisances)),
        ("scatter", model.scatter is True),
    ):
        if given:
            raise InputError(
                f"{name} has no meaning for a table of impacts, which holds rigid impacts on a "
                "plane",
                remedy=f"Leave {name} out.",
                path=study.files[0],
            )


def impact_problem(
    scene: jc.Scene,
    table: ImpactTable,
    *,
    free: tuple[str, ...],
    frozen: tuple[str, ...] = (),
    only: str | None = None,
    above: float = -1.0,
    asked: Mapping[str, Any] | None = None,
) -> Problem:
    """A fit of an impact table.

    Args:
        scene: bodies and contact; laws of rigid impacts.
        table: impacts.
        free: paths of the parameters.
        frozen: those of them that keep the value of the scene.
        only: the one measured quantity to use; all by default.
        above: impacts whose slip is less steep than this are left out, as an angle from the normal
            [deg]; without spin that is the impact angle.
        asked: further arguments of the problem: its noise, what is known of parameters.

    What is frozen or left out has a weight of zero, so that all fits of one table share compiled
    code.
    """
    problem = Problem(scene, [table], free=free, frozen=frozen, **(asked or {}))
    data = problem.data[0]
    samples = data.samples[0]
    counted = np.asarray(
        [only in (None, name) for name in problem.layout.batches[0].quantities]
    ) & (slip_angle(scene, data)[..., None] > above)
    weighted = samples._replace(weight=np.where(counted, samples.weight, 0.0))
    return problem.with_data((data._replace(samples=(weighted,)),))


def fit_impacts(
    scene: jc.Scene,
    table: ImpactTable,
    *,
    free: tuple[str, ...],
    method: str = "levenberg_marquardt",
    steps: int | None = None,
    asked: Mapping[str, Any] | None = None,
) -> Fit:
    """Fit all measured quantities together, and each by itself to show how far they agree.

    Where impacts with Coulomb friction do not explain all, those that end sticking are set aside:
    what a contact gives back of the slip depends on its tangential compliance then, which a
    constant tangential restitution describes badly. Impacts that slide throughout tell friction
    whatever the compliance is.

    Args:
        scene: laws of rigid impacts with starting values.
        table: impacts.
        free: paths of the parameters.
        method: as in ``fit``.
        steps: as in ``fit``.
        asked: further arguments of the problem: its noise, what is known of parameters.
    """
    check_method(method)
    began = time.perf_counter()
    with jax.enable_x64(True):
        problem, above = impact_problem(scene, table, free=free, asked=asked), -1.0
        assessment = solve(problem, method=method, steps=steps, start={}, progress=None)
        contradicting, notes = [], []
        if FRICTION in free and is_walton(scene):
            limit = sliding_limit(scene, estimate_shared(assessment))
            slides = slip_angle(scene, problem.data[0]) > limit
            # A guess of the noise does not excuse a misfit here: there is a better model to try.
            missed = assessment.misfit > largest_misfit(assessment.dof, stated=bool(table.sigma))
            sliding = (
                only_sliding(scene, table, free, limit, method=method, steps=steps, asked=asked)
                if missed and np.count_nonzero(slides) > len(free)
                else None
            )
            if sliding is not None:
                problem, assessment, above = sliding
                limit = sliding_limit(scene, estimate_shared(assessment))
                contradicting.append(
                    "Rigid impacts do not explain all impacts together. Those that end "
                    "sticking were set aside (tangential compliance"
                    " matters there); friction is told by those that slide throughout."
                )
            notes.append(
                f"The sliding limit is {limit:.1f} degrees from the normal{without_spin(table)}: "
                "steeper impacts end sticking, flatter ones slide throughout."
            )
        if not table.sigma:
            notes.append(
                "No noise was given; each quantity was assumed to be known to "
                f"{RELATIVE_NOISE:.0%} of its largest value."
            )
        estimates, ways = estimate_impacts(assessment)
        ordered = order_of_restitution(scene, table, estimates)
        if ordered:
            estimates[RESTITUTION] = dataclasses.replace(estimates[RESTITUTION], note=OF_TYPICAL)
        contradicting += ordered
        notes += ways
        columns = tuple(
            fitted_column(problem, table, assessment, name, above)
            for name in problem.layout.batches[0].quantities
        )
        found = report(
            problem, assessment, estimates, method=method, seconds=time.perf_counter() - began
        )
        found = dataclasses.replace(found, model=model_of(scene), columns=columns)
        apart = [capitalised(one) for one in contradictions(found)]
        return dataclasses.replace(
            found, warnings=(*apart, *found.warnings, *contradicting, *notes)
        )


def slip_angle(scene: jc.Scene, data: ImpactData) -> np.ndarray:
    """Angle [deg] whose tangent is the slip of each impact over its normal speed, (R, n)."""
    radians = np.radians(data.angle)
    slip = data.speed * np.sin(radians) - float(scene.bodies.radius) * data.spin
    return np.degrees(np.arctan2(np.abs(slip), data.speed * np.cos(radians)))


def estimate_impacts(assessment: Assessment) -> tuple[dict[str, Estimate], list[str]]:
    """Estimates with intervals over all divisions into sliding and sticking, withdrawn where a
    coefficient has no effect; and sentences on them.
    """
    estimates = estimate_shared(assessment)
    probed = [name for name in saturating(assessment.layout) if name in estimates]
    return estimate_over_branches(assessment, withdraw_flat(assessment, estimates, probed))


def order_of_restitution(
    scene: jc.Scene, table: ImpactTable, estimates: dict[str, Estimate]
) -> list[str]:
    """A sentence where the measured restitution is ordered by the speed of the impacts although
    the law has it constant.
    """
    measured = np.asarray(table.normal_restitution, dtype=float)
    speed = np.asarray(table.impact_speed, dtype=float)
    known = np.isfinite(measured) & np.isfinite(speed)
    constant = isinstance(scene.contact.normal, jc.NewtonRestitution)
    if not constant or RESTITUTION not in estimates or not np.any(known):
        return []
    down = speed * np.cos(np.radians(np.asarray(table.impact_angle, dtype=float)))
    deviations = Deviations(
        measured[known] - estimates[RESTITUTION].value,
        down[known],
        np.flatnonzero(known),
        np.zeros(np.count_nonzero(known), dtype=int),
    )
    order = find_order(deviations, chance=ORDERED)
    if order is None:
        return []
    return [describe_order(deviations, order, 1.0, law="constant", drag=True)]


def is_walton(scene: jc.Scene) -> bool:
    """Whether one angle divides sliding impacts from those that end sticking, at any speed."""
    contact = scene.contact
    return isinstance(contact.friction, jc.Coulomb) and isinstance(
        contact.normal, jc.NewtonRestitution
    )


def model_of(scene: jc.Scene) -> str:
    """What was fitted, in words."""
    if is_walton(scene):
        return "rigid impacts (Walton): NewtonRestitution, Coulomb with tangential restitution"
    contact = scene.contact
    return f"rigid impacts: {type(contact.normal).__name__}, {type(contact.friction).__name__}"


def without_spin(table: ImpactTable) -> str:
    """What a limit of the angle takes for granted, where the impacts had spin before."""
    spins = np.nan_to_num(np.asarray(table.spin_before, dtype=float))
    return " for impacts without spin" if np.any(spins) else ""


def sliding_limit(scene: jc.Scene, estimates: dict[str, Estimate]) -> float:
    """Impact angle from the normal [deg], without spin, from which an impact slides throughout: its
    tangent is ``mu (1 + e)(1 + 1/kappa)/(1 + e_t)``.

    Friction must turn the slip v_t to -e_t v_t, which changes it by (1 + e_t) v_t. Its impulse, at
    most mu (1 + e) m v_n, changes the slip by (1 + 1/kappa) times its own over m, with the inertia
    ratio kappa = I/(m r^2): 7/2 for a solid sphere.
    """

    def value(path: str) -> float:
        return estimates[path].value if path in estimates else float(get(scene, path))

    ratio = 1 + 1 / float(scene.bodies.inertia_ratio)
    possible = ratio * value(FRICTION) * (1 + value(RESTITUTION))
    return float(np.degrees(np.arctan2(possible, 1 + value(TANGENTIAL))))


def only_sliding(
    scene: jc.Scene,
    table: ImpactTable,
    free: tuple[str, ...],
    limit: float,
    *,
    method: str,
    steps: int | None,
    asked: Mapping[str, Any] | None = None,
) -> tuple[Problem, Assessment, float] | None:
    """The fit of impacts flatter than the sliding limit, and the angle above which it used them;
    ``None`` where that limit leaves too few, so that none is known to slide.
    """
    frozen = tuple(path for path in free if path == TANGENTIAL)
    for _ in range(2):
        above = limit
        problem = impact_problem(scene, table, free=free, frozen=frozen, above=above, asked=asked)
        if np.count_nonzero(slip_angle(scene, problem.data[0]) > above) <= len(free):
            return None
        assessment = solve(problem, method=method, steps=steps, start={}, progress=None)
        limit = sliding_limit(scene, estimate_shared(assessment))
    return problem, assessment, above


def fitted_column(
    problem: Problem, table: ImpactTable, assessment: Assessment, name: str, above: float
) -> FittedColumn:
    """One quantity with its prediction, and what it says by itself of the friction coefficient."""
    layout, data = problem.layout, jax.tree.map(lambda array: array[0], problem.data[0])
    kind, estimates = layout.batches[0], estimate_shared(assessment)
    k = kind.quantities.index(name)
    column = np.asarray(getattr(table, name), dtype=float)
    used = np.isfinite(column)
    counted = data.samples[0].weight[used, k] > 0
    scene, _ = layout.at(problem.scene, assessment.minimum.shared)
    predicted = np.asarray(kind.predict(scene, data))[used, k]
    grid, speed = angles_and_speeds(
        np.asarray(data.angle), np.asarray(data.speed), np.asarray(data.spin)
    )
    nothing = Samples(grid, np.zeros((grid.size, 1)), np.zeros((grid.size, 1)))
    fine = ImpactData((nothing,), speed, grid, np.zeros_like(grid))
    curve = np.asarray(kind.predict(scene, fine))[:, k]
    ends = grid < np.append(-np.inf, grid[:-1])  # where the next curve begins
    sigma = sigma_of(table, name, column)[used]
    measured = column[used]
    return FittedColumn(
        name=name,
        label=QUANTITIES[name],
        angle=data.angle[used],
        measured=measured,
        predicted=predicted,
        sigma=sigma,
        curve_angle=np.insert(grid, np.flatnonzero(ends), np.nan),
        curve=np.insert(curve, np.flatnonzero(ends), np.nan),
        alone=alone(
            problem, table, name, {path: item.value for path, item in estimates.items()}, above
        ),
        counted=counted,
        chi2=float(np.sum(counted * ((predicted - measured) / sigma) ** 2)),
    )


def angles_and_speeds(
    angle: np.ndarray, speed: np.ndarray, spin: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A fine grid of angles [deg] with the speeds [m/s] of the impacts: one after the other for
    groups of alike speeds, or of speeds that go one way with the angle. Empty where there are many
    groups, or other ones, or impacts had spin: then impacts of one angle differ, and no curve goes
    through them.
    """
    order = np.argsort(speed)
    jumps = np.flatnonzero(speed[order][1:] > ANOTHER_SPEED * speed[order][:-1]) + 1
    groups = np.split(order, jumps)
    if (
        len(groups) > MOST_CURVES
        or np.any(spin)
        or not all(_has_curve(angle[group], speed[group]) for group in groups)
    ):
        return np.zeros(0), np.zeros(0)
    grid = np.linspace(0.5, min(89.0, float(angle.max()) * 1.1), 120)
    speeds = []
    for group in groups:
        by_angle = group[np.argsort(angle[group])]
        speeds.append(np.interp(grid, angle[by_angle], speed[by_angle]))
    return np.tile(grid, len(groups)), np.concatenate(speeds)


def _has_curve(angle: np.ndarray, speed: np.ndarray) -> bool:
    """Whether impacts of one angle are alike."""
    change = np.diff(speed[np.lexsort((speed, angle))])
    one_way = np.all(change >= 0) or np.all(change <= 0)
    return bool(one_way or speed.max() <= ANOTHER_SPEED * speed.min())


def alone(
    problem: Problem, table: ImpactTable, name: str, at_minimum: dict[str, float], above: float
) -> dict[str, Estimate]:
    """What one quantity by itself says of friction and tangential restitution, the rest as in the
    joint fit.
    """
    told = [path for path in (FRICTION, TANGENTIAL) if path in at_minimum]
    scene = problem.scene
    for path, value in at_minimum.items():
        scene = put(scene, path, value)
    free = problem.layout.names
    own = impact_problem(
        scene,
        table,
        free=free,
        frozen=tuple(path for path in free if path not in told),
        only=name,
        above=above,
        asked={"noise": problem.noise, "known": problem.known},
    )
    assessment = solve(own, method="levenberg_marquardt", steps=None, start={}, progress=None)
    return {
        path: item
        for path, item in estimate_impacts(assessment)[0].items()
        if item.status is Determination.DETERMINED
    }


def combine_tables(tables: list[ImpactTable]) -> ImpactTable:
    """The only table as it is, or several merged into one."""
    return merge_tables(tables) if len(tables) > 1 else tables[0]


def scene_of_tables(study: Study, table: ImpactTable) -> jc.Scene:
    """Starting values for tables of impacts."""
    speed = np.asarray(table.impact_speed, dtype=float)
    known = speed[np.isfinite(speed)]
    contact = make_contact(
        study,
        restitution=0.9,
        speed=float(np.median(known)) if known.size else 1.0,
        friction=True,
    )
    if known.size < len(table) and not is_walton(
        jc.Scene(bodies=make_ball(study), contact=contact)
    ):
        raise InputError(
            f"{study.model.law_of_restitution} restitution with {study.model.friction_law} "
            f"friction depends on the speed, which {len(table) - known.size} of {len(table)} "
            "impacts lack",
            remedy="Give a column of impact speeds, or one for all, --speed 2.5; or take the "
            "constant restitution and coulomb friction.",
            path=study.files[0],
        )
    return jc.Scene(bodies=make_ball(study), contact=contact)


def read_impacts(path: str, options: ReadingOptions) -> ImpactTable:
    """A table of impacts."""
    options = options.of(path)
    if isinstance(options.sigma, float):
        raise InputError(
            f"sigma = {options.sigma:g} does not say which column of this table of impacts "
            "it is of",
            remedy="Name the quantity: --sigma spin_after=10, or in a study file sigma = { "
            "spin_after = 10.0 }.",
            path=path,
        )
    return read_impact_table(
        path, columns=options.columns, speed=options.speed, sigma=options.sigma
    )


def parameters_of(study: Study, table: ImpactTable) -> tuple[str, ...]:
    """What a table can tell: friction only from oblique impacts."""
    oblique = bool(
        np.any(np.tan(np.radians(np.asarray(table.impact_angle, dtype=float))) > OBLIQUE)
    )
    normal = free_of_normal_law(study)
    if not oblique:
        return normal
    friction = FRICTION_LAWS[study.model.friction_law].make(True)
    rebounds = (TANGENTIAL,) if isinstance(friction, jc.Coulomb) else ()
    return tuple(dict.fromkeys((*normal, *free_of_friction(study), *rebounds)))
