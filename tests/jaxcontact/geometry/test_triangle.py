"""Closest points of triangles, against an independent way of finding them."""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation

from jaxcontact.geometry.segment import END, INTERIOR, START, closest_point_on_planar_segment
from jaxcontact.geometry.triangle import REGIONS, closest_point_on_triangle, triangle_normal

pytestmark = pytest.mark.slow

RANDOM = np.random.default_rng(20260301)
COUNT = 400
TRIANGLES = RANDOM.normal(size=(COUNT, 3, 3))
POINTS = TRIANGLES.mean(axis=1) + 1.5 * RANDOM.normal(size=(COUNT, 3))

compiled = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})
closest_points = compiled(closest_point_on_triangle)
CLOSEST = jax.tree.map(np.array, closest_points(POINTS, TRIANGLES))


def distance_and_gradient(point, triangle):
    return jax.value_and_grad(lambda p: closest_point_on_triangle(p, triangle).distance)(point)


distances_and_gradients = compiled(jax.vmap(distance_and_gradient))


def convex_weights(point, triangle):
    """Barycentric coordinates of the closest point as a non-negative least-squares problem; the
    last row asks for a sum of one.
    """
    weight = 1e5
    matrix = np.vstack([triangle.T - point[:, None], weight * np.ones((1, 3))])
    return nnls(matrix, np.array([0.0, 0.0, 0.0, weight]))[0]


def region_of_weights(weights):
    (zero,) = np.nonzero(weights < 1e-9)
    if len(zero) == 2:
        return f"V{1 + int(np.argmax(weights))}"
    return {0: "E23", 1: "E31", 2: "E12"}[int(zero[0])] if len(zero) else "F"


def test_random_triangles_agree_with_a_quadratic_program():
    for index, (point, triangle) in enumerate(zip(POINTS, TRIANGLES, strict=True)):
        weights = convex_weights(point, triangle)
        assert REGIONS[int(CLOSEST.region[index])] == region_of_weights(weights)
        np.testing.assert_allclose(
            CLOSEST.point[index], weights / weights.sum() @ triangle, atol=1e-8
        )


def test_all_regions_occur():
    assert set(np.asarray(CLOSEST.region)) == set(range(len(REGIONS)))


def test_no_point_of_the_triangle_is_closer():
    u, v = (x.ravel() for x in np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 41)))
    weights = np.stack([1 - u, u * (1 - v), u * v])
    grid = np.einsum("kg,tkx->tgx", weights, TRIANGLES)
    assert np.all(
        np.linalg.norm(grid - POINTS[:, None], axis=-1).min(axis=1)
        >= CLOSEST.distance * (1 - 1e-13)
    )


def test_distance_direction_and_height_belong_to_the_closest_point():
    np.testing.assert_allclose(
        POINTS + CLOSEST.distance[:, None] * CLOSEST.direction, CLOSEST.point, atol=1e-13
    )
    np.testing.assert_allclose(np.linalg.norm(CLOSEST.direction, axis=-1), 1.0, rtol=1e-14)
    face = CLOSEST.region == REGIONS.index("F")
    np.testing.assert_allclose(np.abs(CLOSEST.height[face]), CLOSEST.distance[face], rtol=1e-14)
    normal = np.cross(TRIANGLES[:, 1] - TRIANGLES[:, 0], TRIANGLES[:, 2] - TRIANGLES[:, 0])
    np.testing.assert_array_equal(
        np.sign(CLOSEST.height), np.sign(np.sum(normal * (POINTS - TRIANGLES[:, 0]), axis=-1))
    )


def test_moving_turning_and_scaling_the_scene_does_the_same_to_the_closest_point():
    turn, shift, scale = Rotation.from_rotvec([0.4, -1.3, 0.7]), np.array([3.0, -2.0, 5.0]), 1e-4
    points = scale * turn.apply(POINTS) + shift * scale
    triangles = scale * turn.apply(TRIANGLES.reshape(-1, 3)).reshape(-1, 3, 3) + shift * scale
    moved = closest_points(points, triangles)
    np.testing.assert_allclose(
        moved.point, scale * turn.apply(CLOSEST.point) + shift * scale, atol=1e-13 * scale * 10
    )
    np.testing.assert_allclose(moved.direction, turn.apply(CLOSEST.direction), atol=1e-11)
    np.testing.assert_array_equal(moved.region, CLOSEST.region)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_order_of_the_vertices_matters_only_for_the_side(order):
    other = closest_points(POINTS, TRIANGLES[:, list(order)])
    parity = np.linalg.det(np.eye(3)[list(order)])
    np.testing.assert_allclose(other.point, CLOSEST.point, atol=1e-13)
    np.testing.assert_allclose(other.direction, CLOSEST.direction, atol=1e-12)
    np.testing.assert_allclose(other.height, parity * CLOSEST.height, atol=1e-13)


