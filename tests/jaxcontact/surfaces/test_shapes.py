"""Closest points of surfaces, against what must hold for any surface and against descriptions that
do not use distances.
"""

import functools

import hypothesis
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import strategies
from jax.flatten_util import ravel_pytree
from scipy.spatial.transform import Rotation

from jaxcontact.geometry.rotation import rotate
from jaxcontact.scene import scene
from jaxcontact.surfaces import (
    Beam,
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Facet,
    Funnel,
    Mesh,
    Plane,
    PrescribedMotion,
    Sphere,
    Tube,
)
from jaxcontact.testing import check_surface

pytestmark = pytest.mark.slow

MOTION = PrescribedMotion(
    reference_point=(0.3, -0.2, 0.5),
    velocity=(0.4, -0.7, 0.2),
    angular_velocity=(1.1, -0.6, 2.3),
    amplitude=(0.1, 0.05, -0.2),
    frequency=0.8,
    phase=0.4,
)
CUBE = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
CUBE_FACES = np.array(
    [
        [0, 1, 3],
        [0, 3, 2],
        [4, 6, 7],
        [4, 7, 5],
        [0, 4, 5],
        [0, 5, 1],
        [2, 3, 7],
        [2, 7, 6],
        [0, 2, 6],
        [0, 6, 4],
        [1, 5, 7],
        [1, 7, 3],
    ]
)
DENTED = CUBE.copy()
DENTED[7] = (0.35, 0.4, 0.3)
AXIS = {"start": (0.1, 0.2, -0.3), "end": (0.5, -0.4, 0.6)}
TURNED = {"center": (0.2, -0.1, 0.3), "orientation": (0.5, -0.3, 0.8)}
LEANING = {"center": (0.2, -0.1, 0.1), "axis": (0.6, -0.4, 1.5)}

SHAPES = {
    "plane": Plane(normal=(0.3, -0.4, 2.0), offset=0.2, motion=MOTION),
    "sphere": Sphere(center=(0.2, 0.1, -0.1), radius=0.6, motion=MOTION),
    "capsule": Capsule(**AXIS, radius=0.4, motion=MOTION),
    "cylinder": Cylinder(**AXIS, radius=0.5, motion=MOTION),
    "cone": Cone(**AXIS, start_radius=0.6, motion=MOTION),
    "frustum": Cone(**AXIS, start_radius=0.3, end_radius=0.7, motion=MOTION),
    "box": Box(**TURNED, lengths=(1.0, 0.6, 1.4), motion=MOTION),
    "beam": Beam(**TURNED, length=1.1, width=0.6, thickness=0.4, motion=MOTION),
    "ellipsoid": Ellipsoid(**TURNED, semi_axes=(0.9, 0.35, 0.6), motion=MOTION),
    "facet": Facet(
        vertices=((0.1, 0.2, -0.3), (1.2, 0.1, 0.4), (-0.2, 0.9, 0.3)),
        two_sided=True,
        motion=MOTION,
    ),
    "tube": Tube(**AXIS, radius=0.5, motion=MOTION),
    "funnel": Funnel(**LEANING, opening_radius=0.2, rim_radius=0.7, height=0.6, motion=MOTION),
    "plate": Funnel(**LEANING, opening_radius=0.3, rim_radius=0.9, motion=MOTION),
    "mesh": Mesh(vertices=DENTED, faces=CUBE_FACES, motion=MOTION),
}
CONVEX = [name for name in SHAPES if name not in ("mesh", "tube", "funnel", "plate")]
every_shape = pytest.mark.parametrize("name", SHAPES)

OFFSETS = (-3, -2, -1, 1, 2, 3)
FOURTH_ORDER = np.array([0, 1, -8, 8, -1, 0]) / 12
SIXTH_ORDER = np.array([-1, 9, -45, 45, -9, 1]) / 60

COUNT = 300
RANDOM = np.random.default_rng(20261120)
TIMES = RANDOM.uniform(-1.0, 2.0, size=COUNT)

compiled = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})


def outputs(surface, vector, unravel):
    """All outputs ``(10,)`` as a function of all parameters, centre and time in one vector."""
    at = unravel(vector[:-4]).closest(vector[-4:-1], vector[-1])
    return ravel_pytree(at)[0], at


@compiled
@functools.partial(jax.vmap, in_axes=(None, 0))
def value_and_slope(surface, vector):
    """``SurfacePoint`` and the derivatives of its ten numbers by all parameters, centre and time;
    one compilation for a kind of shape.
    """
    unravel = ravel_pytree(surface)[1]
    slope, at = jax.jacfwd(lambda vector: outputs(surface, vector, unravel), has_aux=True)(vector)
    return at, slope


def as_arrays(surface, dtype=float):
    return jax.tree.map(
        lambda x: np.asarray(x, dtype), surface, is_leaf=lambda x: isinstance(x, tuple)
    )


