"""Random scenes of many kinds: the same numbers for the same seed, in plain NumPy."""

import numpy as np

from tests.jaxcontact.simulation.multibody import integration
from tests.jaxcontact.simulation.multibody.equations_of_contact import Kind, World

DAMPED = {
    "linear": (0.15, 0.98),
    "tsuji": (0.15, 0.98),
    "kuwabara_kono": (0.03, 0.8),
    "hertz_dashpot": (0.03, 0.8),
    "elastic": (1.0, 1.0),
    "hunt_crossley": (0.1, 0.98),
}
"""Restitutions, or reduced dampings, of the laws."""

TWO, THREE, FOUR, TWO_CLUMPS = (0, 1), (0, 1, 2), (0, 1, 2, 3), (0, 0, 1, 1)
KINDS = {
    "sphere over a plane": Kind((0,), ("plane",)),
    "sphere in air": Kind((0,), ("plane",), drag=True),
    "sphere over a plane, general": Kind((0,), ("plane",), general=True),
    "sphere, rolling and spinning": Kind((0,), ("plane",), twisted=True),
    "sphere over a ball": Kind((0,), ("sphere",)),
    "sphere over a capsule": Kind((0,), ("capsule",)),
    "sphere over a box": Kind((0,), ("box",)),
    "sphere, linear": Kind((0,), ("plane",), "linear"),
    "sphere, Tsuji to zero force": Kind((0,), ("plane",), "tsuji", "zero_force"),
    "spheres": Kind(THREE),
    "spheres, power law": Kind(TWO, (), "elastic"),
    "spheres, linear": Kind(TWO, (), "linear"),
    "spheres, linear to zero force": Kind(TWO, (), "linear", "zero_force"),
    "spheres, Tsuji": Kind(TWO, (), "tsuji"),
    "spheres, Kuwabara and Kono to zero force": Kind(TWO, (), "kuwabara_kono", "zero_force"),
    "spheres, Hertz dashpot": Kind(TWO, (), "hertz_dashpot"),
    "spheres between planes": Kind(THREE, ("plane", "plane")),
    "spheres in a hollow sphere": Kind(TWO, ("hollow sphere",)),
    "spheres, rolling and spinning": Kind(TWO, ("plane",), twisted=True),
    "column": Kind(THREE, ("plane",), column=True),
    "four spheres, linear to zero force": Kind(FOUR, ("plane",), "linear", "zero_force"),
    "spheres and obstacles": Kind(TWO, ("sphere", "capsule", "box")),
    "clump and sphere": Kind((0, 0, 1), (), clumps=True),
    "clumps": Kind(TWO_CLUMPS, (), clumps=True),
    "clumps, rolling and spinning": Kind(TWO_CLUMPS, (), clumps=True, twisted=True),
    "clumps, linear": Kind(TWO_CLUMPS, (), "linear", clumps=True),
    "clump over a plane": Kind((0, 0), ("plane",), clumps=True),
    "clump in a hollow sphere": Kind((0, 0), ("hollow sphere",), clumps=True),
    "clump and sphere on obstacles": Kind((0, 0, 0, 1), ("sphere", "capsule"), clumps=True),
}


def directions(rng, *shape):
    found = rng.normal(size=(*shape, 3))
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


def random_obstacle(rng, kind: str, size: float) -> np.ndarray:
    """Around the origin; planes below it."""
    if kind == "plane":
        normal = 0.4 * directions(rng) + [0.0, 0.0, 1.0]
        return np.append(normal * rng.uniform(0.5, 2.0), -size * rng.uniform(1.5, 3.0))
    if kind == "hollow sphere":
        return size * np.array([0.0, 0.0, 4.0, rng.uniform(10.0, 11.0)])
    centre = size * (1.5 * directions(rng) - [0.0, 0.0, 1.5])
    if kind == "sphere":
        return np.append(centre, size * rng.uniform(0.7, 1.5))
    if kind == "capsule":
        half = size * directions(rng)
        return np.concatenate([centre - half, centre + half, [size * rng.uniform(0.3, 1.0)]])
    return np.concatenate([centre, size * rng.uniform(0.7, 2.0, 3), directions(rng)])


