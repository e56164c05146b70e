"""A function of many inputs, computed in chunks: bounded memory, a checkpoint after each chunk, and
progress with the time left.
"""

import dataclasses
import os
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import jax
import numpy as np

import jaxcontact as jc
from calibration.errors import InputError
from calibration.runtime.checkpoint import Checkpoint, Journal, open_journal
from calibration.runtime.cluster import pieces_in_order
from calibration.runtime.progress import Progress, ensure_progress
from jaxcontact.simulation.core.trajectory import warn_of_failures

if TYPE_CHECKING:
    import distributed

Inputs = TypeVar("Inputs")
Outputs = TypeVar("Outputs")


def run_sweep(
    function: Callable[[Inputs], Outputs],
    lanes: Inputs,
    *,
    chunk: int,
    checkpoint: Checkpoint | str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    client: "distributed.Client | None" = None,
) -> Outputs:
    """Compute ``function(lanes)`` in chunks of equal size and join the results.

    The function is compiled once. It sees ``chunk`` inputs at a time (the last of them is repeated
    where they do not fill the last chunk), so memory is that of one chunk, and what is finished
    survives a kill.

    Args:
        function: of a batch: every array it takes and returns has a first axis of inputs, which do
            not depend on each other; ``jax.vmap(simulate_one)``, or ``lambda inputs:
            jaxcontact.sweep(make, inputs, times).position``.
        lanes: any pytree of arrays (n, ...) whose first axis counts the inputs.
        chunk: inputs at a time, at least 1.
        checkpoint: folder for finished chunks, or a ``Checkpoint`` with its interval.
        progress: called after each chunk.
        client: of Dask distributed; its workers compute the chunks, with the same numbers.

    Returns:
        What ``function(lanes)`` returns, with NumPy arrays (n, ...) as leaves. In a trajectory,
            ``succeeded`` says of each simulation whether it did; a function that returns no
            trajectory should return its ``status``, too.

    Warns:
        SimulationWarning: simulations in the trajectories that are returned did not succeed.

    Raises:
        InputError: a chunk below 1, arrays of different length, a checkpoint of other inputs.

    Example:
        Heights from which a ball falls for 0.1, 0.2 ... 0.5 s, two at a time:

        >>> fall = jax.vmap(lambda time: 9.81 / 2 * time**2)
        >>> cal.run_sweep(fall, np.arange(1, 6) / 10, chunk=2).round(3).tolist()
        [0.049, 0.196, 0.441, 0.785, 1.226]
    """
    if not (isinstance(chunk, int) and chunk >= 1):
        raise InputError(f"run_sweep: chunk = {chunk!r} is not a whole number from 1 on")
    lanes = jax.tree.map(np.asarray, lanes)
    counts = {leaf.shape[:1] for leaf in jax.tree.leaves(lanes)}
    if len(counts) != 1 or () in counts or (0,) in counts:
        raise InputError(
            f"run_sweep: the first axes of lanes have the lengths {sorted(counts)}",
            remedy="Give arrays of one length, at least 1.",
        )
    ((count,),) = counts
    chunk = min(chunk, count)
    inputs = {"the function": function, "the lanes": lanes}
    with open_journal(checkpoint, work="sweep", inputs=inputs, options={"chunk": chunk}) as journal:
        joined = compute_in_chunks(
            _Compiled(function),
            lambda numbers: jax.tree.map(lambda leaf: leaf[numbers], lanes),
            count=count,
            chunk=chunk,
            journal=journal,
            like=jax.eval_shape(function, jax.tree.map(lambda leaf: leaf[:chunk], lanes)),
            about=f"Sweeping {count} inputs",
            progress=progress,
            client=client,
        )
    for one in jax.tree.leaves(joined, is_leaf=lambda leaf: isinstance(leaf, jc.Trajectory)):
        if isinstance(one, jc.Trajectory):
            warn_of_failures(one.status, caller="run_sweep", stacklevel=3)
    return joined


def compute_in_chunks(
    compute: Callable[[Any], Outputs],
    piece_of: Callable[[np.ndarray], Any],
    *,
    count: int,
    chunk: int,
    journal: Journal,
    like: Any,
    about: str,
    progress: Progress | None,
    client: "distributed.Client | None",
) -> Outputs:
    """What ``compute`` returns of ``count`` inputs, so many of them at a time.

    Args:
        compute: of a piece; every array that it returns has a first axis of the inputs.
        piece_of: the piece with the inputs of these numbers (chunk,); the last input is repeated
            where there are not enough for the last piece.
        count: of the inputs.
        chunk: inputs in a piece.
        journal: that has, and keeps, what is computed.
        like: a pytree of the structure that ``compute`` returns.
        about: what is said of the work.
        progress: told of each piece.
        client: of the cluster that computes, ``None`` for this process.
    """
    numbers = [
        np.minimum(np.arange(first, first + chunk), count - 1) for first in range(0, count, chunk)
    ]
    say = ensure_progress(progress)
    say(about, total=len(numbers))
    lacking = (piece_of(own) for i, own in enumerate(numbers) if f"{i}" not in journal.pieces)
    computed = pieces_in_order(compute, lacking, client=client, progress=say)
    parts = []
    for i in range(len(numbers)):
        parts.append(journal.remember(f"{i}", partial(next, computed), like=like))
        say.advance(i + 1)
    return jax.tree.map(lambda *columns: np.concatenate(columns)[:count], *parts)


@dataclasses.dataclass(frozen=True)
class _Compiled:
    """A function, compiled where it is called first."""

    function: Callable[[Any], Any]

    def __call__(self, batch: Any) -> Any:
        return self.compiled(batch)

    @cached_property
    def compiled(self) -> Callable[[Any], Any]:
        return jax.jit(self.function)