def as_vectors(surface, centers, times):
    parameters = ravel_pytree(as_arrays(surface))[0]
    return np.concatenate(
        [
            np.broadcast_to(parameters, (len(centers), len(parameters))),
            centers,
            np.reshape(times, (-1, 1)),
        ],
        axis=1,
    )


def evaluate(surface, centers, times):
    return jax.tree.map(
        np.array, value_and_slope(as_arrays(surface), as_vectors(surface, centers, times))
    )


def moved(points, time):
    """Material points ``(n, 3)`` of the description at a time."""
    turned = Rotation.from_rotvec(np.multiply(MOTION.angular_velocity, time)).apply(
        points - np.array(MOTION.reference_point)
    )
    swing = np.multiply(
        MOTION.amplitude, np.sin(2 * np.pi * MOTION.frequency * time + MOTION.phase)
    )
    return turned + MOTION.reference_point + np.multiply(MOTION.velocity, time) + swing


AT_REST = np.array([0.3, 0.1, 0.2]) + RANDOM.normal(size=(COUNT, 3)) * RANDOM.choice(
    [0.3, 0.8, 2.0], size=(COUNT, 1)
)
CENTERS = np.array(
    [moved(point[None], time)[0] for point, time in zip(AT_REST, TIMES, strict=True)]
)


@functools.cache
def evaluated(name):
    return evaluate(SHAPES[name], CENTERS, TIMES)


def found(name):
    return evaluated(name)[0]


# --- descriptions without distances: negative inside, zero on the surface, points at rest


def own_axes(points, shape):
    return Rotation.from_rotvec(shape.orientation).inv().apply(points - np.array(shape.center))


def cylindrical(points, shape):
    start, end = np.array(shape.start), np.array(shape.end)
    length = np.linalg.norm(end - start)
    height = (points - start) @ (end - start) / length
    return (
        np.linalg.norm(points - start - height[:, None] * (end - start) / length, axis=1),
        height,
        length,
    )


def frustum_level(points, shape):
    radius, height, length = cylindrical(points, shape)
    return np.maximum(
        radius - shape.start_radius - height / length * (shape.end_radius - shape.start_radius),
        np.abs(height - length / 2) - length / 2,
    )


def cylinder_level(points, shape):
    radius, height, length = cylindrical(points, shape)
    return np.maximum(radius - shape.radius, np.abs(height - length / 2) - length / 2)


def capsule_level(points, shape):
    radius, height, length = cylindrical(points, shape)
    return np.hypot(radius, height - np.clip(height, 0.0, length)) - shape.radius


def beam_level(points, shape):
    x, y, z = np.abs(own_axes(points, shape)).T
    return np.maximum(
        np.hypot(np.maximum(x - shape.length / 2, 0.0), y) - shape.width / 2,
        z - shape.thickness / 2,
    )


def mesh_level(points, shape):
    """Half minus the winding number, from the solid angles of the triangles (van Oosterom and
    Strackee 1983).
    """
    a, b, c = np.moveaxis(
        np.asarray(shape.vertices)[np.array(shape.faces)][:, None] - points[:, None], 2, 0
    )
    la, lb, lc = (np.linalg.norm(x, axis=-1) for x in (a, b, c))
    volume = np.sum(a * np.cross(b, c), axis=-1)
    rest = la * lb * lc + np.sum(a * b, -1) * lc + np.sum(b * c, -1) * la + np.sum(c * a, -1) * lb
    return 0.5 - np.sum(np.arctan2(volume, rest), axis=0) / (2 * np.pi)


def distances_in_weights(points, shape):
    """How far each of the ``points`` is from being a mean of the vertices of each face with
    positive weights.
    """
    triangles = np.array(shape.vertices)[np.array(shape.faces)]
    equations = np.concatenate(
        [np.swapaxes(triangles, 1, 2), np.ones((len(triangles), 1, 3))], axis=1
    )
    right = np.concatenate([points, np.ones((len(points), 1))], axis=1)
    weights = np.einsum("fwe,pe->pfw", np.linalg.pinv(equations), right)
    rest = np.einsum("few,pfw->pfe", equations, weights) - right[:, None]
    return np.max(np.abs(rest), axis=2) + np.max(np.maximum(-weights, 0.0), axis=2)


LEVELS = {
    "plane": lambda x, s: x @ np.array(s.normal) / np.linalg.norm(s.normal) - s.offset,
    "sphere": lambda x, s: np.linalg.norm(x - np.array(s.center), axis=1) - s.radius,
    "capsule": capsule_level,
    "cylinder": cylinder_level,
    "cone": frustum_level,
    "frustum": frustum_level,
    "box": lambda x, s: np.max(np.abs(own_axes(x, s)) - np.array(s.lengths) / 2, axis=1),
    "beam": beam_level,
    "ellipsoid": lambda x, s: np.sum((own_axes(x, s) / np.array(s.semi_axes)) ** 2, axis=1) - 1.0,
    "mesh": mesh_level,
}


