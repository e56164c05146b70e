"""Fit a problem: solve, estimate, diagnose, report."""

import dataclasses
import re
import time
from collections.abc import Callable, Mapping, Sequence

import jax
import numpy as np

import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting.assessment import Assessment
from calibration.fitting.diagnosis import diagnose
from calibration.fitting.estimates import correlate, estimate_shared, withdraw_doubted
from calibration.fitting.follow import find_minimum
from calibration.fitting.impacts.branches import estimate_over_branches
from calibration.fitting.outlying import find_outlying
from calibration.fitting.policy import DEFAULT_POLICY, FitPolicy
from calibration.fitting.predictions import PredictionsAtMinimum
from calibration.fitting.probes import saturating, withdraw_flat
from calibration.fitting.shown.sources import sources_of
from calibration.fitting.solve import check_method, settle_noise
from calibration.optimise.least_squares import Method
from calibration.optimise.resumable import checkpoint_minima
from calibration.problem.problem import Problem
from calibration.problem.statuses import find_batch_statuses
from calibration.problem.trial_batch import TrialBatch
from calibration.results import sentences
from calibration.results.estimate import Estimate
from calibration.results.numbers import listed
from calibration.results.result import Fit
from calibration.results.simulated_trial import SimulatedTrial
from calibration.runtime.checkpoint import Checkpoint
from jaxcontact.laws import PairContact
from jaxcontact.simulation.core.status import succeeded


def fit(
    problem: Problem,
    *,
    method: Method = "levenberg_marquardt",
    steps: int | None = None,
    start: Mapping[str, float] | Fit | None = None,
    probe: Sequence[str] | None = None,
    policy: FitPolicy = DEFAULT_POLICY,
    progress: Callable[[int, float], None] | None = None,
    checkpoint: Checkpoint | str | None = None,
) -> Fit:
    """Find the parameters of a problem, with standard errors.

    Works in float64 whatever the caller's JAX configuration is, and leaves that configuration
    alone. Minimises ``chi2 = sum ((predicted - measured)/sigma)^2``, with the residuals made white
    and under the loss of their noise model, plus what is known of the parameters beforehand.

    Where simulations at the minimum do not succeed, the fit is made again with a larger budget of
    contacts, or with the engine for several bodies. Where that does not help, the fit says so:
    ``Fit.simulations``, its first warning, and ``Determination.NOT_SIMULATED`` of every parameter.

    Args:
        problem: what to fit.
        method: ``"levenberg_marquardt"`` or ``"dogleg"`` (Optimistix, exact forward-mode Jacobian),
            ``"adam"``, ``"adamw"``, ``"lion"``, ``"sgd"`` or ``"lbfgs"`` (Optax), or any other
            optimiser of Optax, ``optax.chain(...)``. Their coordinates are one unit from the
            minimum, as far as the Gauss-Newton matrix tells: learning rates of 0.01 to 0.3 arrive.
        steps: at most so many iterations of each search, in each of its stages: recordings are
            fitted from their beginning on (default 300, for optimisers of Optax 3000).
        start: values of shared parameters to start from, by name and in SI units, instead of those
            of the scene; or the result of another problem, whose parameters are taken over by name
            (a rigid fit first, then a compliant one).
        probe: names of shared parameters whose value times four is tried, too: where it explains
            the data as well, the parameter is reported as not determined, whatever its local
            standard error is. By default the free coefficients of friction and rolling, which do
            nothing more where contacts stick.
        policy: thresholds by which the minimum is judged.
        progress: called with the iteration and chi-squared while the fit runs. Code with a callback
            is compiled anew in each process.
        checkpoint: folder for pieces of the fit, from which it goes on after a kill
            (``calibration.optimise.resumable``).

    Returns:
        Values, standard errors, correlations, goodness of fit and warnings.

    Raises:
        InputError: an unknown method; names in ``start`` or frozen names that are not free; a
            checkpoint of another fit.

    Example:
        >>> speed, e = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.81, 0.79, 0.80, 0.80])
        >>> table = cal.ImpactTable(
        ...     name="drops",
        ...     impact_angle=np.zeros(4),
        ...     impact_speed=speed,
        ...     normal_restitution=e,
        ...     sigma={"normal_restitution": np.full(4, 0.01)},
        ... )
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03),
        ...     contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.7)),
        ... )
        >>> found = cal.fit(cal.Problem(scene, [table], free=["contact.normal.restitution"]))
        >>> estimate = found.parameters["contact.normal.restitution"]
        >>> print(f"{estimate.value:.3f} +- {estimate.sd:.3f}")
        0.800 +- 0.005
    """
    check_method(method)
    began = time.perf_counter()
    inputs = {
        "the problem": (
            problem.layout,
            problem.scene,
            problem.data,
            problem.frozen,
            problem.errors,
        ),
        "the method": method,
        "the start": start.parameters if isinstance(start, Fit) else start,
        "the policy": policy,
    }
    with jax.enable_x64(True):
        with checkpoint_minima(checkpoint, inputs=inputs, options={"steps": steps}):
            problem, assessment = find_minimum(
                problem, method=method, steps=steps, start=start, progress=progress, policy=policy
            )
            check_predictions(problem, assessment)
            problem, assessment = settle_noise(problem, assessment, method=method, steps=steps)
        estimates = estimate_shared(assessment)
        probed = saturating(problem.layout) if probe is None else probe
        estimates = withdraw_flat(
            assessment, estimates, [one for one in probed if one in estimates]
        )
        estimates, notes = estimate_over_branches(assessment, estimates)
        found = report(
            problem, assessment, estimates, method=method, seconds=time.perf_counter() - began
        )
        return dataclasses.replace(found, warnings=(*found.warnings, *notes))


