"""``marked_discs``: two equal discs on an air table, one collision."""

from pathlib import Path
from typing import NamedTuple

import jax
import numpy as np

import calibration as cal
from experiments.real_recordings.disc_collision import (
    DISC,
    Collision,
    fit_collision,
    profile_of_friction,
)
from experiments.real_recordings.disc_tracks import Tracks, read_tracks
from experiments.real_recordings.finding import Description, Finding, Outcome, Verdict, if_true
from experiments.real_recordings.plain_results import write_plain

REACH = 0.3
"""Frames within this of the collision are fitted [s]. Farther away the picture is distorted by more
than a tilted camera explains.
"""
OTHER_REACHES = (0.2, 0.4)
COEFFICIENTS = np.array([0.0, 0.002, 0.004, 0.006, 0.008, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.5])
NEARLY_NONE = 0.004
"""Friction coefficient of the first fit; the profile says which others are possible."""
THRESHOLD = 3.84
"""Rise of chi-squared at the ends of an interval of 95 %."""


class Tangential(NamedTuple):
    """Change of the tangential motion, as tangential over normal impulse: positive as friction
    acts.

    Attributes:
        by_velocity: from the velocities of the centres, and its standard error.
        by_spin: from the spins, and its standard error.
        spin_change: of both discs [rad/s], and their standard errors, ``(2, 2)``.
        to_stick: what stops the slip.
    """

    by_velocity: tuple[float, float]
    by_spin: tuple[float, float]
    spin_change: np.ndarray
    to_stick: float

    @property
    def apart(self) -> float:
        """Distance of both impulses in standard errors."""
        return abs(self.by_velocity[0] - self.by_spin[0]) / float(
            np.hypot(self.by_velocity[1], self.by_spin[1])
        )


def on_the_table(found: Collision) -> np.ndarray:
    """The measured positions without the perspective of the camera, ``(frames, 2, 2)``: ``X - c =
    (x - c)/(1 - q.(x - c))``.
    """
    centre = found.picture.centre
    offset = found.tracks.position - centre
    return centre + offset / (
        1 - np.sum(np.asarray(found.parameters.perspective) * offset, axis=-1, keepdims=True)
    )


