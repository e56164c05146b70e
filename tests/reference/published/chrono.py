"""Chrono's tests of contacts with smooth forces (SMC): each has a criterion in words."""

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from jaxcontact.materials import Solid, effective_modulus, effective_radius, hertz_stiffness
from tests.reference.case import Case, Computed, ReferenceFile, assert_close, dispatch, failing
from tests.reference.motion import along_z
from tests.reference.published.impacts import (
    as_arrays,
    body,
    quickly_compiled,
    regularized,
    two_spheres,
)
from tests.reference.published.reading import only, stated, within
from tests.reference.published.resting_contact import Resistance, Resting, resting_contact

Setup = Mapping[str, Any]

YOUNGS_MODULUS, POISSON_RATIO = 2e5, 0.3
"""Chrono's defaults, where a setup has none [Pa]."""


def least_restitution(restitution: float) -> float:
    """Chrono takes the rounding unit for a restitution of 0."""
    return max(restitution, sys.float_info.epsilon)


def hertz(setup: Setup, effective_radius: float) -> float:
    one = Solid(
        youngs_modulus=setup.get("E", YOUNGS_MODULUS), poisson_ratio=setup.get("nu", POISSON_RATIO)
    )
    return float(hertz_stiffness(effective_modulus(one, one), effective_radius))


def hooke(setup: Setup) -> Any:
    """Chrono's linear spring stores, at the characteristic speed of 1 m/s, the energy that a Hertz
    contact would.
    """
    scale = 0.8 * hertz(setup, setup["radius"] / 2)  # 16/15 E* sqrt(R*)
    stiffness = scale * (setup["mass"] / 2 / scale) ** 0.2
    return partial(jc.LinearDashpot, stiffness=stiffness)


def tsuji(setup: Setup) -> Any:
    """Of both other models: they differ in the stiffness, on which the restitution does not
    depend.
    """
    return partial(jc.TsujiDashpot, stiffness=hertz(setup, setup["radius"] / 2))


LONG_IMPACT = jc.EventAligned(max_contacts=150, graded_step=0.05)
MANY_TIMES = 20.0
"""Elastic impacts last about 3 times the time scale of their law; one of restitution 0 does not
end, but creeps to rest.
"""

MODELS = {"Hooke": hooke, "Hertz": tsuji, "PlainCoulomb": tsuji}


def rebound(setup: Setup, law: Any, restitution: float) -> Any:
    """State of two equal spheres after they met head-on."""
    speed = setup["v_each"]
    twins = [
        body(radius=setup["radius"], mass=setup["mass"], velocity=(sign * speed, 0.0, 0.0))
        for sign in (1.0, -1.0)
    ]
    normal = law(restitution=least_restitution(restitution))
    end = MANY_TIMES * float(normal.scales(impact_speed=2 * speed, mass=setup["mass"] / 2)[1])
    return two_spheres(*twins, normal, times=(end,), method=LONG_IMPACT).state


def restitution(file: ReferenceFile, name: str, setup: Setup, criterion: str) -> Iterable[Case]:
    limit = stated(criterion, r"\|e_out-e_in\| *<")
    for model in setup["models"]:
        if model not in MODELS:
            yield failing(
                f"{name}/{model}",
                f"{file.path}: unknown kind {model!r} of force. Known: {', '.join(MODELS)}.",
            )
            continue
        for e_in in setup["e_in"]:

            def e_out(model: str = model, e_in: float = e_in) -> float:
                velocity = rebound(setup, MODELS[model](setup), e_in).velocity[0, :, 0]
                return float((velocity[1] - velocity[0]) / (2 * setup["v_each"]))

            yield within(f"{name}/{model}/{e_in}", e_out, e_in, limit)


def separation(file: ReferenceFile, name: str, setup: Setup, criterion: str) -> Iterable[Case]:
    if criterion != "separate after contact":
        raise ValueError(f"unknown criterion {criterion!r}")

    def check() -> None:
        state = rebound(setup, tsuji(setup), setup["e"])
        apart = state.position[0, 1, 0] - state.position[0, 0, 0]
        assert apart > 2 * setup["radius"]
        assert state.velocity[0, 0, 0] < 0.0 < state.velocity[0, 1, 0]

    yield Case(name, check)


# A stack.

TIMES = np.linspace(0.0, 1.0, 11)


@quickly_compiled
def _stacked(
    radius: Any, mass: Any, heights: Any, normal: Any, coefficient: Any, gravity: Any, times: Any
) -> Any:
    scene = jc.Scene(
        bodies=jc.spheres(radius=radius, mass=mass),
        contact=jc.ContactModel(normal=normal, friction=regularized(coefficient)),
        gravity=along_z(-gravity),
    )
    start = jc.state(position=heights[:, None] * jnp.asarray((0.0, 0.0, 1.0)))
    end = jc.simulate(
        scene, start, times, method=jc.EventAligned(max_contacts=800, graded_step=0.2)
    )
    return end.position, end.velocity, end.spin, end.status


