"""Designs against truths that are known without a simulation."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import minimize_scalar

from experiments.design_studies import buffer, bumper, shot

pytestmark = pytest.mark.slow


def peak_times_stroke(damping):
    """Peak force times stroke over ``m v^2`` of a spring and a dashpot, in closed form."""
    rest = np.sqrt(1 - damping**2)
    stroke = np.exp(-damping / rest * np.arctan2(rest, damping))
    turn = np.arctan2(rest * (1 - 4 * damping**2), damping * (3 - 4 * damping**2))
    return stroke * np.exp(-damping / rest * turn)


@pytest.mark.long
def test_the_best_linear_buffer_is_that_of_shock_isolation():
    best = minimize_scalar(peak_times_stroke, bounds=(0.1, 0.49), method="bounded")
    assert best.fun == pytest.approx(0.521, abs=5e-4)  # Snowdon
    found = buffer.find_buffer(buffer.FAMILIES["linear"])
    stop = buffer.stop(buffer.FAMILIES["linear"].law(found))
    peak, stroke = float(np.max(stop.force)), float(np.max(stop.overlap))
    assert stroke == pytest.approx(buffer.STROKE, rel=1e-6)
    assert peak == pytest.approx(2 * best.fun * buffer.LEAST, rel=1e-4)


@pytest.mark.long
def test_without_gravity_and_losses_an_ellipse_with_its_foci_there_is_found():
    ideal = bumper.Setting(radius=1e-6, restitution=1.0, friction=0.0, gravity=0.0, seen=0.25)
    found = bumper.find_bumper((1.05, 0.5, 0.02, -0.02, 0.05), ideal)
    assert np.max(np.abs(bumper.misses(found, ideal))) < 1e-5
    forwards, upwards, *moved = found
    assert forwards**2 - upwards**2 == pytest.approx(bumper.FOCUS**2, abs=1e-4)
    assert np.max(np.abs(moved)) < 1e-4


@pytest.mark.long
def test_the_shots_hit_the_cup_in_an_independent_integration():
    gentle = shot.find_gentle()
    forgiving = shot.find_forgiving(gentle)
    assert forgiving.spread < 0.9 * gentle.spread
    assert forgiving.speed > gentle.speed
    for found in (gentle, forgiving):
        assert follow(found.design) == pytest.approx(shot.CUP, abs=1e-6)
        several = np.std(shot.scatter(found, number=2000, seed=0))
        assert several == pytest.approx(found.spread, rel=0.1)


def follow(design):
    """Forwards and upwards after the time of flight: drag, and rigid bounces with friction."""
    radius, mass, restitution, friction, inertia = shot.RADIUS, 2.7e-3, 0.88, 0.25, 2 / 3
    drag = 1.2 * 0.47 * np.pi * radius**2 / (2 * mass)

    def rates(_, y):
        speed = np.hypot(y[2], y[3])
        return [y[2], y[3], -drag * speed * y[2], -drag * speed * y[3] - 9.81]

    def touches(_, y):
        return y[1] - radius

    touches.terminal, touches.direction = True, -1
    forwards, upwards, topspin, left = design
    y, spin, bounces = np.array([0.0, shot.HEIGHT, forwards, upwards]), shot.SPIN * topspin, 0
    while left > 0:
        flight = solve_ivp(
            rates, (0.0, left), y, method="DOP853", events=touches, rtol=1e-12, atol=1e-13
        )
        y, left = flight.y[:, -1], left - flight.t[-1]
        if flight.status != 1:
            break
        bounces += 1
        push = (1 + restitution) * -y[3]
        slip = y[2] - radius * spin
        stops = abs(slip) / (1 + 1 / inertia)
        impulse = -np.sign(slip) * min(stops, friction * push)
        y = np.array([y[0], radius, y[2] + impulse, -restitution * y[3]])
        spin -= impulse / (inertia * radius)
    assert bounces == shot.BOUNCES
    return y[:2]