def name_of(method: Method) -> str:
    """The optimiser as a report names it."""
    return method if isinstance(method, str) else "optax"


def report(
    problem: Problem,
    assessment: Assessment,
    estimates: dict[str, Estimate],
    *,
    method: Method,
    seconds: float,
) -> Fit:
    """Diagnose, and put together the result as a person gets it.

    Args:
        problem: with the weights that were used in the end.
        assessment: of its minimum.
        estimates: of the shared parameters, by name.
        method: optimiser.
        seconds: of wall time that the fit took.
    """
    # One bad trial may be why the others are not explained: it is named all the same.
    outlying = find_outlying(problem, assessment, estimates) if assessment.simulated else ()
    estimates = withdraw_doubted(assessment, estimates)
    names, correlation = correlate(assessment, estimates)
    simulations = simulated_trials(problem, assessment)
    return Fit(
        parameters=estimates,
        names=names,
        correlation=correlation,
        chi2=assessment.chi2,
        dof=assessment.dof,
        explained_up_to=assessment.largest_misfit * assessment.expected_loss,
        error_scale_factor=assessment.error_scale_factor,
        converged=bool(assessment.minimum.converged),
        iterations=int(assessment.minimum.iterations),
        seconds=seconds,
        method=name_of(method),
        model=describe(problem),
        sources=sources_of(problem.scene),
        warnings=(
            *sentences.simulations(simulations),
            *(odd.sentence for odd in outlying[:1]),
            *diagnose(assessment, estimates),
        ),
        predictions=PredictionsAtMinimum(problem, assessment, outlying),
        simulations=simulations,
        outlying=outlying,
        problem=problem,
        assessment=assessment,
    )


def simulated_trials(problem: Problem, assessment: Assessment) -> tuple[SimulatedTrial, ...]:
    """How the simulation of each trial ended, in the order of the trials."""
    ended = {
        member: SimulatedTrial(problem.trials[member].name, jc.Status(int(code)))
        for members, codes in zip(problem.members, assessment.statuses, strict=True)
        for member, code in zip(members, codes, strict=True)
    }
    return tuple(ended[member] for member in sorted(ended))


def check_predictions(problem: Problem, assessment: Assessment) -> None:
    """Check that what the measurements show of a motion is finite where its simulation succeeded.

    Raises:
        InputError: which trials it is not.
    """
    layout, minimum = assessment.layout, assessment.minimum
    for batch, members in enumerate(problem.members):
        finite = np.all(np.isfinite(assessment.blocks[batch].residual), axis=1)
        if np.all(finite):
            continue
        codes = find_batch_statuses(
            layout,
            batch,
            assessment.scene,
            minimum.shared,
            minimum.local[batch],
            assessment.data[batch],
        )
        names = [
            problem.trials[member].name
            for member, known, code in zip(members, finite, codes, strict=True)
            if succeeded(int(code)) and not known
        ]
        if names:
            raise InputError(
                f"What is predicted of {listed(names)} is not finite, although the "
                "simulation succeeded.",
                remedy="calibration.testing.check_measurement and check_nuisance find the hook "
                "that is to blame.",
            )


def describe(problem: Problem, *, restitution: str = "") -> str:
    """One line on the physics: the laws, and what was left open beside them.

    Args:
        problem: what was fitted.
        restitution: what holds of the law along the normal, in words, where that is less than the
            law allows.
    """
    scene = problem.scene
    methods = dict.fromkeys(
        type(batch.method).__name__
        for batch in problem.layout.batches
        if isinstance(batch, TrialBatch)
    )
    contact = scene.contact
    laws = {"": contact} if isinstance(contact, PairContact) else vars(contact)
    parts = [
        restitution if restitution and part == "normal" else type(law).__name__
        for part, law in laws.items()
        if law
    ]
    parts += [type(item).__name__ for item in (scene.drag, scene.lift) if item is not None]
    nuisances = (
        *problem.layout.shared,
        *(own for batch in problem.layout.batches for own in batch.own),
    )
    opened = dict.fromkeys(in_words(type(item).__name__) for item in nuisances)
    beside = f"; left open beside them: {', '.join(opened)}" if opened else ""
    return f"{' and '.join(methods)} method, {', '.join(parts)}{beside}"


def in_words(name: str) -> str:
    """``length scale`` of ``LengthScale``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