def stack(file: ReferenceFile, name: str, setup: Setup, criterion: str) -> Iterable[Case]:
    """Spheres fall on each other and come to rest; centres as the setup says in words."""
    energy, before = stated(criterion, "KE *<"), stated(criterion, "before")
    aside = stated(criterion, r"\|x\|,\|z\| *<")
    first, spacing = stated(setup["gaps"], "y *="), stated(setup["gaps"], r"y *=[^+]*\+")
    heights = first + spacing * np.arange(setup["n"])
    normal = jc.TsujiDashpot(
        stiffness=hertz(setup, effective_radius(setup["radius"], setup["radius"])),
        restitution=setup["e"],
    )

    def check() -> None:
        numbers = as_arrays(
            (
                setup["radius"],
                np.full(setup["n"], setup["mass"]),
                heights,
                normal,
                setup["mu"],
                setup["g"],
            )
        )
        position, velocity, spin, status = (
            np.asarray(value) for value in _stacked(*numbers, jnp.asarray(before * TIMES))
        )
        assert status < jc.Status.TOO_FEW_CONTACTS, jc.Status(int(status)).advice
        average = 0.5 * setup["mass"] * np.mean(np.sum(velocity**2, axis=-1), axis=-1)
        resting = position[-1, :, 2]
        assert_close(Computed(np.min(average[1:]), rtol=0.0, atol=energy), 0.0)
        assert_close(
            Computed(position[..., :2], rtol=0.0, atol=aside), np.zeros_like(position[..., :2])
        )
        assert_close(Computed(spin, rtol=0.0, atol=aside), np.zeros_like(spin))
        assert np.all(np.diff(resting) > 1.9 * setup["radius"]), (
            resting
        )  # on top of each other still

    yield Case(name, check)


# Bodies on a floor. Chrono's coefficients of rolling and spinning friction are lengths: the largest
# torque over the normal force.


def comes_to_rest(file: ReferenceFile, name: str, setup: Setup, criterion: str) -> Iterable[Case]:
    """A sphere that is pushed (or set spinning about the vertical) when it has settled."""
    limit, time = stated(criterion, r"\|w\| *<"), stated(criterion, "within")
    start = Resting(
        np.zeros(2),
        np.asarray([setup.get("v0", 0.0), 0.0]),
        np.asarray([0.0, 0.0, setup.get("w0", 0.0)]),
    )
    resistance = Resistance(
        friction=setup.get("mu", 0.0),
        rolling=setup.get("mu_roll", 0.0),
        spinning=setup.get("mu_spin", 0.0),
    )

    def spin() -> float:
        state = resting_contact(
            start,
            radius=setup["radius"],
            mass=setup["mass"],
            gravity=setup["g"],
            resistance=resistance,
            time=time,
        )
        return float(np.linalg.norm(state.spin))

    yield within(name, spin, 0.0, limit)


def stops(file: ReferenceFile, name: str, setup: Setup, criterion: str) -> Iterable[Case]:
    """A block slides to rest."""
    distance, tolerance = stated(criterion, r"\(2 mu g\)="), stated(criterion, "within") / 100
    start = Resting(np.zeros(2), np.asarray([setup["v0"], 0.0]), np.zeros(3))
    time = 2 * setup["v0"] / (setup["mu"] * setup["g"])
    block = {
        "radius": setup["block"] / 2,
        "mass": setup["mass"],
        "gravity": setup["g"],
        "turns": False,
    }

    def slid() -> float:
        state = resting_contact(
            start, resistance=Resistance(friction=setup["mu"]), time=time, **block
        )
        return float(state.position[0])

    yield within(name, slid, distance, tolerance * distance)


TESTS: dict[str, Callable[..., Iterable[Case]]] = {
    "utest_SMC_cor_normal": restitution,
    "utest_SMC_sphere_sphere": separation,
    "utest_SMC_stacking": stack,
    "utest_SMC_rolling_gravity": comes_to_rest,
    "utest_SMC_spinning_gravity": comes_to_rest,
    "utest_SMC_sliding_gravity": stops,
}


def cases(file: ReferenceFile) -> Iterable[Case]:
    yield from only(file, file.document, "source", "tests")
    for test in file.document["tests"]:
        name, kind = f"{file.name}/{test['name']}", f"chrono/{test['name']}"
        runners = {
            f"chrono/{known}": partial(run, file, name, test["setup"], test["criterion"])
            for known, run in TESTS.items()
        }
        yield from dispatch(file, name, kind, runners)
