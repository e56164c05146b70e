"""Rotations by vectors and quaternions against scipy, over any leading axes."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from jaxcontact.geometry.contact_plane import (
    ContactAxes,
    initial_axes,
    turn_axes,
    turn_axes_first_order,
)
from jaxcontact.geometry.rotation import (
    quaternion_product,
    quaternion_rate,
    rotate,
    rotate_between,
    rotate_by_quaternion,
    rotation_between,
    rotation_to_quaternion,
)

RANDOM = np.random.default_rng(0)
VECTORS, FIRST, SECOND = RANDOM.normal(size=(3, 2, 4, 3)) * [[[[1.0]]], [[[2.0]]], [[[1e-3]]]]


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def flat(values, size=3):
    return np.reshape(values, (-1, size))


def test_a_rotation_vector_turns_as_that_of_scipy():
    for rotation in (FIRST, SECOND):
        turn = Rotation.from_rotvec(flat(rotation))
        np.testing.assert_allclose(
            flat(rotate(VECTORS, rotation)), turn.apply(flat(VECTORS)), atol=1e-14
        )
        quaternion = rotation_to_quaternion(rotation)
        np.testing.assert_allclose(
            flat(rotate_by_quaternion(VECTORS, quaternion)), turn.apply(flat(VECTORS)), atol=1e-14
        )


def test_of_a_product_the_second_acts_first():
    product = quaternion_product(rotation_to_quaternion(FIRST), rotation_to_quaternion(SECOND))
    both = Rotation.from_rotvec(flat(FIRST)) * Rotation.from_rotvec(flat(SECOND))
    found = flat(rotate_by_quaternion(VECTORS, product))
    np.testing.assert_allclose(found, both.apply(flat(VECTORS)), atol=1e-14)


def test_the_rate_of_a_quaternion_turns_it_with_the_spin():
    start, step = rotation_to_quaternion(FIRST), 1e-6
    turned = quaternion_product(rotation_to_quaternion(step * VECTORS), start)
    np.testing.assert_allclose((turned - start) / step, quaternion_rate(start, VECTORS), atol=1e-5)


def test_the_smallest_rotation_between_normals_keeps_what_is_across_both():
    old, new = unit(FIRST), unit(VECTORS)
    across = np.cross(old, new)
    for turned in (
        lambda v: rotate_between(v, old, new),
        lambda v: np.einsum("...ij,...j->...i", rotation_between(old, new), v),
    ):
        np.testing.assert_allclose(turned(old), new, atol=1e-14)
        np.testing.assert_allclose(turned(across), across, atol=1e-14)


@pytest.mark.parametrize("turn", [turn_axes, turn_axes_first_order])
def test_axes_of_many_contacts_turn_as_those_of_each(turn):
    old, new, spin = unit(FIRST), unit(FIRST + 0.01 * VECTORS), VECTORS[..., 0]
    together = turn(initial_axes(old), new, spin=spin, time_step=0.1)
    for at in np.ndindex(spin.shape):
        alone = turn(initial_axes(old[at]), new[at], spin=spin[at], time_step=0.1)
        for many, one in zip(together, alone, strict=True):
            np.testing.assert_allclose(many[at], one, atol=1e-15)
    # a contact without axes is a new one
    none = ContactAxes(old, 0.0 * old, 0.0 * old)
    found = turn_axes(none, new, spin=spin, time_step=0.1)
    np.testing.assert_allclose(found.s_axis, initial_axes(new).s_axis, atol=1e-15)
