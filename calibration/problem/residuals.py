"""The structure of a fit (hashable, part of compiled code), and its residuals and their block
Jacobian.

Problems of the same layout and sizes share one compilation. Parameters are *shared* by all trials
or belong to one *trial*; the Jacobian has dense columns for the first, and blocks for the second.
"""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from calibration.model.free import SceneParameter, Tied
from calibration.model.knowledge import KnownParameters, inform
from calibration.model.parameter import Parameter, evaluate_priors, to_values
from calibration.nuisances import Nuisance
from calibration.problem.rows import count_rows

AtNuisances: TypeAlias = tuple[tuple[Nuisance, Any], ...]
"""Nuisance quantities of all trials, each with its values."""

Result = TypeVar("Result")


class Batch(Protocol):
    """Trials of one kind: ``TrialBatch``, ``TableBatch``; data have a leading axis of trials, and
    ``samples``.
    """

    @property
    def simulates(self) -> bool: ...
    @property
    def trial_parameters(self) -> tuple[Parameter, ...]: ...
    def known(self, scene: jc.Scene, data: Any) -> jc.Scene: ...
    def expected_and_status(
        self, scene: jc.Scene, shared: AtNuisances, local: jax.Array, data: Any
    ) -> tuple[tuple[jax.Array, ...], jax.Array]: ...
    def residual_and_status(
        self, scene: jc.Scene, shared: AtNuisances, local: jax.Array, data: Any
    ) -> tuple[jax.Array, jax.Array]: ...
    def status(
        self, scene: jc.Scene, shared: AtNuisances, local: jax.Array, data: Any
    ) -> jax.Array: ...
    def until(self, data: Any, ends: jax.Array) -> Any: ...


class Block(NamedTuple):
    """Residuals of the trials of one kind (R, N), with derivatives by shared (R, N, S) and by each
    trial's own coordinates (R, N, L).

    Attributes:
        residual, by_shared, by_local: of them.
        status: how the simulation of each trial ended (R,), a code of ``jaxcontact.Status`` as a
            floating-point number, as it passes through derivatives; ``None`` where the block was
            not simulated.
    """

    residual: Any
    by_shared: Any
    by_local: Any
    status: Any = None


def priors(parameters: tuple[Parameter, ...]) -> int:
    """Number of the parameters of which something is known beforehand."""
    return sum(parameter.prior is not None for parameter in parameters)


