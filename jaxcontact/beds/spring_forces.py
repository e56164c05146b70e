"""Forces of ``LinearSpringDashpot`` and ``HertzMindlin``, and their springs after a step.

Written in components, contact by contact: the compiler makes one loop of it.
"""

import dataclasses
from typing import Any, NamedTuple, Self

import jax
import jax.numpy as jnp

from jaxcontact.beds.components import Components, dot, each, to_last_axis
from jaxcontact.beds.contact_forces import ContactForces, Loads, Stored, Table, torques
from jaxcontact.beds.contact_lists import History
from jaxcontact.beds.contact_models import SphereContact
from jaxcontact.beds.touch import Touch, turned
from jaxcontact.laws.friction.rolling import RollingMemory, rolling_energy
from jaxcontact.numerics.smooth import positive_part


class Springs(NamedTuple):
    """What contacts remember.

    Attributes:
        spring: elongation of the tangential spring, of ``i`` against ``j`` [m].
        torque: of the rolling spring [N m]; ``None`` without rolling resistance.
    """

    spring: Components
    torque: Components | None

    @property
    def history(self) -> History:
        """As lists keep it."""
        if self.torque is None:
            return History((self.spring,), (), ("elongation",))
        return History((self.spring, self.torque), (), ("elongation", "rolling torque"))


@dataclasses.dataclass(frozen=True)
class SpringForces(ContactForces):
    """Of contacts with springs that the models of beds declare.

    Attributes:
        contacts: ``SphereContact`` of one kind.
        damping: what the normal force of each needs that no motion changes.
    """

    contacts: Table[SphereContact]
    damping: Table[Any] | None = None

    def prepared(self) -> Self:
        damping = Table(self.contacts.models.damping(), self.contacts.several)
        return dataclasses.replace(self, damping=damping)

    @property
    def convention(self) -> str:
        return self.contacts.models.convention

    @property
    def turns(self) -> bool:
        return self.contacts.models.rolling is not None

    @property
    def may_be_stiff(self) -> bool:
        return False  # never damped beyond the critical damping

    def unloaded(self, room: int, real: Any) -> History:
        zero = jnp.zeros(room, real)
        none = (zero, zero, zero)
        return Springs(none, none if self.turns else None).history

    def elongation(self, history: History) -> Components:
        return history.vectors[0]

    def begun(
        self, touch: Touch, history: History, which: jax.Array | None, time_step: jax.Array
    ) -> tuple[Loads, History]:
        approach = dot(touch.velocity, touch.normal)
        back = each(lambda v, n: -time_step * (v - approach * n), touch.velocity, touch.normal)
        begins = dataclasses.replace(history, vectors=(back, *history.vectors[1:]))
        return self.after_step(touch, begins, which, time_step)

    def after_step(
        self, touch: Touch, history: History, which: jax.Array | None, time_step: jax.Array
    ) -> tuple[Loads, History]:
        assert self.damping is not None  # prepared
        contact, normal = self.contacts.of(which), touch.normal
        springs = self._springs(history)
        approach = -dot(touch.velocity, normal)
        force = contact.normal_force(
            touch.overlap,
            approach,
            mass=touch.mass,
            radius=touch.radius,
            damping=self.damping.of(which),
        )
        slip = each(lambda v, n: v + approach * n, touch.velocity, normal)
        stiffness, viscosity = contact.tangential(
            touch.overlap, mass=touch.mass, radius=touch.radius
        )
        increment = each(lambda s: time_step * s, slip)
        if self.convention == "lammps":  # projects the sum of both
            together = each(jnp.add, springs.spring, increment)
            joined = turned(together, touch, time_step, self.convention)
            carried = each(lambda s, u: s - u, joined, increment)
        else:
            carried = turned(springs.spring, touch, time_step, self.convention)
        friction, after = slider_step(
            carried,
            increment,
            force,
            stiffness=jnp.asarray(stiffness),
            damping=jnp.asarray(viscosity),
            coefficient=jnp.asarray(contact.coefficient),
            time_step=time_step,
        )
        couple, torque = None, None
        if contact.rolling is not None and springs.torque is not None:
            bending, resisting = contact.rolling.stiffness_and_damping(
                stiffness, radius=touch.radius, inertia=touch.inertia
            )
            couple, torque = rolling_step(
                turned(springs.torque, touch, time_step, self.convention),
                each(lambda w: time_step * w, touch.rolling),
                force,
                stiffness=jnp.asarray(bending),
                damping=resisting,
                limit=jnp.asarray(contact.rolling.rolling_coefficient * touch.radius),
                time_step=time_step,
            )
        loads = Loads(
            each(lambda n, f: force * n + f, normal, friction),
            torques(touch, friction, couple),
            positive_part(touch.overlap),
        )
        return loads, Springs(after, torque).history

    def stored(
        self, touch: Touch, history: History, overlap: jax.Array, which: jax.Array | None
    ) -> Stored:
        contact, springs = self.contacts.of(which), self._springs(history)
        stiffness, _ = contact.tangential(overlap, mass=touch.mass, radius=touch.radius)
        bent = jnp.zeros_like(overlap)
        if contact.rolling is not None and springs.torque is not None:
            bending, _ = contact.rolling.stiffness_and_damping(
                stiffness, radius=touch.radius, inertia=touch.inertia
            )
            memory = RollingMemory(to_last_axis(springs.torque))
            bent = rolling_energy(memory, rolling_stiffness=bending)
        return Stored(
            contact.normal_energy(overlap, radius=touch.radius),
            jnp.multiply(0.5 * stiffness, dot(springs.spring, springs.spring)),
            bent,
        )

    def _springs(self, history: History) -> Springs:
        return Springs(history.vectors[0], history.vectors[1] if self.turns else None)


