"""``sweep``: a scene simulated for each variant of a design, in chunks, into a store."""

import dataclasses
import math
import os
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

import jaxcontact as jc
from calibration.errors import InputError
from calibration.runtime.cluster import pieces_in_order
from calibration.runtime.fingerprint import fingerprint
from calibration.runtime.identity import identify
from calibration.runtime.progress import Progress, ensure_progress
from calibration.sweeps.design import Design, in_order
from calibration.sweeps.factors import Factor
from calibration.sweeps.grid import DESIGN, FACTORS, RESPONSES_KEPT
from calibration.sweeps.responses import RESPONSES, Response, swept_motions
from calibration.sweeps.store import (
    STATUS,
    Column,
    Store,
    open_store,
    response_column,
    variable_column,
)
from calibration.sweeps.variables import Start, Variable, chosen
from jaxcontact.simulation.core.status import describe_failures, succeeded
from jaxcontact.simulation.simulate import check_simulation
from jaxcontact.sweep import usual_lanes

if TYPE_CHECKING:
    import distributed
    import xarray

USUAL = ("impacts", "impact_speed", "rebound_speed", "restitution", "final_velocity")
"""Responses that are kept where none are named."""


def sweep(
    scene: jc.Scene,
    state: jc.State,
    factors: Sequence[Factor],
    *,
    store: str | os.PathLike[str],
    duration: float,
    design: Design | None = None,
    responses: Sequence[str | Response] = USUAL,
    impacts: int = 1,
    method: jc.EventAligned | jc.Impulse | None = None,
    chunk: int | None = None,
    lanes: int | None = None,
    progress: Progress | None = None,
    client: "distributed.Client | None" = None,
) -> "xarray.Dataset":
    """Simulate a scene for every variant of a design, and keep the responses in a store.

    The store is a folder in the format of zarr, which ``xarray.open_zarr`` opens: each factor and
    each response is an array over the variants, beside ``status``, the code of
    ``jaxcontact.Status`` with which each simulation ended. The responses of a variant that did not
    succeed, and impacts that did not happen, are missing there (a fill value, which xarray reads as
    such; no number is NaN), so a mean is over what is known; ``status`` tells how much that is.

    A sweep that was interrupted goes on where it was when the same call is made again. Memory is
    that of one chunk. Neither its size nor the order of the factors changes a number: a variant is
    simulated as ``simulate`` would do it, whatever its neighbours need.

    Args:
        scene: bodies, surfaces, laws, with the values of all that is not varied.
        state: at the start, likewise.
        factors: what is varied, ``Range`` or ``Levels``; `variables` lists the names.
        store: folder; made where there is none.
        duration: how long each variant is simulated [s].
        design: which combinations; by default a grid of the levels.
        responses: what to keep, by the names of ``RESPONSES``, or your own.
        impacts: how many first impacts have an entry in the responses of impacts.
        method: ``jaxcontact.EventAligned()`` (default) or ``jaxcontact.Impulse()``.
        chunk: variants between two writes; by default eight groups.
        lanes: variants that are simulated together, a group, as in ``jaxcontact.sweep``.
        progress: called after each chunk.
        client: of Dask distributed; its workers simulate the chunks, with the same numbers.

    Returns:
        The store, opened.

    Raises:
        InputError: a name or a range that is not allowed, a scene that cannot be simulated by the
            method, a folder that holds something else or another sweep; xarray and zarr are not
            installed.

    Warns:
        jaxcontact.SimulationWarning: some variants did not succeed; how many, and why.

    Example:
        >>> import tempfile
        >>> contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8))
        >>> scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.0027), contact=contact)
        >>> swept = cal.sweeps.sweep(
        ...     scene,
        ...     jc.state(position=(0.0, 0.0, 0.3)),
        ...     [cal.sweeps.Range("contact.normal.restitution", 0.5, 0.9)],
        ...     design=cal.sweeps.Design("sobol", number=16),
        ...     duration=0.4,
        ...     method=jc.Impulse(max_contacts=6),
        ...     store=tempfile.mkdtemp() + "/drops.zarr",
        ... )
        >>> print(dict(swept.sizes))
        {'variant': 16, 'impact': 1, 'axis': 3}
        >>> restitution = swept["contact.normal.restitution"]
        >>> bool((abs(swept.restitution.sel(impact=1) - restitution) < 1e-12).all())
        True
    """
    lanes = usual_lanes() if lanes is None else lanes
    chunk = 8 * lanes if chunk is None else chunk
    _check_numbers(duration=duration, impacts=impacts, lanes=lanes, chunk=chunk)
    ordered = in_order(factors)
    kept = _named(responses, ordered)
    design = Design() if design is None else design
    start, varied = Start(scene, state), chosen(ordered, scene, state)
    table = design.table(ordered)
    method = jc.EventAligned() if method is None else method
    times = np.array([0.0, duration])
    ends = np.array([factor.grid()[[0, -1]] for factor in ordered]).T
    lowest, highest = (_variant(start, varied, row) for row in ends)
    _check_scenes((lowest, highest), times, method)
    identity = identify(
        {"the scene": _variant(start, varied, np.ones(len(varied))), "the table": table}
        | {f"the response {one.name}": one for one in kept},
        {
            "factors": [factor.name for factor in ordered],
            "design": design.kind,
            "number": design.number,
            "seed": design.seed,
            "duration": duration,
            "impacts": impacts,
            "method": method,
        },
    )
    about = {
        DESIGN: design.kind,
        FACTORS: [factor.name for factor in ordered],
        RESPONSES_KEPT: [one.name for one in kept],
    }
    opened = Store(Path(store), identity=identity, variants=len(table), about=about)
    make = _VariantOf(fingerprint(lowest, varied), start, tuple(varied))
    failed, done = int(np.sum(~succeeded(opened.status()[: opened.done()]))), opened.done()
    say = ensure_progress(progress)
    there = f", {done} of them are there" if done else ""
    say(f"Sweeping {len(table)} variants{there}", total=len(table))
    simulate = partial(
        _simulate,
        make=make,
        times=times,
        kept=kept,
        impacts=impacts,
        method=method,
        lanes=min(lanes, len(table)),
    )
    firsts = range(done, len(table), chunk)
    computed = pieces_in_order(
        simulate,
        (table[first : first + chunk] for first in firsts),
        client=client,
        progress=progress,
    )
    for first, (columns, status) in zip(firsts, computed, strict=True):
        rows = table[first : first + chunk]
        for factor, variable, values in zip(ordered, varied, rows.T, strict=True):
            columns[variable.name] = variable_column(variable, values, scale=factor.scale)
        opened.write(first, columns, status)
        failed += int(np.sum(~succeeded(status)))
        say.advance(first + len(rows), f"{failed} failed" if failed else "")
    said = describe_failures(opened.status())
    if said:
        said = f"sweep: {said} Their responses are missing in the store; status says which."
        warnings.warn(said, jc.SimulationWarning, stacklevel=2)
    return open_store(Path(store))


