"""A recorded toss of a rigid body: its samples, its first touch, and how it is released."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import jaxcontact as jc
from calibration.errors import InputError
from calibration.io.files import make_distinct_names
from calibration.io.poses import LEAST, RecordedPoses, in_scene, read_poses, rotations
from calibration.studies.choices.named_tables import name_of, values_of
from calibration.studies.choices.shapes import SHAPES
from calibration.studies.study import RECORDED, BodyOptions, ReadingOptions, Study

WHAT = "a recording of a body with its orientation"
"""What such a file is, in words that complete "this is"."""

NEAR = 0.02
"""Distance from the surface, over the size of the body, at which it may touch."""

SPIN_INTERVALS = 5
"""Intervals between samples from which the spin at first sight is taken."""


class Toss(NamedTuple):
    """A recorded toss.

    Attributes:
        recorded: the samples that are used.
        all_samples: how many the file has.
        touch: index of the last sample before the first touch, ``None`` where there is none.
    """

    recorded: RecordedPoses
    all_samples: int
    touch: int | None


def read_one(path: str, options: ReadingOptions, *, spin_in_body_axes: bool) -> RecordedPoses:
    """The poses in a file, from the first complete one on.

    Raises:
        InputError: what is wrong with the file; an option of pictures of balls.
    """
    own = options.of(path)
    for name, given in (
        ("scale", own.scale),
        ("frame_rate", own.frame_rate),
        ("vertical", own.vertical),
        ("speed", own.speed),
        ("missing_frames", own.missing_frames or None),
    ):
        if given is not None:
            raise InputError(
                f"{name} has no meaning for {WHAT}, which has times in s, lengths in m (or "
                "the unit in its header) and z up",
                remedy=f"Leave {name} out.",
                path=path,
            )
    found = read_poses(
        path,
        columns=own.columns,
        interval=options.interval_of(path),
        spin_in_body_axes=spin_in_body_axes,
    )
    complete = np.isfinite(found.position).all(axis=1) & np.isfinite(found.orientation).all(axis=1)
    if complete.sum() < LEAST:
        raise InputError(
            f"{complete.sum()} samples have a position and an orientation",
            remedy=f"Give a recording with at least {LEAST}.",
            path=path,
        )
    return found.since(float(found.time[np.argmax(complete)]))


def make_body(study: Study) -> jc.Clumps:
    """The body of the study.

    Raises:
        InputError: dimensions, a mass and an inertia that do not go together.
    """
    body = study.body
    assert body.shape is not None  # see ``kind_of_study``
    inertia = body.inertia if body.inertia is None or len(body.inertia) == 3 else body.inertia[0]
    try:
        return SHAPES[name_of(body.shape)].make(
            mass=body.mass, inertia=inertia, **values_of(body.shape)
        )
    except ValueError as error:
        raise InputError(str(error), remedy="Change it below [body].") from None


# Reading


def lowest(body: jc.Clumps, recorded: RecordedPoses) -> NDArray[np.float64]:
    """Height of the lowest point of the body in each sample (n,) [m], NaN where it was not seen."""
    centres = np.asarray(body.offset)
    corners = np.stack(
        [
            in_scene(np.broadcast_to(centre, recorded.position.shape), recorded.orientation)[:, 2]
            for centre in centres
        ]
    )
    return recorded.position[:, 2] + np.min(corners - np.asarray(body.radius)[:, None], axis=0)


def size_of(body: jc.Clumps) -> float:
    """Distance of the farthest point of a body from its centre of mass [m]."""
    return float(np.max(np.linalg.norm(np.asarray(body.offset), axis=1) + np.asarray(body.radius)))


def read_tosses(study: Study) -> list[Toss]:
    """The tosses in the files of a study.

    Raises:
        InputError: what is wrong with a file; a toss without a touch where samples are used up to
            a time after it.
    """
    body = make_body(study)
    names = make_distinct_names([FilePath(path) for path in study.files])
    recorded = [
        dataclasses.replace(
            read_one(path, study.reading, spin_in_body_axes=study.body.spin_axes == "body"),
            name=name,
        )
        for path, name in zip(study.files, names, strict=True)
    ]
    heights = [lowest(body, one) for one in recorded]
    near = level_of(heights) + NEAR * size_of(body)
    return [
        _used(one, first_touch(height, near), study.body)
        for one, height in zip(recorded, heights, strict=True)
    ]


def level_of(heights: Sequence[NDArray[np.float64]]) -> float:
    """Height of the surface at first sight [m]: that of the lowest points of most tosses."""
    return float(np.median([np.nanmin(height) for height in heights]))


def first_touch(height: NDArray[np.float64], near: float) -> int | None:
    """Index of the last sample before the first touch, ``None`` where there is none: going on as
    since the sample before, the next one would be below the height ``near``.

    Args:
        height: of the lowest point of the body (n,) [m], NaN where it was not seen.
        near: height at which it touches [m].
    """
    seen = np.flatnonzero(np.isfinite(height))
    change = np.diff(height[seen], prepend=height[seen[0]])
    touches = height[seen] + np.minimum(change, 0.0) < near
    return int(seen[np.argmax(touches)]) if touches.any() else None


def _used(recorded: RecordedPoses, touch: int | None, body: BodyOptions) -> Toss:
    if body.horizon is None:
        return Toss(recorded, len(recorded.time), touch)
    if touch is None:
        raise InputError(
            "the body never comes near the surface, which is where the horizon begins",
            remedy="Leave this file out, or give no horizon. Check the dimensions of the body.",
            path=recorded.path,
        )
    last = float(recorded.time[touch]) + body.horizon
    return Toss(recorded.until(last), len(recorded.time), touch)


def released(toss: Toss, study: Study) -> jc.State:
    """How a body is released, at its first sample.

    Raises:
        InputError: it is to be what was recorded, which lacks a velocity or a spin; it is to be
            found, and the recording begins at a touch.
    """
    recorded = toss.recorded
    if study.body.release == RECORDED:
        velocity, spin = recorded.velocity, recorded.spin
        known = velocity is not None and spin is not None
        if not known or not np.isfinite([velocity[0], spin[0]]).all():  # type: ignore[index]
            raise InputError(
                "release = 'recorded', but the first sample has no velocity and spin",
                remedy="Add columns vx, vy, vz, wx, wy, wz, or say release = 'found'.",
                path=recorded.path,
            )
        assert velocity is not None
        assert spin is not None
        return jc.state(
            position=recorded.position[0],
            velocity=velocity[0],
            spin=spin[0],
            orientation=recorded.orientation[0],
        )
    return _first_guess(toss, study.model.gravity)


def _first_guess(toss: Toss, gravity: float) -> jc.State:
    """A parabola through the positions before the first touch, and the turns between them."""
    recorded = toss.recorded
    flown = slice(0, len(recorded.time) if toss.touch is None else toss.touch + 1)
    seen = np.isfinite(recorded.position[flown]).all(axis=1)
    seen &= np.isfinite(recorded.orientation[flown]).all(axis=1)
    if seen.sum() < LEAST:
        raise InputError(
            f"{seen.sum()} samples lie before the first touch, from which the release is to be "
            "found",
            remedy=f"Give a recording with at least {LEAST} of them, or say release = 'recorded' "
            "where velocity and spin of the first sample are known.",
            path=recorded.path,
        )
    time = recorded.time[flown][seen] - recorded.time[0]
    fallen = recorded.position[flown][seen] + gravity / 2 * np.outer(time**2, [0.0, 0.0, 1.0])
    start, velocity = np.linalg.lstsq(np.stack([time**0, time], axis=1), fallen, rcond=None)[0]
    turned = rotations(recorded.orientation[flown][seen][: SPIN_INTERVALS + 1])
    turns = (turned[1:] * turned[:-1].inv()).as_rotvec()
    spin = np.mean(turns / np.diff(time[: len(turns) + 1])[:, None], axis=0)
    return jc.state(
        position=start, velocity=velocity, spin=spin, orientation=recorded.orientation[0]
    )
