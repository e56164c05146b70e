"""Pieces of a computation on the workers of a cluster, by Dask distributed.

A piece is a function of NumPy arrays whose numbers do not depend on where it runs. Pieces are given
out a few ahead and taken back in their order, so whoever keeps them writes each of them once, and
memory is that of the few. What was with a worker that dies is given to another one.
"""

import contextlib
import hashlib
import importlib.util
import itertools
import json
import logging
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from calibration.errors import InputError
from calibration.runtime.compilation_cache import enable_compilation_cache
from calibration.runtime.progress import Progress, ensure_progress
from calibration.runtime.sources import noted_sources
from calibration.runtime.versions import installed_versions

if TYPE_CHECKING:
    from distributed import Client, Future

AHEAD = 2
"""Pieces that are given out for each thread of the workers."""

PATIENCE = "30 s"
"""How long a scheduler may take to answer."""

GLANCE = 5.0
"""How often it is looked whether there are workers while nothing comes [s]."""

LOCAL = "local"


def pieces_in_order(
    compute: Callable[[Any], Any],
    pieces: Iterable[Any],
    *,
    client: "Client | None" = None,
    progress: Progress | None = None,
) -> Iterator[Any]:
    """``compute(piece)`` of each piece in their order, with NumPy arrays as leaves.

    Args:
        compute: what is done; it must be possible to pickle it.
        pieces: pytrees of NumPy arrays.
        client: of the cluster that computes, ``None`` for this process.
        progress: told when there is no worker.

    Raises:
        InputError: workers have other versions of what decides on the numbers, or die of a piece;
            the scheduler is gone.
    """
    if client is None:
        for piece in pieces:
            yield _in_numpy(compute(piece))
        return
    import cloudpickle
    from distributed import KilledWorker

    double = bool(jax.config.jax_enable_x64)  # type: ignore[attr-defined]  # options are added at run time
    task = cloudpickle.dumps(compute)
    name = hashlib.sha256(task).hexdigest()
    # A task of its own: each worker is sent the bytes once, also in the place of one that died.
    sent = client.submit(bytes, task, key=f"task-{name}")
    versions, sources = installed_versions(), noted_sources()

    def give_out(piece: Any) -> "Future":
        contents = hashlib.sha256(cloudpickle.dumps((piece, double, versions, sources))).hexdigest()
        return client.submit(
            compute_piece, sent, piece, double, versions, sources, key=f"piece-{name}-{contents}"
        )

    coming, waiting, say = iter(pieces), deque[Any](), ensure_progress(progress)
    try:
        while True:
            wanted = max(AHEAD * _threads(client), 1)  # workers come and go
            room = max(wanted - len(waiting), 0)
            waiting.extend(map(give_out, itertools.islice(coming, room)))
            if not waiting:
                return
            result = _result(waiting[0], client, say)
            waiting.popleft().release()
            yield result
    except KilledWorker as error:
        raise InputError(
            f"cluster: {error.allowed_failures + 1} workers died of one piece",
            remedy="Probably their memory is too small: give smaller pieces (chunk, lanes).",
        ) from error
    finally:
        if client.status == "running":  # one that has lost its scheduler cannot cancel
            for future in waiting:
                future.cancel()


def _result(future: "Future", client: "Client", say: Progress) -> Any:
    """What a piece became, however long it takes.

    Raises:
        InputError: the scheduler is gone.
    """
    from distributed.client import FutureCancelledError

    while True:
        try:
            return future.result(timeout=GLANCE)
        except TimeoutError:
            if future.done():  # it is an error of the piece
                raise
        except FutureCancelledError as error:
            raise _lost() from error
        if not _threads(client):
            address = client.scheduler_info()["address"]
            say.remark(f"no worker is there; dask worker {address} starts one")


def _threads(client: "Client") -> int:
    """How many pieces the workers compute at a time."""
    try:
        return int(sum(client.nthreads().values()))
    except OSError as error:
        raise _lost() from error


def _lost() -> InputError:
    return InputError(
        "cluster: the connection to the scheduler is lost",
        remedy="What was computed is kept: the same command goes on, with a cluster or without.",
    )