def surface_samples(name):
    """Points on a surface at rest: where segments between random points cross it (bisection of the
    level), or weights of a triangle.
    """
    shape, random = SHAPES[name], np.random.default_rng(1)
    if name == "facet":
        weights = random.dirichlet((0.5, 0.5, 0.5), size=20000)
        return weights @ np.array(shape.vertices)
    if name == "tube":
        start, end = np.array(shape.start), np.array(shape.end)
        axis = (end - start) / np.linalg.norm(end - start)
        across = np.cross(axis, random.normal(size=(20000, 3)))
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        return start + random.uniform(size=(20000, 1)) * (end - start) + shape.radius * across
    if name in ("funnel", "plate"):
        axis = np.array(shape.axis) / np.linalg.norm(shape.axis)
        around = np.cross(axis, random.normal(size=(20000, 3)))
        around /= np.linalg.norm(around, axis=1, keepdims=True)
        along = random.uniform(size=(20000, 1))
        radius = shape.opening_radius + along * (shape.rim_radius - shape.opening_radius)
        return np.array(shape.center) + along * shape.height * axis + radius * around
    if name == "mesh":
        weights = random.dirichlet((0.5, 0.5, 0.5), size=(12, 2000))
        return np.einsum("fsk,fkx->fsx", weights, shape.vertices[np.array(shape.faces)]).reshape(
            -1, 3
        )
    one, two = random.uniform(-1.2, 1.4, size=(2, 40000, 3))
    one[::2] = random.uniform(-0.1, 0.1, size=(20000, 3)) + np.array([0.25, -0.1, 0.1])

    def level(points):
        return LEVELS[name](points, shape)

    crosses = level(one) * level(two) < 0.0
    one, two = one[crosses], two[crosses]
    for _ in range(48):
        middle = 0.5 * (one + two)
        same = (level(middle) * level(one) > 0.0)[:, None]
        one, two = np.where(same, middle, one), np.where(same, two, middle)
    return 0.5 * (one + two)


def to_rest(points):
    """The inverse of ``moved``, each point at its own time."""
    swing = np.multiply(
        MOTION.amplitude, np.sin(2 * np.pi * MOTION.frequency * TIMES + MOTION.phase)[:, None]
    )
    turned = points - MOTION.reference_point - np.multiply(MOTION.velocity, TIMES[:, None]) - swing
    turns = Rotation.from_rotvec(np.multiply(MOTION.angular_velocity, TIMES[:, None])).inv()
    return turns.apply(turned) + MOTION.reference_point


# --- what must hold


