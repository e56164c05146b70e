"""Measurements of other kinds from real recordings, where these are at hand: they agree with what
the same recordings say otherwise.
"""

from pathlib import Path

import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.detection.bounces import read_bounces
from calibration.fitting.estimates import estimate_trial
from calibration.fitting.fit import fit
from calibration.problem.problem import Problem
from calibration.problem.trial import Trial
from jaxcontact.geometry.rotation import rotate_by_quaternion

DATA = Path(__file__).parents[3].parent / "shared" / "data"
RESTITUTION = "contact.normal.restitution"


def needs(name: str):
    return pytest.mark.skipif(
        not (DATA / name).exists(),
        reason=f"the recordings {name} are not here; they are not part of this repository",
    )


def in_the_air(radius: float) -> jc.Scene:
    """A body far above a plane: only its turning is looked at."""
    return jc.Scene(
        bodies=jc.spheres(radius=radius, mass=0.1),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.5)),
    )


@needs("pingpong_drop_table")
@pytest.mark.slow
def test_bounce_times_alone_give_the_restitution_of_the_whole_film():
    recordings = [
        cal.read_trajectory(DATA / "pingpong_drop_table" / "csv" / f"drop_{i:02d}.csv")
        for i in (3, 4, 5)
    ]
    detections = [read_bounces(recording, radius=0.02) for recording in recordings]
    used = [reading for reading in detections if len(reading.bounces) >= 3]
    assert used
    sounds = [
        cal.measurements.BounceTimes(
            [bounce.time for bounce in reading.bounces],
            sigma=[bounce.time_sd for bounce in reading.bounces],
        )
        for reading in used
    ]
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.0027, shell=True),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.85)),
        drag=jc.QuadraticDrag(coefficient=0.47),
    )
    found = fit(
        Problem(scene, sounds, free=[RESTITUTION], nuisance=[cal.nuisances.FirstImpact()])
    ).parameters[RESTITUTION]
    expected = np.mean([reading.restitution for reading in used])
    apart = max(
        float(np.std([reading.restitution for reading in used])),
        *(reading.restitution_sd for reading in used),
    )
    assert abs(found.value - expected) < 3 * np.hypot(found.sd, apart)


@needs("marked_discs")
@pytest.mark.slow
def test_spin_of_a_disc_from_its_marker():
    marker = cal.measurements.read_marker_angles(
        DATA / "marked_discs" / "csv" / "disc0.csv", axis="z", sigma=0.02
    )
    first = slice(0, 20)
    times, angle = marker.time[first], marker.angle[first]
    slope, _ = np.polyfit(times, np.unwrap(angle), 1)
    seen = cal.measurements.MarkerAngles(times, angle, axis="z", sigma=0.02)
    start = jc.state(position=(0, 0, 10.0), spin=(0, 0, slope * 0.8))
    problem = Problem(
        in_the_air(0.04),
        [Trial(seen, initial=start)],
        free=[RESTITUTION],
        nuisance=[cal.nuisances.InitialSpin("z"), cal.nuisances.MarkerStart()],
    )
    found = fit(problem)
    own = estimate_trial(found.assessment, 0, 0)["spin_z"]
    assert own.value == pytest.approx(slope, abs=1e-3 + own.sd)
    assert not np.isfinite(found.parameters[RESTITUTION].sd)  # nothing touched anything


@needs("contactnets_cube")
@pytest.mark.slow
def test_spin_of_a_tumbling_cube_from_its_orientations():
    path = DATA / "contactnets_cube" / "csv" / "toss_120.csv"
    whole, table = (
        cal.measurements.read_orientations(path, sigma=0.02),
        np.genfromtxt(path, delimiter=",", names=True),
    )
    falling = slice(0, 12)
    assert np.all(np.diff(table["vz"][falling]) < 0.05)
    seen = cal.measurements.Orientations(whole.time[falling], whole.quaternion[falling], sigma=0.02)
    body = np.stack([table[name][falling] for name in ("wx", "wy", "wz")], axis=-1)
    spin = np.asarray(rotate_by_quaternion(body, whole.quaternion[falling])).mean(axis=0)
    start = jc.state(position=(0, 0, 10.0), spin=tuple(0.8 * spin))
    problem = Problem(
        in_the_air(0.05),
        [Trial(seen, initial=start)],
        free=[RESTITUTION],
        nuisance=[cal.nuisances.InitialSpin("xyz"), cal.nuisances.InitialTurn()],
    )
    own = estimate_trial(fit(problem).assessment, 0, 0)
    for i, axis in enumerate("xyz"):
        # The recorded spins were smoothed: they are no independent measurement.
        assert own[f"spin_{axis}"].value == pytest.approx(
            spin[i], abs=0.6 + 3 * own[f"spin_{axis}"].sd
        )
