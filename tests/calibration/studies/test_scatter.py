"""Drops of a ball whose impacts scatter, or whose restitution falls with the speed, from a
simulator in NumPy through the automatic fit.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import calibration as cal

RADIUS, GRAVITY = 0.02, 9.81
RESTITUTION = "contact.normal.restitution"


def write_drop(path: Path, restitution: Callable[[float], float], *, seed: int) -> str:
    """One drop from 0.5 m at 240 pictures a second, 0.3 mm of noise, until bounces are slow."""
    rng = np.random.default_rng(seed)
    time = np.arange(0.0, 2.4, 1 / 240)
    height = 0.5 - 0.5 * GRAVITY * time**2
    touch, speed = np.sqrt(2 * (0.5 - RADIUS) / GRAVITY), np.sqrt(2 * GRAVITY * (0.5 - RADIUS))
    while speed > 0.3:
        speed = restitution(speed) * speed
        later = time >= touch
        since = time[later] - touch
        height[later] = RADIUS + speed * since - 0.5 * GRAVITY * since**2
        touch += 2 * speed / GRAVITY
    seen = time < touch
    table = np.column_stack([time, height + 3e-4 * rng.standard_normal(time.size)])[seen]
    np.savetxt(path, table, delimiter=",", header="t [s],z [m]", comments="")
    return str(path)


def fit(files: list[str], *, law: str | None = None) -> cal.Fit:
    study = cal.studies.Study(
        files=tuple(files),
        ball=cal.studies.Ball(radius=RADIUS, mass=0.0027),
        model=cal.studies.ModelOptions(drag=False, length_scale=False, restitution_law=law),
    )
    return cal.studies.fit_study(study)


@pytest.mark.long
@pytest.mark.parametrize("scatter", [0.002, 0.02])
def test_the_standard_error_follows_the_scatter_that_is_found(
    scatter: float, tmp_path: Path
) -> None:
    rng = np.random.default_rng(9)  # whose mean is not far off by chance

    def restitution(_: float) -> float:
        return 0.85 + scatter * rng.standard_normal()

    files = [write_drop(tmp_path / f"{k}.csv", restitution, seed=k) for k in range(2)]
    # With a law whose form is open, deviations of that size need no explanation.
    found = fit(files, law="constant")
    estimate = found.parameters[RESTITUTION]
    assert 0.4 < estimate.sd / (scatter / np.sqrt(14)) < 2.0
    assert 4 < estimate.degrees < 20
    low, high = estimate.interval(0.99)
    assert low < 0.85 < high
    assert any("Impacts do not repeat exactly" in sentence for sentence in found.warnings)


@pytest.mark.slow
@pytest.mark.long
def test_restitution_that_falls_with_the_speed_is_not_called_scatter(tmp_path: Path) -> None:
    def restitution(speed: float) -> float:
        return 0.86 - 0.02 * np.log(speed)

    files = [write_drop(tmp_path / f"{k}.csv", restitution, seed=k) for k in range(2)]
    asked = fit(files, law="constant")
    (said,) = [w for w in asked.warnings if "ordered by the speed" in w]
    assert "--restitution-law viscoelastic" in said
    followed = fit(files)  # nobody asked for a constant one
    assert "contact.normal.mean_exponent" in followed.parameters
    assert not any("Impacts do not repeat" in sentence for sentence in followed.warnings)