def rate(time: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Slope of a straight line and its standard error, from the scatter about it."""
    used = np.isfinite(values)
    (slope, _), covariance = np.polyfit(time[used], values[used], 1, cov=True)
    return float(slope), float(np.sqrt(covariance[0, 0]))


def tangential(found: Collision) -> Tangential:
    """Tangential impulse of equal discs from straight lines before and after, the collision law
    left aside.
    """
    tracks = found.tracks
    since = tracks.time - found.picture.touch
    sides = since < 0, since > 0
    place = on_the_table(found)
    line = np.array(
        [
            [[rate(since[side], place[side, disc, axis]) for axis in (0, 1)] for side in sides]
            for disc in (0, 1)
        ]
    )
    turn = np.array(
        [[rate(since[side], tracks.angle[side, disc]) for side in sides] for disc in (0, 1)]
    )
    normal = found.normal
    across = np.array([-normal[1], normal[0]])
    velocity, radius = line[..., 0], found.diameter[0] / 2
    relative = velocity[0] - velocity[1]
    slip = relative[0] @ across - radius * np.sum(turn[:, 0, 0])
    normal_change = (relative[1] - relative[0]) @ normal
    change = -np.sign(slip) * (relative[1] - relative[0]) @ across
    change_sd = float(np.sqrt(np.sum((line[..., 1] @ np.abs(across)) ** 2)))
    spin_change = np.stack(
        [turn[:, 1, 0] - turn[:, 0, 0], np.hypot(turn[:, 0, 1], turn[:, 1, 1])], axis=1
    )
    # An impulse J at the rim changes each spin by J/(kappa m R), the relative velocity by 2 J/m.
    by_spin = 2 * DISC * radius * np.sign(slip) * spin_change[:, 0].mean() / normal_change
    by_spin_sd = 2 * DISC * radius * float(np.hypot(*spin_change[:, 1])) / 2 / normal_change
    to_stick = abs(slip) / (1 + 1 / DISC) / normal_change
    return Tangential(
        (float(change / normal_change), float(change_sd / normal_change)),
        (float(by_spin), by_spin_sd),
        spin_change,
        float(to_stick),
    )


class Variants(NamedTuple):
    """The same collision under other assumptions."""

    best: Collision
    straight_camera: Collision
    any_masses: Collision
    any_masses_straight_camera: Collision
    sticking: Collision
    other_reaches: tuple[Collision, ...]

    @property
    def restitutions(self) -> list[float]:
        """Restitution of all that know of the perspective or take the discs as equal."""
        return [
            one.restitution[0]
            for one in (
                self.best,
                self.straight_camera,
                self.any_masses,
                self.sticking,
                *self.other_reaches,
            )
        ]

    @property
    def restitution_spread(self) -> float:
        """Half the range of the restitution over the assumptions."""
        return float(np.ptp(self.restitutions)) / 2


def variants(tracks: Tracks) -> Variants:
    """All fits."""

    def one(
        reach: float = REACH,
        friction: float = NEARLY_NONE,
        *,
        perspective: bool = True,
        mass_ratio: bool = False,
    ) -> Collision:
        return fit_collision(
            tracks, friction=friction, reach=reach, perspective=perspective, mass_ratio=mass_ratio
        )

    return Variants(
        best=one(),
        straight_camera=one(perspective=False),
        any_masses=one(mass_ratio=True),
        any_masses_straight_camera=one(perspective=False, mass_ratio=True),
        sticking=one(friction=float(COEFFICIENTS[-1])),
        other_reaches=tuple(one(reach) for reach in OTHER_REACHES),
    )


def estimates(found: Variants, limit: float) -> dict[str, cal.Estimate]:
    """The collision as a table of parameters."""
    best = found.best
    restitution, sd = best.restitution
    total = float(np.hypot(sd, found.restitution_spread))
    diameter, diameter_sd = best.diameter
    known = cal.Determination.DETERMINED
    scale = np.asarray(best.parameters.perspective)
    scale_sd = np.asarray(best.sd.perspective)
    return {
        "restitution": cal.Estimate(
            "restitution",
            "restitution",
            "e",
            "-",
            restitution,
            total,
            0.9,
            known,
            f"standard error {sd:.3f} from the noise, {found.restitution_spread:.3f} from "
            "what is assumed of camera, frames and friction",
        ),
        "friction": cal.Estimate(
            "friction",
            "friction coefficient",
            "mu",
            "-",
            float("nan"),
            np.inf,
            NEARLY_NONE,
            cal.Determination.NOT_DETERMINED,
            f"at most {limit:.2g} by the marker angles (95 %, white noise), but the "
            "velocities by themselves allow rims that stick",
        ),
        "diameter": cal.Estimate(
            "diameter",
            "distance of the centres at contact",
            "d",
            "m",
            diameter,
            diameter_sd,
            0.08,
            known,
        ),
        **{
            f"perspective_{axis}": cal.Estimate(
                f"perspective_{axis}",
                f"change of scale along {axis}",
                f"q_{axis}",
                "1/m",
                float(value),
                float(error),
                0.0,
                known,
            )
            for axis, value, error in zip("xy", scale, scale_sd, strict=True)
        },
    }


def fit_of(found: Variants, limit: float) -> cal.Fit:
    """The collision in the form of every other result."""
    best = found.best
    tracks, picture = best.tracks, best.picture
    since = tracks.time - picture.touch
    recordings = tuple(
        cal.results.FittedRecording(
            name=f"disc{disc}",
            axes=("x", "y"),
            time=since,
            measured=tracks.position[:, disc],
            predicted=picture.position[:, disc],
            sigma=np.full((since.size, 2), best.noise[0]),
            bounce_times=np.asarray([0.0]),
            nuisance={},
        )
        for disc in (0, 1)
    )
    angles = cal.results.FittedSeries(
        name="markers",
        labels=("angle of disc 0 [rad]", "angle of disc 1 [rad]"),
        abscissa=since,
        abscissa_label="time after the collision [s]",
        measured=tracks.angle,
        predicted=picture.angle,
        sigma=np.full((since.size, 2), best.noise[1]),
        nuisance={},
    )
    return cal.Fit(
        parameters=estimates(found, limit),
        names=(),
        correlation=np.zeros((0, 0)),
        chi2=best.chi2,
        dof=best.dof,
        error_scale_factor=1.0,
        converged=True,
        iterations=0,
        seconds=0.0,
        method="levenberg_marquardt",
        model="Two discs, Impulse method, NewtonRestitution, Coulomb, seen by a tilted camera",
        warnings=("The noise is that of the residuals, so chi2/dof is 1 and says nothing.",),
        predictions=cal.results.StoredPredictions(tuple(recordings), (angles,)),
    )


def findings_of(
    found: Variants,
    whole: Collision,
    delta_chi2: np.ndarray,
    limit: float,
    description: Description,
) -> list[Finding]:
    """What the collision tells.

    Args:
        found: all fits.
        whole: the fit of all frames.
        delta_chi2: chi-squared over its least value, at ``COEFFICIENTS``.
        limit: largest friction coefficient that the profile allows.
        description: of the set.
    """
    best, plain = found.best, found.straight_camera
    (restitution, sd), (diameter, diameter_sd) = best.restitution, best.diameter
    spread = float(np.hypot(sd, found.restitution_spread))
    q, q_sd = np.asarray(best.parameters.perspective), np.asarray(best.sd.perspective)
    (ratio, ratio_sd), (bare, bare_sd) = (
        found.any_masses.mass_ratio,
        found.any_masses_straight_camera.mass_ratio,
    )
    told = tangential(best)
    stated = 2 * description.meta["radius_m"]
    (first, first_sd), (second, second_sd) = told.spin_change
    return [
        Finding(
            f"Restitution of the collision {restitution:.3f} ± {spread:.3f}: ± {sd:.3f} from "
            f"the noise, and {min(found.restitutions):.3f}"
            f" to {max(found.restitutions):.3f} over the assumptions (camera, frames used, "
            "friction)."
        ),
        Finding(
            "Free discs do not move uniformly in the picture. A tilted camera, whose scale "
            f"changes by {q[0]:.2f} ± {q_sd[0]:.2f} per metre"
            f" along x and {q[1]:.3f} ± {q_sd[1]:.3f} along y, explains the frames within "
            f"{REACH} s of the collision to"
            f" {1e3 * best.noise[0]:.1f} mm ({1e3 * plain.noise[0]:.1f} mm without it); over "
            f"all frames {1e3 * whole.noise[0]:.1f} mm"
            " remain: a lens distorts, too."
        ),
        description.finding(
            "detection noise of mm",
            if_true(2e-4 < best.noise[0] < 5e-3),
            f"Scatter about the fit {1e3 * best.noise[0]:.1f} mm in the positions, "
            f"{best.noise[1]:.3f} rad in the marker angles"
            f" ({1e3 * 0.02 * best.noise[1]:.1f} mm at a marker 20 mm from the centre).",
        ),
        description.finding(
            "mass unknown, one collision",
            if_true(abs(ratio - 1) < 3 * np.hypot(ratio_sd, 0.02)),
            f"Only the ratio of the masses acts. Left free it is {ratio:.3f} ± "
            f"{ratio_sd:.3f} (noise only), and {bare:.3f} ± {bare_sd:.3f}"
            " without the perspective: equal discs, to the few percent that the camera "
            "leaves open. One collision says nothing of how far"
            " the next one differs.",
        ),
        Finding(
            "Friction is not determined. The tangential impulse is "
            f"{told.by_velocity[0]:+.3f} ± {told.by_velocity[1]:.3f} of the normal"
            f" one by the velocities of the centres, and {told.by_spin[0]:+.3f} ± "
            f"{told.by_spin[1]:.3f} by the spins, which change by"
            f" {first:+.2f} ± {first_sd:.2f} and {second:+.2f} ± {second_sd:.2f} rad/s where "
            f"friction changes both alike: {told.apart:.1f}"
            f" standard errors apart. {told.to_stick:.3f} would stop the slip, so larger "
            "coefficients cannot be told apart. The joint fit"
            " follows the markers: with white noise in their angles it allows at most "
            f"{limit:.2g} (95 %), and chi-squared rises by"
            f" {delta_chi2[-1]:.0f} for rims that stick, which the velocities by themselves allow. "
            "This is no upper limit to be trusted, and"
            " there is no lower one."
        ),
        description.finding(
            "diameter 80 mm",
            if_true(abs(diameter - stated) < 3 * diameter_sd),
            f"The centres are {1e3 * diameter:.1f} ± {1e3 * diameter_sd:.1f} mm apart at "
            f"contact, {100 * (diameter / stated - 1):.0f} %"
            f" more than the diameter of {1e3 * stated:.0f} mm: recorded lengths are too "
            "long there. Restitution does not depend on it.",
        ),
        description.finding(
            "air table",
            Verdict.NOT_TESTABLE,
            "Uniform motion on both sides of the collision was assumed.",
        ),
    ]


def run(folder: Path, result: Path) -> Outcome:
    """Fit the collision.

    Args:
        folder: of the set.
        result: folder for the results.
    """
    description, tracks = Description(folder), read_tracks(folder)
    with jax.enable_x64(True):
        print(f"  Fitting {tracks.time.size} frames ...", flush=True)
        found = variants(tracks)
        whole = fit_collision(tracks, friction=NEARLY_NONE)
        chi2 = profile_of_friction(tracks, found.best, COEFFICIENTS, reach=REACH)
        told = tangential(found.best)
    delta_chi2 = chi2 - min(found.best.chi2, float(chi2.min()))
    # The last coefficient that is allowed, between two that were tried.
    beyond = int(
        np.argmax((delta_chi2 > THRESHOLD) & (np.arange(delta_chi2.size) > np.argmin(delta_chi2)))
    )
    limit = (
        float(
            np.interp(
                THRESHOLD,
                delta_chi2[beyond - 1 : beyond + 1],
                COEFFICIENTS[beyond - 1 : beyond + 1],
            )
        )
        if beyond
        else np.inf
    )
    outcome = Outcome(
        description.meta["name"],
        f"positions and marker angles of two discs within {REACH} s of their collision: "
        "motion before, restitution, distance at contact,"
        " perspective of the camera; friction by its profile.",
        findings_of(found, whole, delta_chi2, limit, description),
        {
            "restitution": (
                found.best.restitution[0],
                float(np.hypot(found.best.restitution[1], found.restitution_spread)),
            ),
            "restitutions": found.restitutions,
            "diameter": found.best.diameter,
            "noise": found.best.noise,
            "mass_ratio": found.any_masses.mass_ratio,
            "mass_ratio_straight_camera": found.any_masses_straight_camera.mass_ratio,
            "by_velocity": told.by_velocity,
            "by_spin": told.by_spin,
            "to_stick": told.to_stick,
            "friction_limit": limit,
            "rise": delta_chi2.tolist(),
            "friction_determined": False,
        },
    )
    write_plain(fit_of(found, limit), outcome, result)
    return outcome
