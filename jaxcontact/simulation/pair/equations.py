"""The equations of a step: what the stages of a collocation and the length of the step solve.

A state is split into positions ``q`` (6,), and ``y``: velocities, spins and the ``flow`` of the
contact, ``(12 + flow,)``. The unknowns of a step are the changes ``Z`` of ``y`` at its nodes and
its length ``h``::

    Z = h W f(q, y_0 + Z),    q = q_0 + h W v,    s(q, y at the end) = 0  or  h = given,

the last one where the step ends at a switch of the contact, whose sign is ``s``, or not.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import Motion, Partner, PlaneMotion
from jaxcontact.laws.core.pair_contact import PairContact, PairMemory
from jaxcontact.numerics.radau import moments, radau
from jaxcontact.scene.fluid import MagnusLift, QuadraticDrag

NO_EVENT = -1
"""Of a step that ends anywhere."""


class System(NamedTuple):
    """Two bodies, their contact, and the fluid around them; the inverses of mass and moment of
    inertia ``(2,)`` are 0 for what is held, and so is its acceleration ``(2, 3)`` [m/s^2] by
    gravity. The second body is a sphere, or a plane with a ``normal`` (3,).
    """

    contact: PairContact
    radius: jax.Array
    inverse_mass: jax.Array
    inverse_inertia: jax.Array
    gravity: jax.Array
    drag: QuadraticDrag | None
    lift: MagnusLift | None
    normal: jax.Array | None

    def motions(self, q: jax.Array, y: jax.Array) -> tuple[Motion, Partner]:
        """Of the two bodies."""
        sphere, partner = Motion(q[0:3], y[0:3], y[6:9]), Motion(q[3:6], y[3:6], y[9:12])
        return sphere, partner if self.normal is None else PlaneMotion(*partner, self.normal)

    def by_fluid(self, y: jax.Array) -> jax.Array:
        """Acceleration of each body by drag and lift, ``(2, 3)`` [m/s^2]."""
        velocity, spin = y[0:6].reshape(2, 3), y[6:12].reshape(2, 3)
        force = jnp.zeros_like(velocity)
        if self.drag is not None:
            force = force + self.drag.force(velocity, self.radius)
        if self.lift is not None:
            force = force + self.lift.force(velocity, spin, self.radius)
        return force * self.inverse_mass[:, None]


class Begin(NamedTuple):
    """Where a step begins, and the mode in which it goes."""

    q: jax.Array
    y: jax.Array
    mode: jax.Array
    kept: jax.Array


class Goal(NamedTuple):
    """Where a step ends: at a switch (its index), or, with ``NO_EVENT``, after ``length``."""

    event: jax.Array
    length: jax.Array


def rates(system: System, begin: Begin, q: jax.Array, y: jax.Array) -> jax.Array:
    """Accelerations, angular accelerations, and rates of the flow."""
    action = system.contact.act(PairMemory(begin.mode, begin.kept, y[12:]), *system.motions(q, y))
    forces = jnp.stack([action.on_0.force, action.on_1.force])
    torques = jnp.stack([action.on_0.torque, action.on_1.torque])
    pushed = forces * system.inverse_mass[:, None] + system.gravity + system.by_fluid(y)
    turned = torques * system.inverse_inertia[:, None]
    return jnp.concatenate([pushed.ravel(), turned.ravel(), action.flow_rate])


def signs(system: System, begin: Begin, q: jax.Array, y: jax.Array) -> jax.Array:
    """Of the switches of the contact."""
    return system.contact.signs(PairMemory(begin.mode, begin.kept, y[12:]), *system.motions(q, y))


def at_nodes(
    begin: Begin, change: jax.Array, length: jax.Array, matrix: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Positions and the rest at the nodes, ``(s, 6)`` and ``(s, n)``."""
    y = begin.y + change
    return begin.q + length * (matrix @ y[:, :6]), y


def place_within(
    system: System,
    begin: Begin,
    change: jax.Array,
    length: jax.Array,
    kind: jax.Array,
    sigma: jax.Array,
) -> jax.Array:
    """Positions (6,) within a step, at ``sigma``: the integral of the polynomial of the
    velocities.
    """
    stages, dtype = change.shape[0], change.dtype
    of_powers = jnp.asarray(moments(stages, system.contact.grading), dtype)[kind]
    of_powers = sigma ** jnp.arange(1, of_powers.shape[0] + 1) @ of_powers
    moved = (of_powers @ jnp.asarray(radau(stages).powers, dtype)) @ change[:, :6]
    return begin.q + length * (of_powers[0] * begin.y[:6] + moved)


def residual(
    system: System,
    begin: Begin,
    goal: Goal,
    change: jax.Array,
    length: jax.Array,
    matrix: jax.Array,
) -> jax.Array:
    """Of the equations above, ``(s n + 1,)``."""
    q, y = at_nodes(begin, change, length, matrix)
    slopes = jax.vmap(lambda q, y: rates(system, begin, q, y))(q, y)
    sign = signs(system, begin, q[-1], y[-1])[jnp.maximum(goal.event, 0)]
    last = jnp.where(goal.event >= 0, sign, length - goal.length)
    return jnp.append((change - length * (matrix @ slopes)).ravel(), last)


def linearised(
    system: System,
    begin: Begin,
    goal: Goal,
    change: jax.Array,
    length: jax.Array,
    matrix: jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """The residual and its Jacobian by ``(change, length)``, ``(s n + 1, s n + 1)``."""
    s, n = change.shape
    q, y = at_nodes(begin, change, length, matrix)

    def twice(q: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
        slope = rates(system, begin, q, y)
        return slope, slope

    (by_q, by_y), slopes = jax.vmap(jax.jacfwd(twice, argnums=(0, 1), has_aux=True))(q, y)
    by_change = jnp.eye(s * n).reshape(s, n, s, n) - length * jnp.einsum(
        "ik,kab->iakb", matrix, by_y
    )
    by_change = by_change.at[:, :, :, :6].add(
        -(length**2) * jnp.einsum("ij,jab,jk->iakb", matrix, by_q, matrix)
    )
    moved = matrix @ y[:, :6]
    by_length = -(matrix @ slopes) - length * (matrix @ jnp.einsum("jab,jb->ja", by_q, moved))
    at_switch = goal.event >= 0

    def sign_of(q: jax.Array, y: jax.Array) -> jax.Array:
        return signs(system, begin, q, y)[jnp.maximum(goal.event, 0)]

    sign, (sign_by_q, sign_by_y) = jax.value_and_grad(sign_of, argnums=(0, 1))(q[-1], y[-1])
    row = jnp.zeros((s, n), change.dtype).at[-1].set(sign_by_y)
    row = row.at[:, :6].add(length * matrix[-1][:, None] * sign_by_q)
    row = jnp.where(at_switch, row, 0.0).ravel()
    corner = jnp.where(at_switch, sign_by_q @ moved[-1], 1.0)
    jacobian = jnp.block(
        [
            [by_change.reshape(s * n, s * n), by_length.reshape(-1, 1)],
            [row[None, :], corner[None, None]],
        ]
    )
    last = jnp.where(at_switch, sign, length - goal.length)
    return jnp.append((change - length * (matrix @ slopes)).ravel(), last), jacobian