def slider_step(
    spring: Components,
    increment: Components,
    normal_force: jax.Array,
    *,
    stiffness: jax.Array,
    damping: jax.Array,
    coefficient: jax.Array,
    time_step: jax.Array,
) -> tuple[Components, Components]:
    """``laws.cundall_strack_force`` of components: force on the body that slips [N], and the
    elongation after the step [m].
    """
    series = stiffness + damping / time_step
    trial = each(lambda s, u: stiffness * s + series * u, spring, increment)
    squared = dot(trial, trial)
    limit = coefficient * positive_part(normal_force)
    # The cube of the inverse size must be representable, for second derivatives.
    slides = (squared > limit * limit) & (squared > jnp.finfo(squared.dtype).tiny ** (2.0 / 3.0))
    fraction = jnp.where(slides, limit / jnp.sqrt(jnp.where(slides, squared, 1.0)), 1.0)
    touches = normal_force > 0.0
    stiff = series > 0.0
    compliance = jnp.where(stiff, (1.0 - fraction) / jnp.where(stiff, series, 1.0), 0.0)
    force = each(lambda f: jnp.where(touches, -fraction * f, 0.0), trial)
    after = each(
        lambda s, u, f: jnp.where(touches, s + u - compliance * f, 0.0), spring, increment, trial
    )
    return force, after


def rolling_step(
    torque: Components,
    increment: Components,
    normal_force: jax.Array,
    *,
    stiffness: jax.Array,
    damping: jax.Array,
    limit: jax.Array,
    time_step: jax.Array,
) -> tuple[Components, Components]:
    """``laws.epsd_rolling_torque`` of components: couple on the body that rolls and torque of the
    spring after the step [N m]; ``limit`` is the largest torque over the normal force [m].
    """
    spring, after = slider_step(
        torque,
        each(lambda u: stiffness * u, increment),
        normal_force,
        stiffness=jnp.asarray(1.0),
        damping=jnp.asarray(0.0),
        coefficient=limit,
        time_step=time_step,
    )
    trial = each(lambda t, u: t + stiffness * u, torque, increment)
    most = limit * positive_part(normal_force)
    held = (normal_force > 0.0) & (dot(trial, trial) <= most * most)
    resisting = jnp.where(held, damping / time_step, 0.0)
    return each(lambda s, u: s - resisting * u, spring, increment), after
