"""Makes the recordings with known truth beside this package, ``python -m
experiments.known_truth.generate``.

A camera at 240 frames per second follows the centre of a table-tennis ball that is dropped, or
thrown obliquely, on a table. The motion is that of :mod:`experiments.known_truth.flight` and
:mod:`experiments.known_truth.compliant`; Gaussian noise is added, and frames are lost.
"""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np

from experiments.known_truth.compliant import contact, damping_for
from experiments.known_truth.flight import AIR_DENSITY, GRAVITY, INERTIA, MASS, RADIUS, flight

RESTITUTION = 0.9
FRICTION = 0.25
DRAG = 0.45
STIFFNESS = 4e6  # N/m^1.5: contacts of 0.6 to 0.7 ms
PLANE = 0.003  # m, the height of the table in the coordinates of the camera

FRAME_RATE = 240.0  # 1/s
NOISE = 5e-4  # m, standard deviation
DROPPED = 0.05  # part of the frames that are lost one by one
GAP = 10  # frames lost in a row, once in a recording
TREMOR = 3e-4  # m, standard deviation of the position in the hand
CLOCK_JITTER = 4e-4  # s, standard deviation of an irregular clock

FOLDER = Path(__file__).parents[1] / "data" / "known_truth"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Shot:
    """What happens in one recording; the ball does not spin at first."""

    name: str
    seed: int
    duration: float  # s
    height: float  # m, of the lowest point above the table
    x: float = 0.0  # m
    vx: float = 0.0  # m/s
    vz: float = 0.0  # m/s
    held: float = 0.0  # s in the hand before the release
    irregular: bool = False  # frame times, which are recorded as they were
    tracker: bool = False  # semicolons, decimal commas, vertical coordinate called y

    @property
    def start(self) -> np.ndarray:
        """State (x, z, vx, vz, w) at the release."""
        return np.array([self.x, PLANE + RADIUS + self.height, self.vx, self.vz, 0.0])


SHOTS = (
    Shot(name="drop_00.csv", seed=240, duration=2.0, height=0.30),
    Shot(name="drop_01.csv", seed=241, duration=1.8, height=0.45, x=0.12, held=0.1),
    Shot(name="drop_02.csv", seed=242, duration=1.6, height=0.22, x=-0.05, irregular=True),
    Shot(name="drop_03.csv", seed=243, duration=1.7, height=0.31, x=0.04, vz=0.6, tracker=True),
    Shot(name="throw_04.csv", seed=244, duration=1.2, height=0.20, x=-1.1, vx=2.8),
    Shot(name="throw_05.csv", seed=245, duration=1.4, height=0.24, x=1.6, vx=-3.4, vz=0.5),
)


def motion(start: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, list[dict[str, float]]]:
    """Centre (len(times), 2) at ``times`` [s] after ``start``, and what happens at each impact
    until then.
    """
    path, impacts = np.full((times.size, 2), np.nan), []
    clock, state, flying = 0.0, start, True
    while clock < times[-1]:
        if flying:
            segment = flight(state, DRAG, PLANE)
        else:
            segment = contact(
                state, restitution=RESTITUTION, friction=FRICTION, drag=DRAG, stiffness=STIFFNESS
            )
            impacts.append(_impact(clock, state, segment.end, segment.duration))
        for index in np.flatnonzero((times >= clock) & (times <= clock + segment.duration)):
            path[index] = segment.centre(times[index] - clock)
        clock, state, flying = clock + segment.duration, segment.end, not flying
    return path, impacts


def _impact(
    clock: float, before: np.ndarray, after: np.ndarray, duration: float
) -> dict[str, float]:
    return {
        "touch_down_s": clock,
        "contact_duration_s": duration,
        "normal_speed_before_m_s": -before[3],
        "obtained_restitution": -after[3] / before[3],
        "tangential_velocity_before_m_s": before[2],
        "tangential_velocity_after_m_s": after[2],
        "slip_before_m_s": before[2] - RADIUS * before[4],
        "slip_after_m_s": after[2] - RADIUS * after[4],
        "spin_after_rad_s": after[4],
    }


def film(shot: Shot) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Frame times (n,), noisy centres (n, 2) and truth of a shot."""
    rng = np.random.default_rng(shot.seed)
    times = np.arange(round(shot.duration * FRAME_RATE)) / FRAME_RATE
    if shot.irregular:
        times[1:] += rng.normal(scale=CLOCK_JITTER, size=times.size - 1)
    in_hand = times < shot.held
    path = np.tile(shot.start[:2], (times.size, 1))
    path[in_hand] += rng.normal(scale=TREMOR, size=(in_hand.sum(), 2))
    path[~in_hand], impacts = motion(shot.start, times[~in_hand] - shot.held)
    path += rng.normal(scale=NOISE, size=path.shape)

    seen = rng.uniform(size=times.size) >= DROPPED
    gap = rng.integers(times.size // 5, 4 * times.size // 5)
    seen[gap : gap + GAP] = False
    for impact in impacts:
        impact["touch_down_s"] += shot.held
    truth = {
        "seed": shot.seed,
        "release_s": shot.held,
        "initial_state": dict(
            zip(
                ("x_m", "z_m", "vx_m_s", "vz_m_s", "spin_rad_s"),
                shot.start.round(9).tolist(),
                strict=True,
            )
        ),
        "frame_times": "irregular" if shot.irregular else "regular",
        "gap_s": [round(float(times[index]), 6) for index in (gap, gap + GAP - 1)],
        "frames": int(seen.sum()),
        "impacts": [
            {key: round(float(value), 9) + 0.0 for key, value in impact.items()}
            for impact in impacts
        ],
    }
    return times[seen], path[seen], truth


def written(shot: Shot, times: np.ndarray, path: np.ndarray) -> str:
    """The recording as the text of its file."""
    rows = [f"{time:.6f},{x:.6f},{z:.6f}" for time, (x, z) in zip(times, path, strict=True)]
    if shot.tracker:
        return "\n".join(["t;x;y", *(row.replace(",", ";").replace(".", ",") for row in rows), ""])
    return "\n".join(["t,x,z", *rows, ""])


def common_truth() -> dict[str, Any]:
    """What all recordings share."""
    return {
        "restitution": RESTITUTION,
        "friction_coefficient": FRICTION,
        "drag_coefficient": DRAG,
        "air_density_kg_m3": AIR_DENSITY,
        "plane_height_m": PLANE,
        "gravity_m_s2": GRAVITY,
        "radius_m": RADIUS,
        "mass_kg": MASS,
        "inertia_kg_m2": INERTIA,
        "stiffness_n_m1.5": STIFFNESS,
        "damping_number": round(damping_for(RESTITUTION), 9),
        "frame_rate_hz": FRAME_RATE,
        "noise_m": NOISE,
        "dropped_fraction": DROPPED,
        "gap_frames": GAP,
        "hand_tremor_m": TREMOR,
        "clock_jitter_s": CLOCK_JITTER,
    }


def main() -> None:
    """Write every recording and ``truth.json``."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    truth: dict[str, Any] = {"common": common_truth(), "recordings": {}}
    for shot in SHOTS:
        times, path, about = film(shot)
        (FOLDER / shot.name).write_text(written(shot, times, path), encoding="utf-8", newline="\n")
        truth["recordings"][shot.name] = about
    (FOLDER / "truth.json").write_text(
        json.dumps(truth, indent=1) + "\n", encoding="utf-8", newline="\n"
    )


if __name__ == "__main__":
    main()
