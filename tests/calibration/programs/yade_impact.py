"""Impacts in the real YADE, with the blocks that are exported: a script that YADE runs. It reads
cases from a file and writes the velocities after each to another one; both are named in the
environment.
"""

import json
import math
import os
from pathlib import Path

import yade
from yade import utils
from yade.wrapper import (
    Bo1_Sphere_Aabb,
    Bo1_Wall_Aabb,
    ForceResetter,
    Ig2_Sphere_Sphere_ScGeom,
    Ig2_Wall_Sphere_ScGeom,
    InsertionSortCollider,
    InteractionLoop,
    Ip2_ViscElMat_ViscElMat_ViscElPhys,
    Law2_ScGeom_ViscElPhys_Basic,
    NewtonIntegrator,
    ViscElMat,
)


def velocities_after(case):
    """Of a ball that falls along z with a spin about y, and of the sphere that it meets, if any."""
    scene = yade.Omega()
    scene.reset()
    given = {}
    exec(case["block"], given)
    gap = 1e-3 * case["radius"]

    def sphere(radius, mass, height):
        density = mass / (4 / 3 * math.pi * radius**3)
        material = scene.materials.append(ViscElMat(density=density, **given["fitted"]))
        return scene.bodies.append(utils.sphere((0, 0, height), radius, material=material))

    bodies = [sphere(case["radius"], case["mass"], case["radius"] + gap)]
    if case["partner_radius"] is None:
        scene.bodies.append(utils.wall(0, 2, material=0))
    else:
        bodies.append(sphere(case["partner_radius"], case["partner_mass"], -case["partner_radius"]))
    scene.engines = [
        ForceResetter(),
        InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()]),
        InteractionLoop(
            [Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],
            [Ip2_ViscElMat_ViscElMat_ViscElPhys()],
            [Law2_ScGeom_ViscElPhys_Basic()],
        ),
        NewtonIntegrator(damping=0, gravity=(0, 0, 0)),
    ]
    scene.dt = case["step"]
    scene.bodies[bodies[0]].state.vel = (0, 0, -case["speed"])
    scene.bodies[bodies[0]].state.angVel = (0, case["spin"], 0)
    for _ in range(math.ceil((3 * case["time"] + 2 * gap / case["speed"]) / case["step"])):
        scene.step()
    return [list(scene.bodies[body].state.vel) for body in bodies]


if "YADE_CASES" in os.environ:
    cases = json.loads(Path(os.environ["YADE_CASES"]).read_text())
    found = [velocities_after(case) for case in cases]
    Path(os.environ["YADE_RESULTS"]).write_text(json.dumps(found))