def random_numbers(rng, kind: Kind) -> dict[str, np.ndarray]:
    """Bodies on their way to the middle of the scene, or in contact."""
    count, members = kind.bodies, len(kind.of_body)
    size, speed = 10 ** rng.uniform(-2.5, -1), 10 ** rng.uniform(-0.5, 1)
    radius = size * rng.uniform(0.6, 1.4, members)
    mass = 10 ** rng.uniform(2.5, 4) * 4 * size**3 * rng.uniform(0.5, 2.0, count)
    above = np.array([0.0, 0.0, 1.0 if kind.obstacles else 0.0])
    position = size * rng.uniform(2.5, 6.0, (count, 1)) * (directions(rng, count) + above)
    towards = size * rng.uniform(0, 1.0, (count, 1)) * directions(rng, count) - position
    towards /= np.linalg.norm(towards, axis=-1, keepdims=True)
    overlap = size * 10 ** rng.uniform(-3.5, -1.7)
    exponent = rng.uniform(1.2, 2.5) if kind.law == "elastic" else 1.5
    least = np.min(mass)
    if kind.law == "linear":
        stiffness = least * (speed / overlap) ** 2
    else:
        stiffness = least * speed**2 / overlap ** (exponent + 1)
    damped = rng.uniform(*DAMPED[kind.law])
    if kind.law == "kuwabara_kono":
        damped /= 1.5 * (stiffness / least) ** 0.4 * speed**0.2
    if kind.law == "hertz_dashpot":
        damped *= stiffness**0.4 * least**0.6 * speed**0.2
    p = {
        "position": position,
        "velocity": speed * (rng.uniform(0.5, 1.5, (count, 1)) * towards),
        "spin": speed / size * rng.choice([0.0, 0.3, 1.0]) * rng.normal(size=(count, 3)),
        "radius": radius,
        "mass": mass,
        "gravity": np.array([0.0, 0.0, -9.81]) if kind.obstacles else np.zeros(3),
        "law": np.array([stiffness, damped, exponent]),
        "friction": np.array([rng.uniform(0, 0.8), speed * 10 ** rng.uniform(-2.3, -0.3)]),
        "drag": np.array(rng.uniform(0.1, 0.6)),
    }
    p |= {f"obstacle {i}": random_obstacle(rng, o, size) for i, o in enumerate(kind.obstacles)}
    if kind.clumps:
        turned = rng.normal(size=(count, 4))
        p["orientation"] = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
        alone = np.bincount(kind.of_body)[np.array(kind.of_body)] == 1
        p["offset"] = np.where(alone[:, None], 0.0, 0.8 * size * rng.normal(size=(members, 3)))
        axes = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
        moments = mass[:, None] * size**2 * rng.uniform(0.6, 1.1, (count, 3))
        p["inertia"] = np.einsum("nij,nj,nkj->nik", axes, moments, axes)
    p["duration"] = np.array(rng.uniform(6.0, 12.0) * size / speed)
    if kind.twisted:
        coefficients, scales = (
            rng.uniform(0.0, 0.2, 2) * [1.0, 4.0],
            10 ** rng.uniform(-2.3, -0.3, 2),
        )
        p["twisted"] = np.ravel(np.column_stack([coefficients, speed / size * scales]))
    if kind.column:
        return as_a_column(rng, p, size, speed)
    pressed = rng.uniform() < 0.3 and (count > 1 or kind.general)
    return brought_into_contact(rng, kind, p, overlap) if pressed else p


def as_a_column(rng, p: dict, size: float, speed: float) -> dict:
    """Falling together, so that contacts overlap in time."""
    *normal, offset = p["obstacle 0"]
    normal = np.array(normal) / np.linalg.norm(normal)
    radius, count = p["radius"], len(p["radius"])
    gaps = size * 10 ** rng.uniform(-3.5, -1.0, count)
    heights = np.cumsum(2 * radius + gaps) - radius + offset
    sideways = size * rng.uniform(-0.2, 0.2, (count, 3))
    sideways -= (sideways @ normal)[:, None] * normal
    velocity = speed * (0.2 * rng.normal(size=(count, 3)) - normal)
    return {**p, "position": heights[:, None] * normal + sideways, "velocity": velocity}


def brought_into_contact(rng, kind: Kind, p: dict, overlap: float) -> dict:
    """The last body moved until it overlaps what is nearest to it."""
    world = World(kind, p)
    start = np.real(world.start).tolist()
    last = kind.bodies - 1
    pairs = [pair for pair in world.pairs if last in bodies_of(kind, pair)]
    gap, normal, pair = min(
        ((*world.gap(start, pair), pair) for pair in pairs), key=lambda found: found[0].real
    )
    sign = 1.0 if kind.of_body[pair[0]] == last else -1.0
    moved = p["position"].copy()
    moved[last] -= sign * np.real(normal) * (gap.real + rng.uniform(0.1, 1.0) * overlap)
    return {**p, "position": moved}


def bodies_of(kind: Kind, pair) -> list[int]:
    return [kind.of_body[member] for member in pair if member >= 0]


def random_scene(rng, kind: Kind) -> dict[str, np.ndarray]:
    """One in which nothing overlaps at the start by more than a contact would."""
    while True:
        p = random_numbers(rng, kind)
        world = World(kind, p)
        gaps = [world.gap(world.start, pair)[0].real for pair in world.pairs]
        if min(gaps) > -0.03 * np.min(p["radius"]) and sum(gap < 0 for gap in gaps) <= 1:
            return p


def random_direction(rng, kind: Kind, p: dict) -> dict[str, np.ndarray]:
    """Of all numbers, of the order of each."""
    size, speed, _ = integration.units(kind, p)
    scale = {"position": size, "velocity": speed, "spin": speed / size, "orientation": 1.0}
    along = {
        name: rng.normal(size=value.shape) * scale.get(name, value) for name, value in p.items()
    }
    if kind.clumps:
        along["inertia"] = p["inertia"] * rng.normal(size=(kind.bodies, 1, 1))
    for i, obstacle in enumerate(kind.obstacles):
        value = p[f"obstacle {i}"]
        along[f"obstacle {i}"] = rng.normal(size=value.shape) * np.where(
            (obstacle == "plane") & (np.arange(len(value)) < 3), 0.5, size
        )
        if obstacle == "box":
            along[f"obstacle {i}"][6:] = rng.normal(size=3)
    along["law"] = along["law"] * ([1, 0, 1] if kind.law == "elastic" else [1, 1, 0])
    if kind.law in ("hunt_crossley", "linear", "tsuji"):  # so that it stays in (0, 1)
        along["law"][1] *= 1 - p["law"][1]
    return {**along, "duration": np.zeros(())}


def moments_of(rng, p: dict) -> np.ndarray:
    return np.append(0.0, p["duration"] * np.sort(np.append(rng.uniform(0.2, 1.0, 3), 1.0)))


def drawn(kind: Kind, seed: int):
    """Numbers, direction and times of a scene."""
    rng = np.random.default_rng(seed)
    p = random_scene(rng, kind)
    return p, random_direction(rng, kind, p), moments_of(rng, p)
