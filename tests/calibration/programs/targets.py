"""Impacts that a block must obtain in its program: on a wall, and between two spheres."""

import pytest

from calibration.programs import PROGRAMS, Target

RESTITUTIONS = (0.3, 0.5, 0.7, 0.9, 0.95)
FRICTIONS = (0.05, 0.2, 0.6)
CASES = [
    pytest.param(e, mu, pair, id=f"e {e}, mu {mu}, {'two spheres' if pair else 'wall'}")
    for pair in (False, True)
    for e, mu in (*((e, 0.2) for e in RESTITUTIONS), *((0.7, mu) for mu in FRICTIONS if mu != 0.2))
]
SLIP = 10.0
"""Slip over approach speed, by spin, so that the normal does not turn while an impact lasts: enough
to slide throughout with every friction above.
"""


def target_of(restitution, friction, pair):
    """An impact at 0.5 m/s along the normal."""
    partner = {"partner_radius": 0.03, "partner_mass": 0.05} if pair else {}
    return Target(
        restitution=restitution,
        friction=friction,
        speed=0.5,
        fastest=0.6,
        radius=0.02,
        mass=0.03,
        **partner,
    )


def parameters_and_block(name, target):
    program = PROGRAMS[name]
    parameters = program.parameters(target)
    return parameters, program.block(parameters, target)


def spin_before(target):
    """Of the ball, about y [rad/s]."""
    return SLIP * target.speed / target.radius


def check_obtained(target, before, after, partner_after=(0.0, 0.0, 0.0), *, within=0.01):
    """The velocities along z, of the ball over the partner, tell the restitution; those along x,
    which is where friction pushes the ball, the friction: both at most a hundredth off.
    """
    restitution = -(after[2] - partner_after[2]) / before[2]
    friction = abs(after[0] - before[0]) / (after[2] - before[2])
    assert restitution == pytest.approx(target.restitution, rel=within)
    assert friction == pytest.approx(target.friction, rel=within)
    return restitution, friction