@every_shape
def test_distance_normal_and_point_belong_together(name):
    at = found(name)
    np.testing.assert_allclose(np.linalg.norm(at.normal, axis=1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(
        np.linalg.norm(at.point - CENTERS, axis=1), np.abs(at.distance), atol=1e-14
    )


@pytest.mark.parametrize("name", LEVELS)
def test_the_point_is_on_the_surface_and_the_sign_tells_the_side(name):
    shape, at = SHAPES[name], found(name)
    sides = LEVELS[name](AT_REST, shape)
    assert np.all(np.sign(sides) == np.sign(at.distance))
    assert 10 < np.sum(at.distance < 0.0) < COUNT - 10
    if name == "mesh":  # its level is a step
        assert np.max(np.min(distances_in_weights(to_rest(at.point), shape), axis=1)) < 1e-13
    else:
        np.testing.assert_allclose(LEVELS[name](to_rest(at.point), shape), 0.0, atol=1e-13)


@every_shape
def test_no_other_point_of_the_surface_is_closer(name):
    samples = surface_samples(name)
    assert len(samples) > 5000
    nearest = np.array([np.min(np.linalg.norm(samples - center, axis=1)) for center in AT_REST])
    distance = np.abs(found(name).distance)
    assert np.all(nearest >= distance - 1e-12)
    if name != "plane":  # whose samples end
        assert np.median(nearest - distance) < 0.01


@every_shape
def test_gradient_of_the_distance_is_the_normal(name):
    at, slope = evaluated(name)
    np.testing.assert_allclose(slope[:, 0, -4:-1], at.normal, atol=1e-13)


@every_shape
def test_the_distance_to_a_fixed_centre_changes_with_minus_the_normal_velocity(name):
    at, slope = evaluated(name)
    np.testing.assert_allclose(
        slope[:, 0, -1], -np.sum(at.normal * at.velocity, axis=1), atol=1e-12
    )


@every_shape
def test_derivatives_are_those_of_differences(name):
    """Along random changes of all parameters, centre and time; where two orders agree the stencil
    lies in a smooth part.
    """
    surface, slope = as_arrays(SHAPES[name]), evaluated(name)[1]
    vectors = as_vectors(surface, CENTERS, TIMES)
    for seed in range(2):
        change = np.random.default_rng(seed).normal(size=vectors.shape)
        change /= np.linalg.norm(change, axis=1, keepdims=True)
        shifted = [value_and_slope(surface, vectors + k * 2e-3 * change)[0] for k in OFFSETS]
        samples = [np.concatenate([x.reshape(COUNT, -1) for x in at], axis=1) for at in shifted]
        fourth, sixth = (
            np.tensordot(weights, samples, axes=1) / 2e-3 for weights in (FOURTH_ORDER, SIXTH_ORDER)
        )
        smooth = np.all(np.abs(fourth - sixth) < 1e-6, axis=1)
        assert smooth.sum() > 0.5 * COUNT
        np.testing.assert_allclose(
            np.einsum("cfp,cp->cf", slope, change)[smooth], sixth[smooth], atol=1e-7
        )


@pytest.mark.long(
    "cylinder-False",
    "cylinder-True",
    "cone-False",
    "cone-True",
    "frustum-False",
    "frustum-True",
    "box-False",
    "box-True",
    "beam-False",
    "beam-True",
    "facet-False",
    "facet-True",
    "tube-False",
    "tube-True",
    "funnel-False",
    "funnel-True",
    "mesh-False",
    "mesh-True",
)
@pytest.mark.parametrize("hollow", [False, True])
@pytest.mark.parametrize(
    "name",
    ["capsule", "cylinder", "cone", "frustum", "box", "beam", "facet", "tube", "funnel", "mesh"],
)
def test_where_the_curvature_jumps_there_is_a_border(name, hollow):
    shape = SHAPES[name]
    if hollow and name in ("facet", "tube", "funnel"):
        pytest.skip("has no inside")
    check_surface(shape.replace(hollow=True) if hollow else shape)


@pytest.mark.parametrize("name", CONVEX)
def test_outside_a_convex_body_the_gradient_of_the_distance_is_continuous(name):
    """Over a line past the body it changes no faster than 1/distance allows, also where the closest
    feature changes.
    """
    line = (
        np.linspace([-2.0, 0.9, 0.3], [2.0, -0.8, 0.9], COUNT),
        np.linspace([0.3, -2.0, 1.2], [-0.4, 2.0, 0.9], COUNT),
    )
    for points in line:
        at, _ = evaluate(SHAPES[name], points, np.full(COUNT, 0.3))
        step = np.linalg.norm(points[1] - points[0])
        free = np.minimum(at.distance[1:], at.distance[:-1])
        change = np.linalg.norm(np.diff(at.normal, axis=0), axis=1)
        outside = free > 2 * step
        assert outside.sum() > 50
        assert np.all(change[outside] <= 1.02 * step / free[outside])


def turned_and_moved(shape, turn, shift):
    """The same shape, its parameters described in another frame."""
    place = lambda points: turn.apply(np.reshape(points, (-1, 3))).reshape(np.shape(points)) + shift  # noqa: E731
    changes = {
        name: place(getattr(shape, name))
        for name in ("center", "start", "end", "vertices")
        if hasattr(shape, name)
    }
    if hasattr(shape, "orientation"):
        changes["orientation"] = (turn * Rotation.from_rotvec(shape.orientation)).as_rotvec()
    if hasattr(shape, "axis"):
        changes["axis"] = turn.apply(shape.axis)
    if hasattr(shape, "offset"):
        changes["normal"] = normal = turn.apply(shape.normal)
        changes["offset"] = shape.offset + shift @ normal / np.linalg.norm(normal)
    vectors = {
        name: turn.apply(getattr(MOTION, name))
        for name in ("velocity", "angular_velocity", "amplitude")
    }
    motion = MOTION.replace(reference_point=place(MOTION.reference_point), **vectors)
    return shape.replace(motion=motion, **changes)


number = strategies.floats(-2.0, 2.0).map(lambda x: round(x, 3))


@pytest.mark.long
@hypothesis.settings(max_examples=4, deadline=None, derandomize=True, database=None)
@hypothesis.given(
    angles=strategies.tuples(number, number, number),
    shift=strategies.tuples(number, number, number),
)
def test_turning_and_moving_the_scene_turns_and_moves_the_result(angles, shift):
    turn, shift = Rotation.from_rotvec(angles), np.array(shift)
    for name, shape in SHAPES.items():
        before = found(name)
        after, _ = evaluate(
            turned_and_moved(shape, turn, shift), turn.apply(CENTERS) + shift, TIMES
        )
        np.testing.assert_allclose(after.distance, before.distance, atol=1e-13)
        np.testing.assert_allclose(after.normal, turn.apply(before.normal), atol=1e-11)
        np.testing.assert_allclose(after.point, turn.apply(before.point) + shift, atol=1e-12)
        np.testing.assert_allclose(after.velocity, turn.apply(before.velocity), atol=1e-11)


@hypothesis.settings(max_examples=20, deadline=None, derandomize=True, database=None)
@hypothesis.given(point=strategies.tuples(number, number, number), time=number)
def test_material_velocity_is_the_derivative_of_the_moved_point(point, time):
    def place(time):
        pose = MOTION.pose(time)
        return pose.position + rotate(
            jnp.asarray(point) - jnp.asarray(MOTION.reference_point), pose.rotation
        )

    position, velocity = jax.jvp(place, (time,), (1.0,))
    np.testing.assert_allclose(position, moved(np.array([point]), time)[0], atol=1e-14)
    np.testing.assert_allclose(MOTION.material_velocity(position, time), velocity, atol=1e-13)


# --- degenerate places

STILL = PrescribedMotion(
    **{name: np.zeros(np.shape(getattr(MOTION, name))) for name in MOTION.__dataclass_fields__}
)
PADDED = 12


def weighted(surface, unravel):
    """A sum of all outputs with different weights."""
    return lambda vector: jnp.dot(
        outputs(surface, vector, unravel)[0], jnp.arange(1, 11, dtype=vector.dtype)
    )


@compiled
@functools.partial(jax.vmap, in_axes=(None, 0, 0))
def along(surface, vector, change):
    """``SurfacePoint`` and its first and second derivative along a change of all parameters, centre
    and time.
    """
    unravel = ravel_pytree(surface)[1]

    def first(vector):
        _, tangent, at = jax.jvp(
            lambda vector: outputs(surface, vector, unravel), (vector,), (change,), has_aux=True
        )
        return tangent, at

    slope, curvature, at = jax.jvp(first, (vector,), (change,), has_aux=True)
    return at, slope, curvature


@compiled
@functools.partial(jax.vmap, in_axes=(None, 0))
def gradient_and_hessian(surface, vector):
    total = weighted(surface, ravel_pytree(surface)[1])
    return jax.grad(total)(vector), jax.hessian(total)(vector)


SQUARE = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
CORNERS = {
    "funnel": (
        Funnel(opening_radius=0.5, rim_radius=1.0, height=0.5),
        [
            (0, 0, 0),  # on the axis, in the opening
            (0, 0, 2),
            (0.5, 0, 0),  # on the rims
            (0, 1, 0.5),
            (0.75, 0, 0.25),  # on the wall
            (1.5, 0, 1),  # beyond the rim, along the wall
        ],
    ),
    "plate": (
        Funnel(opening_radius=0.5, rim_radius=1.0),
        [
            (0, 0, 0),
            (0, 0, 1),
            (0.5, 0, 0),
            (0, 1, 0),
            (0.7, 0, 0),
            (1.5, 0, 0),
            (0.2, 0, 0),  # in the hole
        ],
    ),
    "sphere": (Sphere(radius=1.0), [(0, 0, 0), (0, 0, 1), (1, 0, 0)]),
    "capsule": (
        Capsule(radius=0.25),
        [
            (0, 0, 0),
            (0, 0, 0.5),
            (0, 0, -0.5),
            (0, 0, 0.75),
            (0.25, 0, 0),
            (0, 0.25, 0.5),
            (0, 0, 2),
        ],
    ),
    "cylinder": (
        Cylinder(radius=0.5),
        [
            (0, 0, 0),
            (0, 0, 0.2),
            (0, 0, 0.5),
            (0.5, 0, 0),
            (0.5, 0, 0.5),
            (0, -0.5, -0.5),
            (0.5, 0, 0.7),
            (0.7, 0, 0.5),
            (0, 0, 1),
            (0.25, 0, 0.25),
        ],
    ),
    "cone": (
        Cone(start_radius=0.5),
        [
            (0, 0, 0),
            (0, 0, 0.5),
            (0, 0, 0.9),
            (0.5, 0, -0.5),
            (0, 0, -0.5),
            (0, 0, -0.9),
            (0.25, 0, 0),
            (0.5, 0, -0.8),
            (0, 0, 0.2),
        ],
    ),
    "box": (
        Box(lengths=(1.0, 1.0, 1.0)),
        [
            (0, 0, 0),
            (0.5, 0, 0),
            (0.5, 0.5, 0),
            (0.5, 0.5, 0.5),
            (-0.5, 0.5, -0.5),
            (0.5, 0.5, 0.8),
            (0.2, 0.2, 0.2),
            (0.7, 0.5, 0),
            (0, 0, 2),
        ],
    ),
    "beam": (
        Beam(length=1.0, width=0.5, thickness=0.5),
        [
            (0, 0, 0),
            (0.2, 0, 0),
            (0.5, 0, 0),
            (0.75, 0, 0),
            (0.5, 0.25, 0),
            (0.5, 0.25, 0.25),
            (0.75, 0, 0.25),
            (0, 0.25, 0),
            (0.5, 0.4, 0.4),
        ],
    ),
    "ellipsoid": (
        Ellipsoid(semi_axes=(0.75, 0.25, 0.5)),
        [
            (0, 0, 0),
            (0.25, 0, 0),
            (0, 0, 0.2),
            (0.6, 0, 0),
            (0.75, 0, 0),
            (0, 0.25, 0),
            (0, 0, 2),
            (2, 0, 0),
            (0, 0.1, 0),
            (2 / 3, 0, 0),
            (0, 0, 0.375),
        ],
    ),
    "ball": (
        Ellipsoid(semi_axes=(0.5, 0.5, 0.5)),
        [(0, 0, 0), (0.5, 0, 0), (0, 0.2, 0), (0, 0, 3)],
    ),
    "facet": (
        Facet(vertices=SQUARE, two_sided=True),
        [
            (0.2, 0.2, 0),
            (0.5, 0, 0),
            (1, 0, 0),
            (0.5, 0.5, 0),
            (0.2, 0.2, -0.1),
            (2, 0, 0),
            (0, 0, 1),
            (0.5, 0, -1),
        ],
    ),
    "mesh": (
        Mesh(vertices=CUBE, faces=CUBE_FACES),
        [
            (0.5, 0.5, 0.5),
            (1, 0.5, 0.5),
            (1, 1, 0.5),
            (1, 1, 1),
            (0.3, 0.3, 1),
            (1.2, 0.5, 0.5),
            (1.2, 1, 0.5),
            (1.5, 1.5, 1.5),
            (0.5, 0.5, 2),
        ],
    ),
}


@pytest.mark.parametrize("name", CORNERS)
def test_degenerate_places_have_a_unit_normal_which_is_the_gradient(name):
    shape, centers = CORNERS[name]
    centers = np.resize(np.array(centers, float), (COUNT, 3))
    at, slope = evaluate(shape.replace(motion=STILL), centers, np.zeros(COUNT))
    assert np.all(np.isfinite(slope))
    np.testing.assert_allclose(np.linalg.norm(at.normal, axis=1), 1.0, atol=1e-14)
    np.testing.assert_allclose(slope[:, 0, -4:-1], at.normal, atol=1e-14)


@pytest.mark.long
@pytest.mark.parametrize("name", CORNERS)
def test_degenerate_places_have_finite_second_derivatives_in_single_precision(name):
    """The harder case: squares of small distances underflow, their inverses overflow."""
    shape, centers = CORNERS[name]
    vectors = as_vectors(
        shape, np.resize(np.array(centers, float), (PADDED, 3)), np.zeros(PADDED)
    ).astype("float32")
    for seed in range(3):
        change = np.random.default_rng(seed).normal(size=vectors.shape).astype("float32")
        at, slope, curvature = along(as_arrays(shape, "float32"), vectors, change)
        for result in (*at, slope, curvature):
            assert result.dtype == "float32"
            assert np.all(np.isfinite(result))
    np.testing.assert_allclose(np.linalg.norm(at.normal, axis=1), 1.0, atol=1e-6)


@pytest.mark.long(
    "beam-float64",
    "capsule-float64",
    "cone-float64",
    "ellipsoid-float64",
    "facet-float64",
    "funnel-float64",
    "mesh-float64",
    "plate-float64",
)
@pytest.mark.parametrize("dtype", [pytest.param("float32", marks=pytest.mark.long), "float64"])
@pytest.mark.parametrize("name", CORNERS)
def test_degenerate_places_have_finite_gradients_and_hessians(name, dtype):
    shape, centers = CORNERS[name]
    vectors = as_vectors(
        shape, np.resize(np.array(centers, float), (PADDED, 3)), np.zeros(PADDED)
    ).astype(dtype)
    for result in gradient_and_hessian(as_arrays(shape, dtype), vectors):
        assert result.dtype == dtype
        assert np.all(np.isfinite(result))


def test_over_the_tip_of_a_cone_the_normal_turns_as_over_a_point():
    """On the axis of symmetry the derivative across it must not depend on the choice of a direction
    there.
    """
    tip = np.broadcast_to([0.0, 0.0, 0.9], (COUNT, 3))
    slope = evaluate(Cone(start_radius=0.5, motion=STILL), tip, np.zeros(COUNT))[1][0, 1:4, -4:-1]
    np.testing.assert_allclose(slope, np.diag([2.5, 2.5, 0.0]), atol=1e-13)


def test_ellipsoids_of_any_slenderness_at_any_distance():
    random = np.random.default_rng(7)
    axes = 10 ** random.uniform(-3.0, 3.0, size=(4000, 3))
    centers = random.normal(size=(4000, 3)) * axes * 10 ** random.uniform(-3.0, 1.5, size=(4000, 1))
    centers *= np.where(
        random.uniform(size=(4000, 3)) < 0.1, 10 ** random.uniform(-18.0, 0.0, size=(4000, 3)), 1.0
    )
    centers *= random.uniform(size=(4000, 3)) > 0.1

    def both(center, axes):
        return jax.value_and_grad(
            lambda x: (lambda at: (at.distance, at))(Ellipsoid(semi_axes=axes).closest(x, 0.0)),
            has_aux=True,
        )(center)

    (distance, at), slope = compiled(jax.vmap(both))(centers, axes)
    np.testing.assert_allclose(np.sum((np.asarray(at.point) / axes) ** 2, axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(slope, at.normal, atol=1e-14)
    steepest = np.asarray(at.point) / axes**2
    np.testing.assert_allclose(
        at.normal, steepest / np.linalg.norm(steepest, axis=1, keepdims=True), atol=1e-7
    )
    assert np.all(np.sign(distance) == np.sign(np.sum((centers / axes) ** 2, axis=1) - 1.0))


# --- relations between shapes


def test_different_descriptions_of_one_surface_agree():
    pairs = (
        (SHAPES["cylinder"], Cone(**AXIS, start_radius=0.5, end_radius=0.5, motion=MOTION)),
        (
            SHAPES["sphere"],
            Ellipsoid(center=(0.2, 0.1, -0.1), semi_axes=(0.6, 0.6, 0.6), motion=MOTION),
        ),
        (
            Box(center=(0.5, 0.5, 0.5), lengths=(1.0, 1.0, 1.0), motion=MOTION),
            Mesh(vertices=CUBE, faces=CUBE_FACES, motion=MOTION),
        ),
        (
            SHAPES["frustum"],
            Cone(
                start=AXIS["end"],
                end=AXIS["start"],
                start_radius=0.7,
                end_radius=0.3,
                motion=MOTION,
            ),
        ),
    )
    for one, other in pairs:
        first, second = (evaluate(shape, CENTERS, TIMES)[0] for shape in (one, other))
        for name in first._fields:
            np.testing.assert_allclose(getattr(first, name), getattr(second, name), atol=1e-12)


def test_a_hollow_shape_has_its_free_side_inside():
    solid, (hollow, _) = (
        found("cylinder"),
        evaluate(SHAPES["cylinder"].replace(hollow=True), CENTERS, TIMES),
    )
    np.testing.assert_array_equal(hollow.distance, -solid.distance)
    np.testing.assert_array_equal(hollow.normal, -solid.normal)
    np.testing.assert_allclose(hollow.point, solid.point, atol=1e-14)
    drum, _ = evaluate(
        Cylinder(radius=2.0, hollow=True, motion=STILL),
        np.broadcast_to([0.25, 0.0, 0.0], (COUNT, 3)),
        np.zeros(COUNT),
    )
    assert drum.distance[0] == 0.5  # the ends are closer than the wall


def at_rest(surface, center):
    return compiled(lambda surface, center: surface.closest(center, 0.0))(surface, np.array(center))


def test_a_facet_has_one_free_side_or_two():
    behind, beside = (0.2, 0.2, -0.1), (0.5, -0.3, -0.4)
    one, two = Facet(vertices=SQUARE), Facet(vertices=SQUARE, two_sided=True)
    for facet, distance, direction in ((one, -0.1, 1.0), (two, 0.1, -1.0)):
        over_back = at_rest(facet, behind)
        assert float(over_back.distance) == pytest.approx(distance)
        np.testing.assert_array_equal(over_back.normal, [0.0, 0.0, direction])
        assert float(at_rest(facet, beside).distance) == pytest.approx(0.5)


def test_an_open_mesh_is_two_sided():
    sheet = Mesh(vertices=SQUARE, faces=[[0, 1, 2]], closed=False)
    assert float(at_rest(sheet, (0.2, 0.2, -0.1)).distance) == pytest.approx(0.1)


def test_a_funnel_is_two_sided():
    funnel = Funnel(opening_radius=0.5, rim_radius=1.0, height=0.5)
    inwards = np.array([-1.0, 0.0, 1.0]) / np.sqrt(2)
    for side in (1.0, -1.0):
        at = funnel.closest(np.array([0.75, 0.0, 0.25]) + 0.1 * side * inwards, 0.0)
        assert at.distance == pytest.approx(0.1, rel=1e-12)
        np.testing.assert_allclose(at.normal, side * inwards, atol=1e-12)
        np.testing.assert_allclose(at.point, (0.75, 0.0, 0.25), atol=1e-12)


def test_the_plane_is_the_plane_of_scenes():
    mine, other = Plane(normal=(1, 2, 2), offset=0.5), scene.Plane(normal=(1, 2, 2), offset=0.5)
    position = jnp.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(mine.gap(position, 0.1), other.gap(position, 0.1), atol=1e-15)
    np.testing.assert_allclose(mine.unit_normal, other.unit_normal, atol=1e-16)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Sphere(radius=-1.0), r"Sphere: radius = -1 m is outside \(0, inf\)"),
        (lambda: Plane(normal=(0, 0, 0)), "Plane: normal .* has no direction"),
        (
            lambda: Cylinder(start=(0, 0, 0), end=(0, 0, 0), radius=1.0),
            "start = end .* Give two different points",
        ),
        (lambda: Cone(start_radius=0.0), "at least one positive radius"),
        (
            lambda: Funnel(opening_radius=1.0, rim_radius=1.0),
            "is a circle. Give two different radii",
        ),
        (lambda: Funnel(axis=(0, 0, 0), opening_radius=1.0, rim_radius=2.0), "has no direction"),
        (lambda: Facet(vertices=((0, 0, 0), (1, 1, 1), (2, 2, 2))), "on one line"),
        (
            lambda: Mesh(vertices=CUBE, faces=CUBE_FACES[:-1]),
            r"edge \(.*\) has no neighbour.*closed=False",
        ),
        (lambda: Mesh(vertices=CUBE, faces=[*CUBE_FACES.tolist(), [0, 1, 3]]), "occurs twice"),
        (lambda: Mesh(vertices=CUBE[:4], faces=CUBE_FACES), "vertices 0 to 7, but there are 4"),
        (lambda: Mesh(vertices=CUBE, faces=[[0, 1]]), r"shape \(m, 3\)"),
        (
            lambda: Mesh(vertices=CUBE, faces=CUBE_FACES[:1], closed=False, hollow=True),
            "needs closed=True",
        ),
    ],
)
def test_errors_name_argument_value_and_remedy(make, text):
    with pytest.raises(ValueError, match=text):
        make()


@pytest.mark.parametrize("name", ["semi_axes", "orientation", "center"])
def test_a_traced_vector_of_another_length_is_refused_by_name(name):
    def distance(value):
        given = {"semi_axes": (0.2, 0.2, 0.3), name: value}
        return Ellipsoid(**given).closest(jnp.zeros(3), 0.0).distance

    with pytest.raises(ValueError, match=rf"Ellipsoid: {name} has shape \(4,\)"):
        jax.jit(distance)(jnp.ones(4))


def test_a_flat_floor_of_triangles_is_a_plane_over_its_edges_and_vertices():
    """Wherever it lies: there a face and an edge of its neighbour are equally far by rounding."""
    rng = np.random.default_rng(0)
    corners = np.arange(16).reshape(4, 4)
    first, right, above, beyond = (
        corners[rows, columns].ravel()
        for rows in (slice(0, 3), slice(1, 4))
        for columns in (slice(0, 3), slice(1, 4))
    )
    faces = np.concatenate([np.stack([first, above, beyond]), np.stack([first, beyond, right])], 1)
    faces = faces.T
    flat = np.stack([*np.divmod(np.arange(16), 4), np.zeros(16)], axis=1)
    flat[:, :2] += 0.2 * rng.uniform(size=(16, 2))
    shares = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.3, 0, 0.7], [0, 0.6, 0.4], [0.2, 0.3, 0.5]])
    on = np.concatenate([shares @ flat[face] for face in faces])
    on = on[np.all((on[:, :2] > 0.3) & (on[:, :2] < 2.9), axis=1)]

    @jax.jit
    def seen(vertices, centers):
        floor = Mesh(vertices=vertices, faces=faces, closed=False)

        def at(center):
            (distance, normal), borders = floor.at_rest(center), floor.borders_at_rest(center)
            bend = jax.jacfwd(lambda center: floor.at_rest(center)[1])(center)
            return distance, normal, bend, jnp.where(borders.ends, borders.distance, 1.0)

        return jax.vmap(at)(centers)

    for _ in range(20):
        turn, shift = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=3)
        beside = rng.choice([0.0, 1e-15, 1e-12, 1e-9], size=on.shape)
        over = (on + beside * [1, 1, 0] + [0, 0, 0.02]) @ turn.T + shift
        distance, normal, bend, border = seen(flat @ turn.T + shift, over)
        np.testing.assert_allclose(distance, 0.02, rtol=1e-12)
        np.testing.assert_allclose(normal, turn[:, 2] + 0 * normal, atol=1e-12)
        np.testing.assert_allclose(bend, 0.0, atol=1e-9)
        assert np.min(np.abs(border)) > 0.05  # only the rim of the floor is one