def compute_piece(
    task: bytes,
    piece: Any,
    double: bool,
    versions: Mapping[str, str | None],
    sources: Mapping[str, str],
) -> Any:
    """One piece on a worker, with the precision of who asked.

    Args:
        task: what is done, pickled.
        piece: of what.
        double: whether in double precision.
        versions: of what decides on the numbers, where it was asked.
        sources: fingerprints of the modules that a study names there.

    Raises:
        InputError: this worker has other versions, or has imported other modules before.
    """
    here = installed_versions()
    if here != versions:
        other = ", ".join(
            f"{name} {here.get(name, 'none')}, not {version}"
            for name, version in versions.items()
            if here.get(name) != version
        )
        raise InputError(
            f"cluster: a worker has {other}",
            remedy="Install the same versions on all workers (constraints.txt names them).",
        )
    own = noted_sources()
    stale = [name for name, source in sources.items() if own.get(name, source) != source]
    if stale:
        raise InputError(
            f"cluster: a worker has imported another {stale[0]!r}, or this before it was changed",
            remedy="Start the workers anew.",
        )
    enable_compilation_cache()
    with jax.enable_x64(double):
        return _in_numpy(_unpickled(task, double)(piece))


def _in_numpy(result: Any) -> Any:
    """The same with NumPy arrays in place of those of JAX."""
    return jax.tree.map(
        lambda leaf: np.asarray(leaf) if isinstance(leaf, jax.Array) else leaf, result
    )


@lru_cache(maxsize=4)
def _unpickled(task: bytes, double: bool) -> Callable[[Any], Any]:
    """What is done, the same object for all its pieces, so that it is compiled once. Arrays keep
    the digits that they were sent with only where the precision is set before they are unpickled.
    """
    import cloudpickle

    return cloudpickle.loads(task)


@contextlib.contextmanager
def connect(
    cluster: str | None, *, prepare: Callable[[], Any] | None = None
) -> Iterator["Client | None"]:
    """A client of a cluster.

    Args:
        cluster: ``"local"`` starts a worker for each core of this machine, ``"local:4"`` four of
            them; else the address of a scheduler, ``"tcp://host:8786"``, or the file that it
            writes; ``None`` for none.
        prepare: called on each worker, also on those that come later, before it computes.

    Raises:
        InputError: no number of workers, no file, nobody answers, Dask is not installed.
    """
    if cluster is None:
        yield None
        return
    if importlib.util.find_spec("distributed") is None:
        raise InputError(
            "cluster: Dask distributed is not installed",
            remedy="Install it with: pip install 'jaxcontact[cluster]'",
        )
    from distributed import Client, LocalCluster, WorkerPlugin

    kind, _, number = cluster.partition(":")
    is_local = kind == LOCAL

    class Preparation(WorkerPlugin):
        def setup(self, worker: Any) -> None:
            if is_local:  # Ctrl-C reaches all processes of a terminal; this one stops the workers
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            if prepare is not None:
                prepare()

    # Whatever it says of a lost connection is said in the error.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    with contextlib.ExitStack() as opened:
        if is_local:
            workers = _count(number) if number else os.cpu_count()
            # One thread each: the code of a piece uses the cores by itself.
            address: Any = opened.enter_context(
                LocalCluster(
                    n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0"
                )
            )
        elif Path(cluster).suffix == ".json":
            address = _scheduler_in(Path(cluster))
        else:
            address = cluster
        try:
            client = opened.enter_context(Client(address, timeout=PATIENCE))
        except (OSError, ValueError) as error:
            raise InputError(
                f"cluster: no scheduler answers at {cluster!r}",
                remedy="Start one with dask scheduler, and give the address that it prints.",
            ) from error
        if is_local or prepare is not None:
            client.register_plugin(Preparation())
        yield client


def _count(number: str) -> int:
    if not number.isdigit() or int(number) < 1:
        raise InputError(
            f"cluster: {number!r} is no number of workers", remedy="Write local:4, or local."
        )
    return int(number)


def _scheduler_in(place: Path) -> str:
    """The address in the file of a scheduler."""
    try:
        return str(json.loads(place.read_text(encoding="utf-8"))["address"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            "cluster: this is no file of a scheduler",
            remedy="Give the one that dask scheduler wrote, as its option scheduler-file says.",
            path=place,
        ) from error
