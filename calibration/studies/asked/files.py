"""What a study says of its single files: which are left out, and the ball of each."""

import dataclasses
import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TypeVar

from calibration.errors import InputError
from calibration.io.names import readable_name
from calibration.io.spin_files import find_recordings
from calibration.studies.choices.single_files import FROM, LEFT_OUT, UNTIL, is_meant
from calibration.studies.study import Ball, ReadingOptions, Study

RADIUS, MASS = "radius", "mass"

Measured = TypeVar("Measured")


def with_used_files(study: Study) -> Study:
    """The study with the files that its folders and patterns stand for, without those that it
    leaves out.

    Raises:
        InputError: a name of a file that is none of them, or all of them are left out.
    """
    paths = tuple(map(str, find_recordings(study.files)))
    check_names(study.reading, paths)
    used = tuple(path for path in paths if LEFT_OUT not in study.reading.said_of(path))
    if not used:
        raise InputError(
            f"all {len(paths)} files are left out",
            remedy="Remove left_out of one of them, in the study file below [reading.files].",
        )
    return dataclasses.replace(study, files=used)


def read_each(
    files: Sequence[str],
    options: ReadingOptions,
    read: Callable[..., Measured],
    *,
    what: str,
    example: str,
) -> list[Measured]:
    """What is in files of one quantity, each read as the study says of it.

    Args:
        files: paths.
        options: how to read them.
        read: reads one, with ``columns``, ``sigma`` and ``interval``.
        what: the quantity with its unit, for messages.
        example: of its standard deviation, for messages.

    Raises:
        InputError: what is wrong with a file; standard deviations by axis.
    """

    def one(path: str) -> Measured:
        own = options.of(path)
        sigma = own.one_sigma(what, example=example)
        interval = options.interval_of(path)
        return read(path, columns=own.columns, sigma=sigma, interval=interval)

    return [one(path) for path in files]


def check_names(reading: ReadingOptions, paths: Sequence[str]) -> None:
    """Check that all names of single files are those of files of the study.

    Args:
        reading: what is said of them.
        paths: of the files.

    Raises:
        InputError: with the name that was probably meant.
    """
    for name in reading.files or {}:
        if not any(is_meant(name, path) for path in paths):
            names = [readable_name(PurePath(path).name) for path in paths]
            close = difflib.get_close_matches(name, names, n=1)
            raise InputError(
                f"files: {name!r} is none of the files",
                remedy=f"Did you mean {close[0]!r}?" if close else f"There are {', '.join(names)}.",
            )


def sentences_on_left_out(study: Study) -> Iterator[str]:
    """Which files are left out, and why.

    Args:
        study: with all of its files.
    """
    for path in find_recordings(study.files):
        reason = study.reading.said_of(path).get(LEFT_OUT)
        if reason is not None:
            yield f"{readable_name(path.name)} was left out, as the study says: {reason}."


def ball_of(study: Study, path: str) -> Ball:
    """The ball in a file.

    Args:
        study: with its ball, and what it says of the file.
        path: of the file.

    Raises:
        InputError: a mass that no ball of this radius has.
    """
    said = study.reading.said_of(path)
    return study.one_ball.with_given(radius=said.get(RADIUS), mass=said.get(MASS))


def known_values(study: Study, path: str) -> dict[str, float]:
    """What is known of the scene of a file that other files have otherwise, by path.

    Args:
        study: what it says of the file.
        path: of the file.
    """
    ball, said = ball_of(study, path), study.reading.said_of(path)
    given = {RADIUS: ball.radius, MASS: ball.mass}
    return {f"bodies.{name}": value for name, value in given.items() if name in said}


def check_known_to_kind(
    study: Study, kind: str, *, ball: bool = True, interval: bool = True
) -> None:
    """Refuse what is said of single files and has no meaning for files of a kind.

    Args:
        study: its files are of this kind.
        kind: in words that complete "has no meaning for".
        ball: whether a file may have a ball of its own.
        interval: whether its samples have times.

    Raises:
        InputError: naming the file and the key.
    """
    unknown = {RADIUS: ball, MASS: ball, FROM: interval, UNTIL: interval}
    files: Mapping[str, Mapping[str, object]] = study.reading.files or {}
    for name, values in files.items():
        for key, known in unknown.items():
            if key in values and not known:
                raise InputError(
                    f"files: {key} of {name!r} has no meaning for {kind}",
                    remedy=f"Leave {key} out.",
                )