@dataclasses.dataclass(frozen=True)
class _VariantOf:
    """Scene and initial state with the values of a variant; equal, and compiled once, where all
    that is not varied is.
    """

    identity: str
    start: Start = dataclasses.field(compare=False)
    varied: tuple[Variable, ...] = dataclasses.field(compare=False)

    def __call__(self, row: Any) -> tuple[jc.Scene, jc.State]:
        return _variant(self.start, self.varied, row)


@dataclasses.dataclass(frozen=True)
class _FirstImpacts:
    """A motion with so many of its first impacts in order of time, and how many there were."""

    impacts: int

    def __call__(self, motion: jc.Trajectory) -> tuple[jc.Trajectory, jax.Array]:
        contacts = motion.contacts
        assert contacts is not None  # the methods of sweeps record them
        order = jnp.argsort(~contacts.happened)[: self.impacts]  # a stable sort
        first = jax.tree.map(lambda column: column[order], contacts)
        return motion._replace(contacts=first), jnp.sum(contacts.happened)


def _variant(start: Start, varied: Sequence[Variable], row: Any) -> Start:
    for variable, value in zip(varied, row, strict=True):
        start = variable.put(start, value)
    return start


def _simulate(
    rows: NDArray[np.float64],
    *,
    make: _VariantOf,
    times: NDArray[np.float64],
    kept: Sequence[Response],
    impacts: int,
    method: jc.EventAligned | jc.Impulse,
    lanes: int,
) -> tuple[dict[str, Column], NDArray[Any]]:
    """The responses of some variants, and how they ended."""
    lacking = max(lanes - len(rows), 0)  # groups of one size share one program
    filled = np.pad(rows, [(0, lacking), (0, 0)], mode="edge")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", jc.SimulationWarning)  # said once, at the end
        kept_motions = jc.sweep(
            make, filled, times, method=method, keep=_FirstImpacts(impacts), lanes=lanes
        )
    found, count = jax.tree.map(lambda leaf: np.asarray(leaf)[: len(rows)], kept_motions)
    motions, status = swept_motions(found, count, impacts=impacts), found.status
    columns = {}
    with np.errstate(all="ignore"):  # what is not finite is not known
        for response in kept:
            values = np.asarray(response.of(motions), dtype=float)
            bodies = found.position.ndim == 4
            columns[response.name] = response_column(response, values, status, bodies=bodies)
    return columns, status


def _named(responses: Sequence[str | Response], factors: Sequence[Factor]) -> list[Response]:
    """The responses.

    Raises:
        InputError: none, a name that there is not, or one that comes twice.
    """
    kept = [RESPONSES[one] if isinstance(one, str) else one for one in responses]
    names = [STATUS, *(one.name for one in kept), *(factor.name for factor in factors)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if not kept or twice:
        raise InputError(
            f"sweep: {twice[0]!r} is named twice" if twice else "sweep: no response is named",
            remedy=f"Name each response once; there are {', '.join(RESPONSES.names)}.",
        )
    return kept


def _check_numbers(*, duration: float, **counts: int) -> None:
    if not (math.isfinite(duration) and duration > 0):
        raise InputError(
            f"sweep: duration = {duration!r} s", remedy="Give a positive number of seconds."
        )
    for name, count in counts.items():
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise InputError(f"sweep: {name} = {count!r}", remedy="Give a whole number from 1 on.")


def _check_scenes(
    ends: Sequence[Start],
    times: NDArray[np.float64],
    method: jc.EventAligned | jc.Impulse,
) -> None:
    """Both ends of a design can be simulated.

    Raises:
        InputError: what ``simulate`` says.
    """
    for end in ends:
        try:
            check_simulation(end.scene, end.state, times, method)
        except (TypeError, ValueError) as error:
            raise InputError(f"sweep: {error}") from None