def test_the_closest_point_does_not_expand_distances():
    """The projection on a convex set is a contraction: it is continuous across all regions."""
    rolled = closest_points(np.roll(POINTS, 1, axis=0), TRIANGLES)
    moved = np.linalg.norm(rolled.point - CLOSEST.point, axis=-1)
    assert np.all(
        moved <= np.linalg.norm(np.roll(POINTS, 1, axis=0) - POINTS, axis=-1) * (1 + 1e-13)
    )


def test_gradient_of_the_distance_is_minus_the_direction():
    _, gradients = distances_and_gradients(POINTS, TRIANGLES)
    np.testing.assert_allclose(gradients, -CLOSEST.direction, atol=1e-14)


def test_distance_has_a_continuous_gradient_across_the_regions():
    """Along lines past a triangle the gradient changes no faster than 1/distance allows, also where
    the region changes.
    """
    for index in range(5):
        line = np.linspace(POINTS[index], POINTS[index + 5], 2001)
        triangles = np.broadcast_to(TRIANGLES[index], (len(line), 3, 3))
        distance, gradient = distances_and_gradients(line, triangles)
        region = np.asarray(closest_points(line, triangles).region)
        step = np.linalg.norm(line[1] - line[0])
        change = np.linalg.norm(np.diff(gradient, axis=0), axis=-1)
        assert np.any(np.diff(region))
        assert np.all(change <= 1.01 * step / np.minimum(distance[1:], distance[:-1]))


def test_derivatives_are_those_of_differences_inside_the_regions():
    def everything(vector):
        found = closest_point_on_triangle(vector[:3], vector[3:].reshape(3, 3))
        return jnp.concatenate(
            [found.point, found.direction, jnp.stack([found.distance, found.height])]
        )

    vectors = np.concatenate([POINTS, TRIANGLES.reshape(COUNT, 9)], axis=1)
    value, slope = compiled(jax.vmap(everything)), compiled(jax.vmap(jax.jacfwd(everything)))
    steps = 1e-3 * np.eye(12)
    shifted = vectors + np.array([-3, -2, -1, 1, 2, 3])[:, None, None, None] * steps[:, None, :]
    shifted = shifted.reshape(-1, 12)
    samples = np.asarray(value(shifted)).reshape(6, 12, COUNT, 8)
    regions = np.asarray(
        closest_points(shifted[:, :3], shifted[:, 3:].reshape(-1, 3, 3)).region
    ).reshape(6, 12, COUNT)
    differences = np.einsum("o,opcf->cfp", np.array([-1, 9, -45, 45, -9, 1]) / 60e-3, samples)
    sides = np.sign(samples[..., 7])
    smooth = np.all(
        (regions == regions[0, 0]) & (sides == sides[0, 0]) & (samples[..., 6] > 0.1), axis=(0, 1)
    )
    area = np.linalg.norm(
        np.cross(TRIANGLES[:, 1] - TRIANGLES[:, 0], TRIANGLES[:, 2] - TRIANGLES[:, 0]), axis=-1
    )
    smooth &= area > 0.5  # differences of thin triangles do not converge
    assert smooth.sum() > COUNT / 2
    assert set(regions[0, 0, smooth]) == set(range(7))
    error = np.abs(np.asarray(slope(vectors)) - differences)[smooth]
    assert np.max(error) < 1e-7


CORNERS = {
    "over an edge": ((0.5, 0.0, 0.3), ((0, 0, 0), (1, 0, 0), (0, 1, 0))),
    "over a vertex": ((0.0, 0.0, 0.3), ((0, 0, 0), (1, 0, 0), (0, 1, 0))),
    "in the face": ((0.2, 0.2, 0.0), ((0, 0, 0), (1, 0, 0), (0, 1, 0))),
    "on an edge": ((0.5, 0.0, 0.0), ((0, 0, 0), (1, 0, 0), (0, 1, 0))),
    "on a vertex": ((1.0, 0.0, 0.0), ((0, 0, 0), (1, 0, 0), (0, 1, 0))),
    "in the plane": ((3.0, 1.0, 0.0), ((0, 0, 0), (1, 0, 0), (0, 1, 0))),
    "no area": ((0.3, 0.2, 0.1), ((0, 0, 0), (1, 1, 1), (3, 3, 3))),
    "no area, point on it": ((0.5, 0.5, 0.5), ((0, 0, 0), (1, 1, 1), (3, 3, 3))),
    "two equal vertices": ((0.3, 0.2, 0.1), ((0, 0, 0), (0, 0, 0), (1, 0, 0))),
    "all vertices equal": ((0.3, 0.2, 0.1), ((1, 1, 1), (1, 1, 1), (1, 1, 1))),
    "all in one point": ((1.0, 1.0, 1.0), ((1, 1, 1), (1, 1, 1), (1, 1, 1))),
}


