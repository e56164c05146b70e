"""Spheres that lie close together in boxes that repeat themselves."""

import numpy as np


def nearest(apart, ways):
    """From the nearest repetitions, whose ways are the rows of ``ways``, a lower triangle."""
    for axis in (2, 1, 0):
        apart = apart - np.round(apart[..., axis, None] / ways[axis, axis]) * ways[axis]
    return apart


def scattered(radius, ways, numbers):
    """Places that are just apart, found by pushing apart those that are not."""
    count = len(radius)
    reach = 1.03 * (radius[:, None] + radius)
    place = numbers.uniform(0.0, np.min(np.diag(ways)), (count, 3))
    for _ in range(400):
        away = nearest(place[:, None] - place, ways)
        distance = np.linalg.norm(away, axis=-1) + np.eye(count)
        overlap = np.maximum(reach - distance, 0.0) * (1 - np.eye(count))
        place = place + 0.5 * np.sum(overlap[..., None] * away / distance[..., None], axis=1)
    return place
