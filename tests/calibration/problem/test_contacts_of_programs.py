"""Fits of the constants of COMSOL's, EDEM's, Modia3D's and PFC's contacts, by their own names, from
motions that plain formulas and SciPy give.
"""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import calibration as cal
import jaxcontact as jc
from calibration.measurements import OfBody, Path, Spins
from calibration.nuisances import InitialStates
from calibration.results.estimate import Determination
from jaxcontact.parameters import put
from tests.jaxcontact.simulation.pair import test_comsol as comsol
from tests.jaxcontact.simulation.pair import test_edem as edem
from tests.jaxcontact.simulation.pair import test_modia3d as modia3d
from tests.jaxcontact.simulation.pair import test_pfc as pfc

SEEN, TURNED = 1e-6, 1e-3
"""Standard deviations of positions [m] and spins [rad/s]."""


class Collision(NamedTuple):
    """Two spheres that meet once: what flies, and how it moves before and after."""

    radius: np.ndarray
    mass: np.ndarray
    contact: object
    free: dict[str, float]
    start: np.ndarray
    touch_down: float
    lift_off: float
    after: np.ndarray

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and spins (times, body, 3) outside of the contact."""
        before = (times <= self.touch_down)[:, None, None]
        (x, v, w), (later_x, later_v, later_w) = self.start, self.after
        time = times[:, None, None]
        flown = np.where(before, x + v * time, later_x + later_v * (time - self.lift_off))
        return flown, np.where(before, w, later_w + 0 * time)


def touch_of(start: np.ndarray, radius: np.ndarray) -> float:
    """When two spheres in flight meet."""
    apart, closing = start[0, 1] - start[0, 0], start[1, 1] - start[1, 0]
    b, c = apart @ closing, apart @ apart - radius.sum() ** 2
    return float((-b - np.sqrt(b * b - closing @ closing * c)) / (closing @ closing))


def by_comsol(share: float) -> Collision:
    """Of spheres that have this share of the usual velocities."""
    start = np.stack([comsol.POSITION, share * comsol.VELOCITY, comsol.SPIN])
    touch = touch_of(start, comsol.RADIUS)

    def gap(_, y):
        return np.linalg.norm(y[3:6] - y[:3]) - comsol.RADIUS.sum()

    gap.terminal, gap.direction = True, 1.0
    met = start + touch * np.stack([start[1], 0 * start[1], 0 * start[1]])
    run = solve_ivp(
        lambda t, y: comsol.rates(t, y, arms="midpoint", closed=True),
        (touch, 1.0),
        met.ravel(),
        method="DOP853",
        rtol=1e-11,
        atol=1e-12,
        max_step=2e-5,
        events=gap,
    )
    free = {
        "contact.contact.k_pen": comsol.STIFFNESS,
        "contact.contact.c_pen": comsol.DASHPOT,
        "contact.friction.mu": comsol.FRICTION["mu"],
        "contact.friction.Ff_max": comsol.FRICTION["Ff_max"],
        "contact.friction.Ff_r": comsol.FRICTION["Ff_r"],
    }
    after = run.y[:, -1].reshape(3, 2, 3)
    return Collision(
        comsol.RADIUS, comsol.MASS, comsol.contact(), free, start, touch, run.t[-1], after
    )


def by_edem(disk: str) -> Collision:
    contact = edem.HERTZ.replace(spinning=edem.HERTZ.spinning.replace(disk=disk))
    start = np.stack(list(edem.START.values()))
    touch = touch_of(start, edem.RADIUS) + 1e-12
    met = start + touch * np.stack([start[1], 0 * start[1], 0 * start[1]])
    run = solve_ivp(
        edem.formulas(contact),
        (touch, 1.0),
        np.append(met.ravel(), np.zeros(3)),
        "DOP853",
        events=edem.gap,
        rtol=1e-10,
        atol=1e-13,
    )
    free = {
        "contact.base.solid1.youngs_modulus": edem.YOUNG,
        "contact.base.coefficient_of_restitution": 0.6,
        "contact.base.rolling_friction": 0.01,
        "contact.spinning.mu": 0.3,
    }
    after = run.y[:18, -1].reshape(3, 2, 3)
    return Collision(edem.RADIUS, edem.MASS, contact, free, start, touch, run.t[-1], after)


def by_modia3d() -> Collision:
    start = np.array([modia3d.AWAY, modia3d.FAST, modia3d.SPINS])
    parameters = {**modia3d.PARAMETERS, "k_red": 1e-2}
    duration = 0.04
    after, (touch, lift) = modia3d.Formulas(parameters).moved(start, duration)
    after = after - (duration - lift) * np.stack([after[1], 0 * after[1], 0 * after[1]])
    free = {
        "contact.elasticContactReductionFactor": 1e-2,
        "contact.pairMaterial.coefficientOfRestitution": parameters["cor"],
        "contact.pairMaterial.slidingFrictionCoefficient": parameters["mu"],
        "contact.pairMaterial.rotationalResistanceCoefficient": parameters["mu_r"],
    }
    contact = modia3d.contact(parameters)
    return Collision(modia3d.RADIUS, modia3d.MASS, contact, free, start, touch, lift, after)


def by_pfc(name: str, free: dict[str, float], start: str) -> Collision:
    began = np.stack([np.array(part, dtype=float) for part in pfc.STARTS[start]])
    end = pfc.after_contact(pfc.MODELS[name], pfc.STARTS[start])
    x = end.position - end.velocity * (pfc.TIMES[-1] - end.lift_off)
    after = np.stack([x, end.velocity, end.surface / pfc.RADIUS[:, None]])
    touch, contact = touch_of(began, pfc.RADIUS), pfc.between(pfc.MODELS[name])
    named = {f"contact.model.{path}": value for path, value in free.items()}
    return Collision(pfc.RADIUS, pfc.MASS, contact, named, began, touch, end.lift_off, after)


HERTZ = {"hz_shear": 4e6, "dp_nratio": 0.1, "fric": 0.3}
ROLLING = {
    "linear.kn": 1e5,
    "linear.ks": 5e4,
    "linear.fric": 0.3,
    "linear.dp_nratio": 0.1,
    "rr_fric": 0.05,
}

CASES = {
    "comsol": lambda: [by_comsol(0.2), by_comsol(1.0), by_comsol(3.0)],
    "edem, overlap": lambda: [by_edem("overlap")],
    "edem, hertz": lambda: [by_edem("hertz")],
    "modia3d": lambda: [by_modia3d()],
    "pfc, hertz": lambda: [by_pfc("HERTZ", HERTZ, "slides at once")],
    "pfc, rolling": lambda: [
        by_pfc("ROLLING", ROLLING, start) for start in ("slips at last", "slides at once")
    ],
}


def recorded(truth: Collision, noise: np.random.Generator) -> cal.Trial:
    """A trial of 60 samples, and roughly known initial states."""
    times = np.concatenate(
        [
            np.linspace(0.0, truth.touch_down, 25),
            truth.lift_off + np.linspace(0.0, 2 * truth.touch_down, 35),
        ]
    )
    positions, spins = truth.at(times)
    positions = positions + SEEN * noise.normal(size=positions.shape)
    spins = spins + TURNED * noise.normal(size=spins.shape)
    measured = [
        OfBody(body, instrument)
        for body in (0, 1)
        for instrument in (
            Path(times, positions[:, body], sigma=SEEN),
            Spins(times, spins[:, body], sigma=TURNED),
        )
    ]
    x, v, w = truth.start
    return cal.Trial(*measured, initial=jc.state(position=x + 1e-5, velocity=1.001 * v, spin=w))


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_the_constants_of_a_program_are_found_from_an_independent_integration(name):
    collisions = CASES[name]()
    truth, noise = collisions[0], np.random.default_rng(3)
    scene = jc.Scene(
        bodies=jc.spheres(radius=truth.radius, mass=truth.mass),
        surfaces=(),
        gravity=(0.0, 0.0, 0.0),
        contact=truth.contact,
    )
    for path, value in truth.free.items():
        scene = put(scene, path, 1.1 * value)
    found = cal.fit(
        cal.Problem(
            scene,
            [recorded(collision, noise) for collision in collisions],
            free=list(truth.free),
            nuisance=[InitialStates(spin="xyz")],
            noise=cal.noise.Known(),
        )
    )
    assert 0.8 < found.chi2 / found.dof < 1.2
    for path, value in truth.free.items():
        estimate = found.parameters[path]
        assert estimate.status is Determination.DETERMINED
        assert abs(estimate.value - value) < 3 * estimate.sd
