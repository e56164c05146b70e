"""The parameter model of a normal-force function, for scenes and fits."""

import functools
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import numpy as np

from jaxcontact.laws.coordinates.from_force import LawFromForce
from jaxcontact.laws.core.model_of_function import arguments_of, class_of_function, registered
from jaxcontact.laws.normal.damping import no_tension
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import is_concrete

MOTION = ("overlap", "overlap_rate", "impact_speed", "mass")
"""Arguments that a scene knows; all others are parameters of the law."""


ENDS = ("zero_overlap", "zero_force")
OVERLAPS, RATES = np.logspace(-6, -1, 6), -np.logspace(-3, 3, 7)
"""Overlaps [m] and overlap rates [m/s] at which a law is asked whether its force is cut."""


def normal_law(
    function: Callable[..., jax.Array], *, end: str = "zero_overlap"
) -> type[LawFromForce]:
    """A class whose fields are the parameters of ``function``, to be used as
    ``ContactModel(normal=...)``, with every method of simulation.

    Numbers become differentiable parameters, with unit, interval and transform of ``QUANTITIES``;
    other arguments (a mode, a form) become static fields, with the default of the function, or the
    value in the law's example where it has none.

    Args:
        function: a registered law that returns a normal force [N] from ``overlap`` and, if it needs
            them, ``overlap_rate``, ``impact_speed`` and ``mass``. Smooth within a contact: write it
            without a cut (``max(F, 0)``).
        end: where a contact ends: ``"zero_overlap"``, or ``"zero_force"``, where the force would
            begin to attract, and is cut.

    Returns:
        A frozen model named like the function, in capitals without underscores; for one function
        always the same class. Its instances are pickled with the name of the law, so that a copy in
        another process is equal to the original: the function must be registered at the top of a
        module that can be imported there.

    Raises:
        ValueError: ``function`` is not registered, takes no overlap, or has a memory, or ``end`` is
            none of the two. An instance: the force is cut within a contact that ends at zero
            overlap.

    Example:
        >>> from jaxcontact.laws import elastic
        >>> HertzForce = jc.normal_law(elastic.hertz_force)
        >>> law = HertzForce(stiffness=4e7)
        >>> print(f"{law.force(1e-4, 0.0, impact_speed=1.0, mass=0.01):.1f} N")
        40.0 N
    """
    if end not in ENDS:
        raise ValueError(f"normal_law: end = {end!r} is none of {', '.join(map(repr, ENDS))}.")
    return _class_of_law(function, end)


@functools.cache
def _class_of_law(function: Callable[..., jax.Array], end: str) -> type[LawFromForce]:
    law = registered("normal_law", function, takes=("overlap",))
    taken = arguments_of(law)

    def uncut_force(
        self: Any, overlap: Real, overlap_rate: Real, *, impact_speed: Real, mass: Real
    ) -> jax.Array:
        motion = dict(zip(MOTION, (overlap, overlap_rate, impact_speed, mass), strict=True))
        return function(
            **{name: motion[name] if name in motion else getattr(self, name) for name in taken}
        )

    def force(
        self: Any, overlap: Real, overlap_rate: Real, *, impact_speed: Real, mass: Real
    ) -> jax.Array:
        force = uncut_force(self, overlap, overlap_rate, impact_speed=impact_speed, mass=mass)
        return no_tension(force) if end == "zero_force" else force

    def check(self: Any) -> None:
        if end == "zero_overlap" and "overlap_rate" in taken:
            _check_uncut(self, function)

    members = {"__post_init__": check, "end": end, "force": force, "uncut_force": uncut_force}
    return class_of_function(
        law,
        base=LawFromForce,
        motion=MOTION,
        members=members,
        maker=normal_law,
        options={"end": end},
    )


def _check_uncut(law: LawFromForce, function: Callable[..., jax.Array]) -> None:
    """Raise where the force is zero within a contact, because of a cut: its corner lies where no
    step of an integrator ends.
    """
    if not all(map(is_concrete, jax.tree.leaves(law))):
        return

    def at(overlap: Real, rate: Real) -> jax.Array:
        return law.force(overlap, rate, impact_speed=1.0, mass=1.0)

    rates = np.append(0.0, RATES)
    force = np.asarray(jax.vmap(lambda overlap: jax.vmap(partial(at, overlap))(rates))(OVERLAPS))
    # at two rates: a force may cross zero at one of them
    cut = np.argwhere((force[:, 1:-1] == 0) & (force[:, 2:] == 0) & (force[:, :1] > 0))
    if cut.size:
        raise ValueError(
            f"{type(law).__name__}: the force is 0 at an overlap of {OVERLAPS[cut[0, 0]]:g} m and "
            f"an overlap rate of {RATES[cut[0, 1]]:g} m/s, cut where it would attract. Write the "
            f"law without the cut, and ask for normal_law({function.__name__}, end='zero_force')."
        )
