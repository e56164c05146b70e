"""Restitutions that hardly differ from zero: finite in every value and derivative, and right where
they are known.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc

RESTITUTIONS = (1e-2, 1e-3, 6e-4, 1e-4, 1e-6, 0.0)
# Height of the gap [m] and speed of approach [m/s]: falls, throws, contacts that begin late or
# hardly move, and starts inside the plane.
STARTS = (
    (0.1, 0.0),
    (0.0, 1.0),
    (0.0, 1e-2),
    (1e-6, 1e-3),
    (0.0, 1e-6),
    (0.0, 1e-9),
    (1e-9, 0.0),
    (0.0, 0.0),
    (-1e-6, 1e-3),
    (-1e-6, 0.0),
)


def path(p, method):
    restitution, stiffness, gap, speed, gravity = p
    law = jc.HuntCrossley(stiffness=stiffness, restitution=restitution)
    contact = jc.ContactModel(
        normal=law, friction=jc.RegularizedCoulomb(coefficient=0.1, slip_velocity=1e-3)
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.01, mass=0.01),
        contact=contact,
        gravity=jnp.stack([0.0, 0.0, -gravity]),
    )
    start = jc.state(
        position=jnp.stack([0.0, 0.0, 0.01 + gap]), velocity=jnp.stack([0.1, 0.0, -speed])
    )
    found = jc.simulate(scene, start, jnp.linspace(0.0, 0.3, 31), method=method)
    return jnp.concatenate([found.position, found.velocity, found.spin], axis=1), found


@pytest.mark.long("in time", "at once")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("at_once", "in_time"),
    [(None, False), (None, True), pytest.param(False, False, marks=pytest.mark.long)],
    ids=["at once", "in time", "in steps"],
)
def test_values_and_derivatives_are_finite_and_so_is_every_contact(at_once, in_time):
    method = jc.EventAligned(max_contacts=8, at_once=at_once, in_time=in_time)
    both = jax.jit(
        jax.vmap(lambda p: (path(p, method), jax.jacfwd(lambda p: path(p, method)[0])(p)))
    )
    cases = np.array(
        [
            (e, k, *start, g)
            for e in RESTITUTIONS
            for k in (1e4, 1e9)
            for start in STARTS
            for g in (9.81, 0.0, 1e-6)
        ],
        dtype=float,
    )
    (values, found), derivatives = both(cases)
    for name, numbers in {
        "values": values,
        "derivatives": derivatives,
        **found.contacts._asdict(),
    }.items():
        bad = cases[
            ~np.all(np.isfinite(np.asarray(numbers, dtype=float).reshape(len(cases), -1)), axis=1)
        ]
        assert bad.size == 0, (
            f"{name}: not finite for (restitution, stiffness, gap, speed, gravity) = {bad[:3]}"
        )
    # Starts inside the plane, and rest at 4.6 % of the radius, are not for this engine.
    _, stiffness, gap, _, gravity = cases.T
    unresolved = (gap < 0.0) | ((stiffness == 1e4) & (gravity == 9.81))
    refused = np.asarray(found.status) == jc.Status.UNRESOLVED_CONTACT
    assert np.all(refused[unresolved])
    # ... nor is what is damped so heavily that it sinks in deep and does not come out, or that the
    # way in time does not find.
    heavy = cases[refused & ~unresolved, 0]
    assert np.all(heavy <= (1e-3 if in_time else 0.01)), np.unique(heavy)
    unresolved = refused
    exact = cases[:, 0] >= 1e-3 if in_time else np.full(len(cases), at_once is False)
    assert np.all(found.status[~unresolved & exact] <= jc.Status.CAME_TO_REST)
    assert np.all(found.status[~unresolved & ~exact] <= jc.Status.INEXACT_CONTACT)
    thrown = (cases[:, 3] == 1.0) & (cases[:, 4] == 0.0)
    asked = cases[thrown, 0] if at_once is None else np.maximum(cases[thrown, 0], 0.01)
    np.testing.assert_allclose(found.contacts.rebound_speed[thrown, 0], asked, rtol=1e-3, atol=1e-8)


@pytest.mark.slow
def test_what_is_not_finite_is_not_called_a_success():
    method = jc.EventAligned(max_contacts=8)
    _, found = jax.jit(lambda p: path(p, method))(jnp.array([jnp.nan, 1e6, 0.1, 0.0, 9.81]))
    assert int(found.status) == jc.Status.NOT_FINITE
    assert "not finite" in found.advice
