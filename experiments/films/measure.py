"""A film through the command line, and what came of it against the truth."""

import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import calibration as cal
from calibration.cli.main import main
from experiments.films.camera import TIME_BASE
from experiments.films.studies import FilmStudy

LEVEL = 1.96
"""Standard errors of an interval of 95 %."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the two commands made of a film.

    Attributes:
        study: name of the film.
        said: the error, where the ball was not followed or nothing was found.
        found: pictures in which the ball was found, and how many there were from the first to
            the last.
        bias: mean error of column and row [pixels].
        scatter: standard deviation of the errors [pixels].
        bounce: mean error of the row in the two pictures beside bounces [pixels].
        radius: fitted over true radius of the ball.
        restitution: value and standard error, or ``None``.
        truth: of the restitution.
    """

    study: str
    said: str
    found: tuple[int, int] = (0, 0)
    bias: tuple[float, float] = (np.nan, np.nan)
    scatter: tuple[float, float] = (np.nan, np.nan)
    bounce: float = np.nan
    radius: float = np.nan
    restitution: tuple[float, float] | None = None
    truth: float = np.nan

    @property
    def away(self) -> float:
        """The error of the restitution in standard errors."""
        if self.restitution is None:
            return float("nan")
        return (self.restitution[0] - self.truth) / self.restitution[1]


def measure(study: FilmStudy, folder: Path, *, fit: bool = True) -> Outcome:
    """Render a film, follow the ball and fit its path, all as a user would."""
    name = study.name.replace(" ", "_").replace(",", "").replace(":", "")
    film, recording, result = (folder / f"{name}{end}" for end in (".mp4", ".csv", ""))
    true = study.write(str(film))
    ball = ["--radius", str(study.motion.radius)]
    status, _, said = run("track", str(film), *ball, *study.options(), "--force")
    if status:
        return Outcome(study=study.name, said=said)
    read = cal.read_trajectory(recording)
    camera = study.camera
    stamps = np.asarray(camera.stamps(study.duration) * float(TIME_BASE), float)
    # The first frame of the recording is told by its time; the clock of the container begins anew.
    frame = np.searchsorted(stamps - stamps[0], read.time + 1e-4) - 1
    scale = study.motion.radius / _radius(recording)
    column, row = camera.to_pixels(
        *true.at(stamps[frame] + camera.exposure / 2 + camera.line_time * camera.height / 2)
    )
    for _ in range(3):  # the moment at which the row of the centre is read
        column, row = camera.to_pixels(
            *true.at(stamps[frame] + camera.exposure / 2 + camera.line_time * row)
        )
    error = np.column_stack(
        [
            read.position[:, 0] / scale - 0.5 - column,
            camera.height - 0.5 - read.position[:, 2] / scale - row,
        ]
    )
    seen = np.isfinite(error[:, 0])
    low = np.r_[False, (row[1:-1] > row[:-2]) & (row[1:-1] >= row[2:]), False]
    low = (low | np.roll(low, 1) | np.roll(low, -1)) & seen
    outcome = Outcome(
        study=study.name,
        said="",
        found=(int(seen.sum()), len(seen)),
        bias=(float(error[seen, 0].mean()), float(error[seen, 1].mean())),
        scatter=(float(error[seen, 0].std()), float(error[seen, 1].std())),
        bounce=float(error[low, 1].mean()),
        radius=study.motion.radius / scale / (study.motion.radius * camera.pixels_per_metre),
        truth=study.motion.restitution,
    )
    if not fit:
        return outcome
    mass = ["--mass", str(study.motion.mass), "--out", str(result), "--force"]
    status, _, said = run("fit", str(recording), *ball, *mass)
    fitted = json.loads((result / "fit.json").read_text(encoding="utf-8"))
    estimate = fitted["parameters"]["contact.normal.restitution"]
    values = {**vars(outcome), "said": f"status {status}" if status else ""}
    if estimate["sd"] is not None:
        values["restitution"] = (estimate["value"], estimate["sd"])
    return Outcome(**values)


def _radius(recording: Path) -> float:
    """The radius in pixels, as the head of the recording says it."""
    (line,) = [line for line in recording.read_text().splitlines() if "1 pixel =" in line]
    return 0.02 / float(line.split("1 pixel = ")[1].split(" m")[0])


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit status, standard output and the error of a command."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(list(arguments))
    errors = [line for line in err.getvalue().splitlines() if line.startswith("error")]
    return status, out.getvalue(), " ".join(errors)
