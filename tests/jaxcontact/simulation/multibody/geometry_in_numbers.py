"""Vectors, rotations, and distances from obstacles in plain Python: an independent reference.

Vectors are lists of three numbers, real or complex, and faster than arrays as short as this.
"""

import numpy as np


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def plus(a, b, factor=1.0):
    """``a + factor b``."""
    return [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]]


def times_number(a, factor):
    return [a[0] * factor, a[1] * factor, a[2] * factor]


def times(matrix, vector):
    return [dot(row, vector) for row in matrix]


def length(vector):
    return dot(vector, vector) ** 0.5


def unit(vector):
    size = length(vector)
    return [x / size for x in vector]


def axes_of(quaternion):
    """Matrix from body axes to those of the scene; scalar first."""
    w, x, y, z = quaternion
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]


def axes_of_rotation(vector):
    """Matrix of a rotation vector: Rodrigues."""
    angle = length(vector)
    if angle.real == 0.0:
        return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    half = np.sin(angle / 2) / angle
    return axes_of([np.cos(angle / 2), *(half * x for x in vector)])


def transposed(matrix):
    return [list(column) for column in zip(*matrix, strict=True)]


def outside(kind: str, numbers, point):
    """Distance of a point from an obstacle, and the normal."""
    if kind == "plane":
        normal = unit(numbers[:3])
        return dot(normal, point) - numbers[3], normal
    if kind == "sphere":
        apart = plus(point, numbers[:3], -1.0)
        return length(apart) - numbers[3], unit(apart)
    if kind == "hollow sphere":
        apart = plus(numbers[:3], point, -1.0)
        return numbers[3] - length(apart), unit(apart)
    if kind == "capsule":
        start, end, radius = numbers[:3], numbers[3:6], numbers[6]
        along, from_start = plus(end, start, -1.0), plus(point, start, -1.0)
        share = dot(from_start, along) / dot(along, along)
        share = 0.0 if share.real < 0.0 else 1.0 if share.real > 1.0 else share
        apart = plus(from_start, along, -share)
        return length(apart) - radius, unit(apart)
    axes = axes_of_rotation(numbers[6:9])  # a box
    local = times(transposed(axes), plus(point, numbers[:3], -1.0))
    half = [x / 2 for x in numbers[3:6]]
    nearest = [
        h if x.real > h.real else -h if x.real < -h.real else x
        for x, h in zip(local, half, strict=True)
    ]
    apart = plus(local, nearest, -1.0)
    return length(apart), times(axes, unit(apart))
