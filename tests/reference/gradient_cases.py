"""Outputs of a motion and their derivatives with respect to each parameter, through
``jaxcontact.simulate``.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from tests.reference.case import Case, Computed, FileKind, ReferenceFile, assert_close, dispatch
from tests.reference.motion import (
    HUNT_CROSSLEY,
    OBTAINED,
    RIGID,
    RIGID_SPHERES,
    SAMPLES,
    Compiled,
    Inputs,
    arrays,
    rigid_inputs,
    rigid_spheres_inputs,
)

RTOL = 1e-6
"""Rigid motions are exact, and compliant ones have many steps in their contact: none needs the
tolerance of a rigid limit.
"""


class Experiment(NamedTuple):
    """A motion, its inputs as a function of the case's parameters, and the outputs of the case.

    ``inputs(parameters)`` may use ``case`` (texts and expected values, constants all) and
    ``outputs(motion, counts, parameters)``.
    """

    motion: Compiled
    parameters: frozenset[str]
    inputs: Callable[[Inputs, Mapping[str, Any]], Inputs]
    outputs: Callable[[Inputs, Inputs, Inputs], Inputs]


def bounce_once(p: Inputs, case: Mapping[str, Any]) -> Inputs:
    return rigid_inputs(
        height=p["y0"], velocity=(0.0, 0.0, -p["v"]), radius=p["r"], restitution=p["e"], time=p["T"]
    )


def point_on_ground(p: Inputs, case: Mapping[str, Any]) -> Inputs:
    """A point: the floor lies a radius lower, so that the centre turns at ``yg``."""
    radius = 0.01
    return rigid_inputs(
        height=p["y0"],
        velocity=(0.0, 0.0, -p["v"]),
        radius=radius,
        floor=p["yg"] - radius,
        time=p["T"],
    )


def dropped(p: Inputs, case: Mapping[str, Any]) -> Inputs:
    return rigid_inputs(
        height=p["y0"], radius=p["r"], gravity=p["g"], restitution=p["e"], time=p["T"]
    )


def dropped_for_good(p: Inputs, case: Mapping[str, Any]) -> Inputs:
    return rigid_inputs(
        height=p["y0"], radius=p["r"], gravity=p["g"], restitution=p["e"], time=case["outputs"]["t"]
    )


def time_to_rest(motion: Inputs, counts: Inputs, p: Inputs) -> Inputs:
    """The third touch-down, and the geometric series of the flights after it."""
    third = 2
    return {
        "t": motion["touch_down"][third]
        + 2 * motion["rebound_speed"][third] / (p["g"] * (1 - p["e"]))
    }


def oblique(p: Inputs, case: Mapping[str, Any]) -> Inputs:
    """The contact slip is ``v_t + r w`` here, so ``w`` turns backwards about y."""
    radius = 0.02
    return rigid_inputs(
        radius=radius,
        height=radius + 1.0,
        velocity=(p["vt"], 0.0, -p["vn"]),
        spin=(0.0, -p["rw"] / radius, 0.0),
        restitution=p["e"],
        friction=p["mu"],
        tangential_restitution=p["b0"],
        time=2.0 / case["parameters"]["vn"],
    )


def between_walls(p: Inputs, case: Mapping[str, Any]) -> Inputs:
    """A point: each wall lies a radius farther away."""
    radius = 0.01
    return rigid_inputs(
        radius=radius,
        height=p["d0"],
        velocity=(0.0, 0.0, -p["v"]),
        floor=-radius,
        ceiling=p["L"] + radius,
        restitution=p["e"],
        time=p["T"],
    )


def distance_from_last_wall(motion: Inputs, counts: Inputs, p: Inputs) -> Inputs:
    last = counts["surface"][jnp.sum(counts["happened"]) - 1]
    height = motion["position"][2]
    return {"x": jnp.where(last == 0, height, p["L"] - height)}


def pushed_into_another(p: Inputs, case: Mapping[str, Any]) -> Inputs:
    return rigid_spheres_inputs(
        position=((p["x1"],), (p["x2"],)),
        acceleration=((p["u"],), ()),
        radius=p["r"],
        restitution=p["e"],
        time=p["T"],
    )


def off_centre(p: Inputs, case: Mapping[str, Any]) -> Inputs:
    return rigid_spheres_inputs(
        position=((-p["X"], p["b"]), ()),
        velocity=((p["v"],), ()),
        radius=p["R"],
        restitution=p["e"],
        time=p["T"],
    )


def chain(p: Inputs, case: Mapping[str, Any]) -> Inputs:
    """Gaps of 1 m. The speed is read shortly after the second impact, before anything can hit
    again.
    """
    given, radius = case["parameters"], 0.1
    middle_speed = (1 + given["e"]) * given["m1"] / (given["m1"] + given["m2"]) * given["v"]
    return rigid_spheres_inputs(
        position=((), (1 + 2 * radius,), (2 + 4 * radius,)),
        velocity=((p["v"],), (), ()),
        mass=(p["m1"], p["m2"], p["m3"]),
        radius=radius,
        restitution=p["e"],
        time=(1 / given["v"] + 1 / middle_speed) * (1 + 1e-3),
    )


def place_of_second(motion: Inputs, counts: Inputs, p: Inputs) -> Inputs:
    return {"x2": motion["position"][1, 0], "y2": motion["position"][1, 1]}


def exponent_in(case: Mapping[str, Any]) -> float:
    """Of ``F=K d^1.5`` in the description."""
    found = re.search(r"d\^([0-9.]*[0-9])", case["description"])
    assert found, f"{case['id']}: the description does not state the force law F = K d^n"
    return float(found[1])


def elastic_bounce(p: Inputs, case: Mapping[str, Any]) -> Inputs:
    return arrays(
        {
            "height": p["y0"],
            "speed": p["v"],
            "radius": p["r"],
            "floor": 0.0,
            "mass": p["m"],
            "stiffness": p["K"],
            "exponent": exponent_in(case),
            "restitution": 1.0,
            "reference_speed": 1.0,
            "times": p["T"] * jnp.ones(SAMPLES),
        }
    )


def hunt_crossley_bounce(p: Inputs, case: Mapping[str, Any]) -> Inputs:
    """``F = K d^n (1 + chi/K d')``: the damping ratio is ``chi v/K`` at the speed ``v``, here 1
    m/s. Exponent and mass do not matter.
    """
    return arrays(
        {
            "height": 0.0,
            "speed": p["v0"],
            "radius": 1.0,
            "floor": -1.0,
            "mass": 1.0,
            "stiffness": p["K"],
            "exponent": 1.5,
            "restitution": OBTAINED(p["chi"] / p["K"]),
            "reference_speed": 1.0,
            "times": jnp.zeros(SAMPLES),
        }
    )


def rigid(parameters: str, inputs: Callable, outputs: Callable) -> Experiment:
    return Experiment(RIGID, frozenset(parameters.split()), inputs, outputs)


def rigid_spheres(parameters: str, inputs: Callable, outputs: Callable) -> Experiment:
    return Experiment(RIGID_SPHERES, frozenset(parameters.split()), inputs, outputs)


def compliant(parameters: str, inputs: Callable, outputs: Callable) -> Experiment:
    return Experiment(HUNT_CROSSLEY, frozenset(parameters.split()), inputs, outputs)


def rebound(motion: Inputs, counts: Inputs, p: Inputs) -> Inputs:
    return {"v_out": motion["rebound_speed"], "e": motion["rebound_speed"] / p["v0"]}


EXPERIMENTS = {
    "G01": rigid("y0 v r e T", bounce_once, lambda motion, counts, p: {"h": motion["position"][2]}),
    "G02": rigid(
        "y0 v yg T", point_on_ground, lambda motion, counts, p: {"y": motion["position"][2]}
    ),
    "G03": rigid_spheres(
        "x1 x2 u r T e",
        pushed_into_another,
        lambda motion, counts, p: {"loss": motion["position"][1, 0] ** 2},
    ),
    "G05": rigid("y0 r g e T", dropped, lambda motion, counts, p: {"y": motion["position"][2]}),
    "G07": rigid("y0 r g e", dropped_for_good, time_to_rest),
    "G08": rigid(
        "vn vt rw e mu b0", oblique, lambda motion, counts, p: {"vt_out": motion["velocity"][0]}
    ),
    "G09": rigid_spheres("R b e v X T", off_centre, place_of_second),
    "G10": rigid_spheres(
        "m1 m2 m3 e v", chain, lambda motion, counts, p: {"v3": motion["velocity"][2, 0]}
    ),
    "G11": rigid("d0 L v e T", between_walls, distance_from_last_wall),
    "G12": compliant(
        "y0 v r T m K", elastic_bounce, lambda motion, counts, p: {"h": motion["height"][0]}
    ),
    "G13": compliant("K chi v0 A", hunt_crossley_bounce, rebound),
}
"""By the number with which the name of a case begins; see the descriptions there."""


class Derivatives:
    """Values and derivatives of the outputs of a case."""

    def __init__(self, experiment: Experiment, case: Mapping[str, Any]):
        self.experiment, self.case = experiment, case
        self.parameters = arrays(case["parameters"])
        unknown = set(self.parameters) ^ experiment.parameters
        assert not unknown, (
            f"{case['id']}: parameters {', '.join(sorted(unknown))} are not those of this kind"
        )

    def inputs(self, parameters: Inputs) -> Inputs:
        return self.experiment.inputs(parameters, self.case)

    @cache  # noqa: B019 - lives as long as the tests
    def along(self, name: str) -> tuple[Inputs, Inputs]:
        """Outputs and their derivatives with respect to one parameter, in forward mode."""
        direction = {
            key: jnp.ones_like(value) if key == name else jnp.zeros_like(value)
            for key, value in self.parameters.items()
        }
        inputs, input_tangents = jax.jvp(self.inputs, (self.parameters,), (direction,))
        motion, motion_tangents, counts = self.experiment.motion.tangent(inputs, input_tangents)
        return jax.jvp(
            lambda m, p: self.experiment.outputs(m, counts, p),
            (motion, self.parameters),
            (motion_tangents, direction),
        )

    @cache  # noqa: B019 - lives as long as the tests
    def gradient(self, output: str) -> Inputs:
        """Derivatives of one output with respect to all parameters, in reverse mode."""
        inputs, to_parameters = jax.vjp(self.inputs, self.parameters)
        motion, _, counts = self.experiment.motion.tangent(
            inputs, jax.tree.map(jnp.zeros_like, inputs)
        )
        slopes, direct = jax.grad(
            lambda m, p: self.experiment.outputs(m, counts, p)[output], argnums=(0, 1)
        )(motion, self.parameters)
        through_motion = to_parameters(self.experiment.motion.cotangent(inputs, slopes))[0]
        return jax.tree.map(jnp.add, direct, through_motion)


def close(value: Any, expected: float) -> None:
    assert_close(Computed(value, RTOL, atol=1e-12 if expected == 0.0 else 0.0), expected)


def experiment_cases(
    file: ReferenceFile, name: str, case: Mapping[str, Any], experiment: Experiment
) -> Iterable[Case]:
    """Each output, and each of its derivatives in forward and (of rigid motions) in reverse
    mode.
    """
    lazily = cache(partial(Derivatives, experiment, case))
    some = next(iter(case["parameters"]))
    for output, expected in case["outputs"].items():
        yield Case(
            f"{name}/{output}",
            lambda output=output, expected=expected: close(
                lazily().along(some)[0][output], expected
            ),
        )
    for output, gradient in case["gradients"].items():
        for parameter, expected in gradient.items():
            derivative = f"{name}/d{output}/d{parameter}"
            yield Case(
                f"{derivative} forward",
                lambda output=output, parameter=parameter, expected=expected: close(
                    lazily().along(parameter)[1][output], expected
                ),
            )
            if experiment.motion is not HUNT_CROSSLEY:
                yield Case(
                    f"{derivative} reverse",
                    lambda output=output, parameter=parameter, expected=expected: close(
                        lazily().gradient(output)[parameter], expected
                    ),
                )


def cases(file: ReferenceFile) -> Iterable[Case]:
    for case in file.document["cases"]:
        name = f"{file.name}/{case['id']}"
        number = re.match(r"G\d+", case["id"])
        runners = {
            f"closed_form/gradient/{known}": lambda name=name, case=case, experiment=experiment: (
                experiment_cases(file, name, case, experiment)
            )
            for known, experiment in EXPERIMENTS.items()
        }
        yield from dispatch(
            file, name, f"closed_form/gradient/{number[0] if number else case['id']}", runners
        )


def is_gradient_file(document: Any) -> bool:
    cases = document.get("cases") if isinstance(document, dict) else None
    return (
        isinstance(cases, list)
        and bool(cases)
        and all({"id", "parameters", "outputs", "gradients"} <= set(case) for case in cases)
    )


FILE_KINDS = (FileKind("gradient cases", is_gradient_file, cases),)
