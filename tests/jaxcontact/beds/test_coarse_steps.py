"""Steps that are too long for the damping of a contact are called so."""

import jax
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.systems import exudyn

pytestmark = pytest.mark.slow

RADIUS, STIFFNESS = 0.1, 1e5
ROOM = jc.BedSizes((3, 3, 3), 4, 3, 2, 1, 1, 1e-2)


TRUTH = (-1.77883, -1.77616, 0.55399)
"""Velocities [m/s] after the hit on a contact that closed at 1 mm/s: SciPy's Radau method with
events, relative tolerance 1e-10.
"""


def exudyns(**others):
    return exudyn.ObjectContactSphereSphere(
        spheresRadii=(RADIUS, RADIUS), contactStiffness=STIFFNESS, **others
    )


def flown(contact, position, velocity, times, time_step):
    """Along x, without gravity, each sphere of 1 kg."""
    bed = jc.Bed(
        spheres=jc.spheres(radius=np.full(len(position), RADIUS), mass=1.0),
        contact=contact,
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(
        position=np.outer(position, (1.0, 0.0, 0.0)), velocity=np.outer(velocity, (1.0, 0.0, 0.0))
    )
    return jc.simulate_bed(bed, start, times, time_step=time_step, sizes=ROOM, strict=False)


def hit(impact_speed, time_step, **others):
    """A sphere that has touched another slowly is hit by a third one at 3 m/s."""
    contact = exudyns(contactDamping=3.0, restitutionCoefficient=0.8, impactModel=2, **others)
    return flown(
        contact,
        (0.0, 2.0 * RADIUS + 1e-3 * impact_speed, 4.0 * RADIUS + 0.012),
        (0.0, -impact_speed, -3.0),
        [0.0, 0.06],
        time_step,
    )


@pytest.mark.parametrize(("impact_speed", "time_step"), [(1e-7, 2e-4), (1e-7, 2e-5), (1e-3, 2e-4)])
def test_a_hit_on_a_contact_that_closed_slowly_is_not_silently_wrong(impact_speed, time_step):
    """Its damping, over the speed of touch-down, makes energy with 40 steps in a collision."""
    result = hit(impact_speed, time_step)
    assert int(result.status) == jc.BedStatus.COARSE_STEPS
    assert "minimumImpactVelocity" in result.advice


def test_where_the_damping_is_resolved_the_hit_is_that_of_the_equations():
    result = hit(1e-3, 1e-5)
    assert bool(result.succeeded)
    np.testing.assert_allclose(result.velocity[-1, :, 0], TRUTH, atol=2e-3)
    bounded = hit(1e-7, 2e-4, minimumImpactVelocity=0.1)
    assert bool(bounded.succeeded)
    assert bounded.energy.kinetic[-1] < bounded.energy.kinetic[0]


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6, 1.5, 3.0, 100.0])
def test_a_dashpot_that_turns_speed_round_is_called_so(share):
    """``c h/m`` from far below the limit to far beyond it, also where the first force throws the
    spheres apart again.
    """
    step, mass = 1e-5, 0.5
    contact = exudyns(contactDamping=share * mass / step)
    result = flown(contact, (0.0, 2.0 * RADIUS + 1e-5), (0.0, -1.0), [0.0, 1e-2], step)
    gains = result.energy.kinetic[-1] > result.energy.kinetic[0]
    fine = int(result.status) == jc.BedStatus.SUCCESS
    assert fine == (share < 0.5)
    assert fine or int(result.status) == jc.BedStatus.COARSE_STEPS
    assert not (gains and fine)


@pytest.mark.parametrize(("steps", "fine"), [(100, True), (10, False)])
def test_laws_that_are_damped_too_much_for_the_steps_are_called_so(steps, fine):
    law = jc.HuntCrossley(stiffness=STIFFNESS, restitution=0.01)
    duration = 2.94 * (1.25 * 0.5 / STIFFNESS) ** 0.4
    result = flown(
        jc.ContactModel(normal=law),
        (0.0, 2.0 * RADIUS + 1e-5),
        (0.0, -1.0),
        [0.0, 10.0 * duration],
        duration / steps,
    )
    assert bool(result.succeeded) == fine


def test_a_contact_that_goes_on_with_other_numbers_at_rest_is_none():
    """Its force jumps, and no speed is there."""
    still = flown(exudyns(contactDamping=30.0), (0.0, 0.1999), (0.0, 0.0), [0.0, 1e-5], 1e-5)
    assert bool(still.succeeded)
    bed = jc.Bed(
        spheres=jc.spheres(radius=np.full(2, RADIUS), mass=1.0),
        contact=exudyns(contactDamping=30.0).replace(contactStiffness=0.3 * STIFFNESS),
        gravity=(0.0, 0.0, 0.0),
    )
    end = still.end._replace(
        particles=still.end.particles._replace(
            velocity=jax.tree.map(np.zeros_like, still.end.particles.velocity)
        )
    )
    assert bool(jc.simulate_bed(bed, end, [1e-5, 1e-3], time_step=1e-5).succeeded)