def corner_orders(dtype):
    def weighted(vector):
        found = closest_point_on_triangle(vector[:3], vector[3:].reshape(3, 3))
        return jnp.concatenate(
            [found.point, found.direction, jnp.stack([found.distance, found.height])]
        )

    vectors = jnp.asarray(
        [[*point, *itertools.chain(*triangle)] for point, triangle in CORNERS.values()], dtype
    )
    orders = (
        weighted,
        jax.jacfwd(weighted),
        jax.jacrev(weighted),
        jax.jacfwd(jax.jacfwd(weighted)),
    )
    return compiled(jax.vmap(lambda x: [order(x) for order in orders]))(vectors)


@pytest.mark.long("float64")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_value_and_two_derivatives_are_finite_at_corners_and_on_degenerate_triangles(dtype):
    value, forward, reverse, second = corner_orders(dtype)
    for result in (value, forward, reverse, second):
        assert result.dtype == dtype
        assert np.all(np.isfinite(result))
    np.testing.assert_allclose(forward, reverse, rtol=4 * np.finfo(dtype).eps, atol=1e-5)


def test_triangles_without_area_are_segments_and_points():
    triangles = np.array(
        [CORNERS[name][1] for name in ("no area", "two equal vertices", "all vertices equal")],
        float,
    )
    points = np.array([CORNERS["no area"][0]] * 3)
    found = closest_points(points, triangles)
    np.testing.assert_allclose(
        found.point, [[0.2, 0.2, 0.2], [0.3, 0.0, 0.0], [1.0, 1.0, 1.0]], atol=1e-15
    )
    assert not np.any(triangle_normal(triangles))


@pytest.mark.parametrize("height", [1e-3, 1e-6, 1e-7, 1e-9, 1e-12, 0.0])
def test_thin_triangles_lose_no_more_than_half_of_the_digits(height):
    """A needle: its true closest points are known from the limit of a segment."""
    ends = RANDOM.normal(size=(50, 2, 3))
    axis = ends[:, 1] - ends[:, 0]
    across = np.cross(axis, RANDOM.normal(size=(50, 3)))
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    third = ends[:, 0] + RANDOM.uniform(0.2, 0.8, size=(50, 1)) * axis + height * across
    points = RANDOM.normal(size=(50, 3))
    along = np.clip(
        np.sum((points - ends[:, 0]) * axis, axis=-1) / np.sum(axis * axis, axis=-1), 0.0, 1.0
    )
    on_segment = ends[:, 0] + along[:, None] * axis
    found = closest_points(points, np.stack([ends[:, 0], ends[:, 1], third], axis=1))
    np.testing.assert_allclose(
        found.point, on_segment, atol=1.01 * height + 3e-7 + 3 * np.sqrt(height) * (height > 1e-7)
    )


def test_two_facets_with_a_common_edge_join_smoothly():
    """A point that slides over the common edge of two coplanar triangles sees one plane."""
    square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    pair = square[[[0, 1, 2], [0, 2, 3]]]
    path = np.linspace([0.2, 0.9, 0.1], [0.9, 0.1, 0.1], 200)
    found = closest_points(path[:, None], pair)
    best = np.argmin(np.asarray(found.distance), axis=1)
    assert set(best) == {0, 1}
    np.testing.assert_allclose(np.min(found.distance, axis=1), 0.1, rtol=1e-14)
    np.testing.assert_allclose(
        np.asarray(found.direction)[np.arange(200), best], [[0.0, 0.0, -1.0]] * 200, atol=1e-14
    )


def test_a_planar_segment_agrees_with_a_triangle_whose_third_vertex_is_far_below():
    flat = np.array([1.0, 1.0, 0.0])
    segments, points = RANDOM.normal(size=(100, 2, 3)) * flat, RANDOM.normal(size=(100, 3)) * flat
    found = compiled(closest_point_on_planar_segment)(points, segments)
    below = segments.mean(axis=1) - np.array([0.0, 0.0, 1e3])
    triangle = closest_points(points, np.concatenate([segments, below[:, None]], axis=1))
    np.testing.assert_allclose(found.point, triangle.point, atol=1e-12)
    np.testing.assert_allclose(found.distance, triangle.distance, atol=1e-12)
    names = {START: "V1", END: "V2", INTERIOR: "E12"}
    assert [names[int(region)] for region in found.region] == [
        {"F": "E12"}.get(REGIONS[int(region)], REGIONS[int(region)]) for region in triangle.region
    ]


def test_the_normal_of_a_planar_segment_is_on_its_left():
    segment = jnp.asarray([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    above, on = (
        closest_point_on_planar_segment(jnp.asarray(point), segment)
        for point in ((1.0, 0.3, 0.0), (1.0, 0.0, 0.0))
    )
    assert float(above.height) == 0.3
    np.testing.assert_array_equal(above.direction, [0.0, -1.0, 0.0])
    np.testing.assert_array_equal(on.direction, [0.0, -1.0, 0.0])
