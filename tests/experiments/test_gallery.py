"""The pictures of the gallery: there, small, drawn by their scripts, and right where a closed form
says so.
"""

import re
from pathlib import Path

import jax
import numpy as np
import pytest

from experiments.drawing import save
from experiments.gallery import backspin, billiard_throw, force_loops, spinning_top
from experiments.gallery.pictures import PICTURES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
LARGEST = 160_000
"""Bytes of a picture."""

SMALL = {
    "height_derivative": {"count": 20, "step": 1e-3},
    "drag_and_restitution": {"seconds": 2.0},
    "length_of_film": {"seconds": 2.0},
    "limits_of_friction": {"count": 2},
}
"""Arguments with which a picture is drawn quickly."""


@pytest.fixture(autouse=True)
def _float64():
    with jax.enable_x64(True):
        yield


def test_the_gallery_shows_what_the_scripts_make_and_files_that_are_there():
    shown = re.findall(r"!\[.+\]\(images/(\w+)\.png\)", PAGE)
    assert len(shown) == len(set(shown)) >= 15
    assert set(PICTURES) <= set(shown)
    assert all(f"`python -m experiments.gallery {name}`" in PAGE for name in PICTURES)
    files = [ROOT / "docs" / "images" / f"{name}.png" for name in shown]
    assert all(file.stat().st_size < LARGEST for file in files)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_drawn(name, tmp_path):
    save(PICTURES[name](**SMALL.get(name, {"count": 8})), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000


@pytest.mark.long
@pytest.mark.slow
def test_loops_lose_what_the_restitution_says():
    lost = force_loops.MASS * force_loops.SPEED**2 * (1 - force_loops.RESTITUTION**2) / 2
    for law in force_loops.LAWS.values():
        overlap, force, restitution = force_loops.loop(law, 4001)
        assert restitution == pytest.approx(force_loops.RESTITUTION, abs=1e-4)
        assert np.trapezoid(force, overlap) == pytest.approx(lost, rel=0.01)


@pytest.mark.long
@pytest.mark.slow
def test_what_is_drawn_has_the_closed_form():
    cuts = np.linspace(5.0, 80.0, 16)
    np.testing.assert_allclose(
        billiard_throw.thrown(0.06, cuts), billiard_throw.closed_form(0.06, cuts), atol=0.02
    )
    begins, rolls, rests = backspin.stages()
    found = backspin.motion(np.array([0.0, begins, (begins + rests) / 2, 1.05 * rests]))
    np.testing.assert_allclose(
        found.velocity[1:, 0], [rolls, rolls / 2, 0.0], atol=0.01 * backspin.SPEED
    )
    stiffness = spinning_top.STIFFNESSES[-1]
    assert 5.0 < spinning_top.stopping_time(stiffness) < 50.0
