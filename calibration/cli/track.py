"""``jaxcontact track``."""

from math import isfinite
from pathlib import Path
from typing import Annotated

import typer

from calibration.cli.application import app, print_lines, standard_error
from calibration.cli.options import RESULT, Force, flag, verb
from calibration.errors import InputError
from calibration.runtime.progress import Progress
from calibration.studies.steps.asked_options import GivenOptions, check_given
from calibration.studies.study import Ball

THE_FILM = "The film"
"""Panel of the help text."""


@verb(
    app,
    "jaxcontact track drop.mp4 --radius 0.02",
    "jaxcontact track drop.mp4 --radius 0.02 --from 1.5 --to 4 --start 320,100 --overlay check.mp4",
    study_options={Ball: ("radius",)},
)
def track(
    film: Annotated[
        str, typer.Argument(metavar="FILM", help="A film (MP4, MOV ...).", show_default=False)
    ],
    given: GivenOptions,
    start: Annotated[
        str | None,
        flag("--start", "Where the ball begins to move [pixels].", THE_FILM, "X,Y"),
    ] = None,
    ball: Annotated[
        str | None,
        flag(
            "--ball", "Or where it is [pixels], so long [s] after the beginning.", THE_FILM, "X,Y,T"
        ),
    ] = None,
    region: Annotated[
        str | None,
        flag(
            "--region",
            "Look in this part of the picture only [pixels].",
            THE_FILM,
            "LEFT,TOP,RIGHT,BOTTOM",
        ),
    ] = None,
    begin: Annotated[
        float | None, flag("--from", "First time of the film that counts [s].", THE_FILM, "SECONDS")
    ] = None,
    end: Annotated[
        float | None, flag("--to", "Last time of the film that counts [s].", THE_FILM, "SECONDS")
    ] = None,
    frame_rate: Annotated[
        float | None,
        flag(
            "--frame-rate",
            "Pictures taken in a second, of a film that plays slower than it was taken. [default: "
            "the times in the film]",
            THE_FILM,
            "HERTZ",
        ),
    ] = None,
    out: Annotated[
        str | None,
        flag("--out", "The recording. [default: the film's name with .csv]", RESULT, "FILE"),
    ] = None,
    overlay: Annotated[
        str | None,
        flag("--overlay", "A film with the ball encircled, to check it.", RESULT, "FILE"),
    ] = None,
    force: Force = False,
) -> None:
    """Follow the ball in a film, and write t, x, z as a file that fit reads.

    Columns and rows are counted in pixels from the upper left corner of the picture; in the file, x
    points right and z up. Times are those in the film, whatever its frame rate does, and the radius
    of the ball is the scale. Where the ball is not seen well its cells are empty: nothing is
    interpolated. It needs the extra video: pip install 'jaxcontact[video]'.
    """
    check_given(given.of(Ball), "radius")
    radius = given.of(Ball)["radius"]
    target = Path(out) if out else Path(film).with_suffix(".csv")
    with Progress(standard_error()) as say:
        from calibration.films.film import Region
        from calibration.films.overlay import check_other_than, check_overlay, write_overlay
        from calibration.films.track import track as follow
        from calibration.films.tracked import MARK
        from calibration.io.atomic import check_replaceable

        check_other_than(film, target)
        check_replaceable(target, mark=MARK, writer="jaxcontact track", force=force)
        if overlay is not None:
            check_overlay(overlay, film=film, force=force)
        column_row = None if start is None else _numbers(start, "--start", "320,100")
        place = None if ball is None else _numbers(ball, "--ball", "320,100,0.5")
        box = None if region is None else _numbers(region, "--region", "100,0,500,480")
        found = follow(
            film,
            radius=radius,
            start=None if column_row is None else (column_row[0], column_row[1]),
            ball=None if place is None else (place[0], place[1], place[2]),
            region=None
            if box is None
            else Region(left=int(box[0]), top=int(box[1]), right=int(box[2]), bottom=int(box[3])),
            interval=(begin, end),
            frame_rate=frame_rate,
            progress=say,
        )
        found.write(target)
        if overlay is not None:
            say("Drawing")
            write_overlay(found, overlay)
    print_lines(*found.lines(), "", f"{len(found.recording.time)} samples: {target}")


def _numbers(text: str, option: str, example: str) -> list[float]:
    """The numbers between commas, as many as in the example."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != len(example.split(",")) or not all(map(isfinite, numbers)):
        raise InputError(
            f"{option} {text} is not {len(example.split(','))} numbers with commas between them",
            remedy=f"Write {option} {example}.",
        )
    return numbers