@dataclasses.dataclass(frozen=True)
class Layout:
    """Structure of a fit.

    Attributes:
        scene_unknowns: parameters of the scene, one for each of ``free``.
        free: parameters of the scene, which are to be found.
        tied: parameters that follow others.
        shared: nuisance quantities of all trials together.
        kinds: batches of trials.
        knowledge: of parameters beside what they bring, by name.
    """

    scene_parameters: tuple[Parameter, ...]
    free: tuple[SceneParameter, ...]
    tied: tuple[Tied, ...]
    shared: tuple[Nuisance, ...]
    batches: tuple[Any, ...]
    knowledge: KnownParameters = ()

    @property
    def global_parameters(self) -> tuple[Parameter, ...]:
        """Parameters of all trials together, material constants first."""
        nuisances = (one for nuisance in self.shared for one in nuisance.parameters(()))
        return inform((*self.scene_parameters, *nuisances), self.knowledge)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the shared parameters."""
        return tuple(parameter.name for parameter in self.global_parameters)

    @property
    def priors(self) -> int:
        """Number of shared parameters of which something is known beforehand."""
        return priors(self.global_parameters)

    def blocks_like(self, data: tuple[Any, ...]) -> tuple["Block", ...]:
        """Shapes and types of what ``jacobians`` returns."""
        sizes = []
        for batch, own in zip(self.batches, data, strict=True):
            trials = np.shape(own.samples[0].weight)[0]
            count = count_rows(own.samples) + priors(batch.trial_parameters)
            sizes.append((trials, count, len(batch.trial_parameters)))
        if self.priors:
            sizes.append((1, self.priors, 0))
        shared = len(self.global_parameters)
        shapes = [
            ((trials, count), (trials, count, shared), (trials, count, own), (trials,))
            for trials, count, own in sizes
        ]
        return tuple(
            Block(*(jax.ShapeDtypeStruct(shape, jnp.float64) for shape in of_block))
            for of_block in shapes
        )

    def at(
        self, scene: jc.Scene, shared: jax.Array
    ) -> tuple[jc.Scene, tuple[tuple[Nuisance, jax.Array], ...]]:
        """The scene at coordinates ``shared`` (S,), and the values of each shared nuisance
        quantity.
        """
        values = to_values(self.global_parameters, shared)
        for parameter, value in zip(self.free, values, strict=False):
            scene = parameter.apply(scene, value)
        for tie in self.tied:
            scene = tie.apply(scene)
        rest, found = values[len(self.free) :], []
        for nuisance in self.shared:
            count = len(nuisance.parameters(()))
            found.append((nuisance, jnp.asarray(rest[:count])))
            rest = rest[count:]
        return scene, tuple(found)

    def at_trial(
        self, batch: int, scene: jc.Scene, shared: jax.Array, data: object
    ) -> tuple[jc.Scene, tuple[tuple[Nuisance, jax.Array], ...]]:
        """``at`` for one trial of a kind."""
        # What is known of a trial comes first: a modulus, say, gives balls of different radius
        # different stiffnesses.
        return self.at(self.batches[batch].known(scene, data), shared)

    def residual(
        self, batch: int, scene: jc.Scene, shared: jax.Array, local: jax.Array, data: object
    ) -> jax.Array:
        """Weighted residuals of one trial of a kind."""
        return self.residual_and_status(batch, scene, shared, local, data)[0]

    def residual_and_status(
        self, batch: int, scene: jc.Scene, shared: jax.Array, local: jax.Array, data: object
    ) -> tuple[jax.Array, jax.Array]:
        """Weighted residuals of one trial of a kind, and how the simulation behind them ended."""
        at_trial = self.at_trial(batch, scene, shared, data)
        return self.batches[batch].residual_and_status(*at_trial, local, data)

    def expected(
        self, batch: int, scene: jc.Scene, shared: jax.Array, local: jax.Array, data: object
    ) -> tuple[jax.Array, ...]:
        """What each observation of one trial of a kind would measure, without noise."""
        return self.expected_and_status(batch, scene, shared, local, data)[0]

    def expected_and_status(
        self, batch: int, scene: jc.Scene, shared: jax.Array, local: jax.Array, data: object
    ) -> tuple[tuple[jax.Array, ...], jax.Array]:
        """``expected``, and how the simulation behind it ended."""
        at_trial = self.at_trial(batch, scene, shared, data)
        return self.batches[batch].expected_and_status(*at_trial, local, data)

    def status(
        self, batch: int, scene: jc.Scene, shared: jax.Array, local: jax.Array, data: object
    ) -> jax.Array:
        """How the simulation of one trial of a kind ended, up to what was measured of it."""
        return self.batches[batch].status(*self.at_trial(batch, scene, shared, data), local, data)

    def until(self, data: tuple[Any, ...], ends: tuple[jax.Array, ...]) -> tuple[Any, ...]:
        """The data up to the times ``ends`` of the trials of each kind."""
        return tuple(
            batch.until(own, end) for batch, own, end in zip(self.batches, data, ends, strict=True)
        )


def over_trials(function: Callable[..., Result], *columns: object, scene: jc.Scene) -> Result:
    """``vmap`` of ``function`` over the leading axis; for a single trial the plain call, which can
    skip what is not needed.

    Tosses of the clumps of a ``scene`` go one after the other: each has its own touches, and in
    lanes all would wait for those of each (twice the time).
    """
    if jax.tree.leaves(columns)[0].shape[0] > 1:
        if isinstance(scene.bodies, jc.Clumps):
            found: Result = jax.lax.map(lambda trial: function(*trial), columns)
            return found
        return jax.vmap(function)(*columns)
    only = jax.tree.map(lambda column: column[0], columns)
    return jax.tree.map(lambda value: value[None], function(*only))


@partial(jax.jit, static_argnames="layout")
def residuals(
    layout: Layout,
    scene: jc.Scene,
    shared: jax.Array,
    local: tuple[jax.Array, ...],
    data: tuple[Any, ...],
) -> tuple[jax.Array, ...]:
    """Weighted residuals of each kind (R, N), at last what is known beforehand of the shared
    parameters (1, P) if anything is.
    """
    found = [
        over_trials(
            lambda own, one, batch=batch: layout.residual(batch, scene, shared, own, one),
            local[batch],
            data[batch],
            scene=scene,
        )
        for batch in range(len(layout.batches))
    ]
    return (
        (*found, evaluate_priors(layout.global_parameters, shared)[None])
        if layout.priors
        else tuple(found)
    )


@partial(jax.jit, static_argnames="layout")
def jacobians(
    layout: Layout,
    scene: jc.Scene,
    shared: jax.Array,
    local: tuple[jax.Array, ...],
    data: tuple[Any, ...],
) -> tuple[Block, ...]:
    """Residuals as ``residuals`` with their derivatives, in forward mode."""

    def block(batch: int) -> Block:
        def one(own: jax.Array, data: Any) -> Block:
            def both(shared: jax.Array, own: jax.Array) -> tuple[jax.Array, Any]:
                residual, status = layout.residual_and_status(batch, scene, shared, own, data)
                return residual, (residual, status.astype(residual.dtype))

            (by_shared, by_local), (residual, status) = jax.jacfwd(
                both, argnums=(0, 1), has_aux=True
            )(shared, own)
            return Block(residual, by_shared, by_local, status)

        return over_trials(one, local[batch], data[batch], scene=scene)

    blocks = [block(batch) for batch in range(len(layout.batches))]
    if layout.priors:

        def known(shared: jax.Array) -> jax.Array:
            return evaluate_priors(layout.global_parameters, shared)

        blocks.append(
            Block(
                known(shared)[None],
                jax.jacfwd(known)(shared)[None],
                jnp.zeros((1, layout.priors, 0)),
                jnp.zeros(1),
            )
        )
    return tuple(blocks)
