"""Results that no optimiser made, for the tests of the reports."""

import numpy as np

from calibration.results.assumed_noise import AssumedNoise
from calibration.results.contact_force import ForceLoop
from calibration.results.estimate import Determination, Estimate
from calibration.results.fitted_data import FittedColumn, FittedRecording, StoredPredictions
from calibration.results.impacts import ImpactRestitutions, MeasuredImpact
from calibration.results.modification import Decision, TriedModification
from calibration.results.residual_check import ResidualCheck
from calibration.results.result import Fit

GRAVITY = 9.81


def restitution(**changes):
    given = {
        "value": 0.92634,
        "sd": 0.00412,
        "start": 0.85,
        "status": Determination.DETERMINED,
    } | changes
    return Estimate(
        name="contact.normal.restitution", label="restitution", symbol="e", unit="-", **given
    )


def parameters():
    return {
        estimate.name: estimate
        for estimate in (
            restitution(),
            Estimate(
                "drag.coefficient",
                "drag coefficient",
                "C_d",
                "-",
                0.4712,
                0.0523,
                0.47,
                Determination.DETERMINED,
            ),
            Estimate(
                "contact.normal.stiffness",
                "stiffness",
                "k",
                "N/m^1.5",
                float("nan"),
                float("inf"),
                4e7,
                Determination.NOT_DETERMINED,
                "larger than 2.1e5 N/m^1.5 (95 %); a recording at 20 kHz or a contact time "
                "would show it",
            ),
            Estimate(
                "contact.friction.coefficient",
                "friction coefficient",
                "μ",
                "-",
                1.0,
                0.02,
                0.25,
                Determination.AT_BOUND,
                "the upper bound is 1; the data ask for more",
            ),
            Estimate(
                "materials.modulus",
                "effective modulus",
                "E*",
                "Pa",
                7.0e10,
                0.0,
                7.0e10,
                Determination.FIXED,
            ),
            Estimate(
                "length_scale",
                "length scale",
                "s",
                "-",
                0.95812,
                0.00123,
                1.0,
                Determination.DETERMINED,
            ),
        )
    }


def bounces(time, height, *, e):
    """Height above the floor of a point dropped from rest, and the times of its bounces."""
    position, moments = np.empty_like(time), []
    begin, speed = np.sqrt(2 * height / GRAVITY), np.sqrt(2 * GRAVITY * height)
    position[:] = height - 0.5 * GRAVITY * time**2
    while begin < time[-1] and speed > 1e-3:
        moments.append(begin)
        speed *= e
        later = time >= begin
        position[later] = speed * (time[later] - begin) - 0.5 * GRAVITY * (time[later] - begin) ** 2
        begin += 2 * speed / GRAVITY
    return position, np.array(moments)


def recording(index=0, *, axes=("z",), samples=160, sigma=1.2e-3, noise=1.2e-3, name=None):
    random = np.random.default_rng(index)
    time = 0.01 * np.arange(samples)
    height, moments = bounces(time, 0.25 + 0.02 * index, e=0.9)
    paths = {"z": height, "x": 0.1 + 0.4 * time, "y": 0.05 - 0.1 * time}
    predicted = np.stack([paths[axis] for axis in axes], axis=1)
    measured = predicted + noise * random.standard_normal(predicted.shape)
    measured[20:24] = np.nan
    nuisance = {
        "initial_height": Estimate(
            "initial_height",
            "initial height",
            "z0",
            "m",
            0.25 + 0.02 * index,
            3.1e-4,
            0.25,
            Determination.DETERMINED,
        ),
        "time_offset": Estimate(
            "time_offset",
            "time offset",
            "t0",
            "s",
            1.7e-3 * (1 + index),
            2.4e-4,
            0.0,
            Determination.DETERMINED,
        ),
    }
    return FittedRecording(
        name=name or f"drop_{index + 1:02d}",
        axes=axes,
        time=time,
        measured=measured,
        predicted=predicted,
        sigma=np.full_like(predicted, sigma),
        bounce_times=moments,
        nuisance=nuisance,
        remarks=("the first 3 samples were left out: the ball was still held",)
        if index % 2 == 0
        else (),
    )


def drops(count, *, recordings=None, **changes):
    """A fit of ``count`` dropped balls."""
    made = tuple(
        recording(index, noise=1.2e-3 * (1 + 0.1 * (index * 7 % 11))) for index in range(count)
    )
    given = {
        "parameters": parameters(),
        "names": ("contact.normal.restitution", "drag.coefficient", "length_scale"),
        "correlation": np.array([[1.0, 0.93, -0.21], [0.93, 1.0, -0.612], [-0.21, -0.612, 1.0]]),
        "chi2": 156.0 * count,
        "dof": 152 * count,
        "error_scale_factor": 3.2,
        "converged": True,
        "iterations": 12,
        "seconds": 0.842,
        "method": "Levenberg-Marquardt",
        "model": "Hard-sphere impacts with constant restitution, quadratic air drag, no friction",
        "warnings": (
            "the length scale of the recordings is 4.2 % short; check the scale of the video",
        ),
        "predictions": StoredPredictions(made if recordings is None else recordings),
    }
    return Fit(**(given | changes))


def impacts():
    """A fit of oblique impacts whose three columns ask for different friction coefficients."""
    angle = np.linspace(5.0, 80.0, 16)
    fine = np.linspace(0.0, 85.0, 200)
    random = np.random.default_rng(3)
    friction = Estimate(
        "contact.friction.coefficient",
        "friction coefficient",
        "μ",
        "-",
        0.0957,
        0.0011,
        0.2,
        Determination.DETERMINED,
    )

    def alone(value, sd):
        return {
            friction.name: Estimate(
                friction.name,
                friction.label,
                friction.symbol,
                "-",
                value,
                sd,
                0.2,
                Determination.DETERMINED,
            )
        }

    def column(name, label, curve, sigma, shift, values):
        predicted = curve(angle)
        measured = predicted + sigma * (random.standard_normal(angle.size) + shift)
        chi2 = float(np.sum(((measured - predicted) / sigma) ** 2))
        return FittedColumn(
            name,
            label,
            angle,
            measured,
            predicted,
            np.full(angle.size, sigma),
            fine,
            curve(fine),
            values,
            chi2,
        )

    both = alone(0.1012, 0.0021) | {"contact.normal.restitution": restitution(value=0.98, sd=0.006)}
    columns = (
        column(
            "rebound_angle",
            "rebound angle [deg]",
            lambda a: np.maximum(a - 9.0, 0.6 * a),
            0.8,
            1.5,
            alone(0.0911, 0.0012),
        ),
        column(
            "tangential_restitution",
            "tangential restitution",
            lambda a: 0.6 + 0.35 * (a / 85) ** 2,
            0.012,
            0.0,
            alone(0.0969, 0.0018),
        ),
        column(
            "spin_after",
            "spin after the impact [rad/s]",
            lambda a: 700 * np.sin(np.radians(2 * a)),
            18.0,
            -1.2,
            both,
        ),
    )
    estimates = (restitution(value=0.9812, sd=0.0051), friction)
    return Fit(
        parameters={estimate.name: estimate for estimate in estimates},
        names=tuple(estimate.name for estimate in estimates),
        correlation=np.array([[1.0, 0.12], [0.12, 1.0]]),
        chi2=sum(column.chi2 for column in columns),
        dof=46,
        error_scale_factor=1.6,
        converged=True,
        iterations=6,
        seconds=0.11,
        method="Levenberg-Marquardt",
        model="Rigid oblique impact with constant restitution and Coulomb friction",
        warnings=(
            "tangential compliance matters below about 32 deg; rigid sliding cannot follow "
            "those points",
        ),
        columns=columns,
    )


def measured_impacts(trials=2, each=3):
    """Impacts whose restitution falls with the speed, and the law they follow."""
    random = np.random.default_rng(5)
    impacts = tuple(
        MeasuredImpact(
            f"drop_{trial + 1:02d}",
            number + 1,
            2.5 - 0.4 * number,
            0.9 + 0.01 * number + 0.002 * random.standard_normal(),
            0.002,
        )
        for trial in range(trials)
        for number in range(each)
    )
    pooled = tuple(
        MeasuredImpact(f"drop_{trial + 1:02d}", each, 2.1, 0.91, 0.002) for trial in range(trials)
    )
    speed = np.linspace(1.5, 2.6, 20)
    return ImpactRestitutions(impacts, pooled, speed, 0.96 - 0.025 * speed, "as measured")


def everything(count=3, **changes):
    """A fit of drops with all that a page can show."""
    made = tuple(recording(index) for index in range(count))
    overlap = np.concatenate([np.linspace(0, 1e-4, 30), np.linspace(1e-4, 0, 30)])
    force = 4e7 * overlap**1.5 * np.repeat([1.0, 0.8], 30)
    checks = (
        ResidualCheck("runs", 41.0, 0.4, True, "41 runs, 40 are expected"),
        ResidualCheck("order", 9.0, 0.001, False, "they follow the speed", "--restitution-law"),
    )
    noise = AssumedNoise("z [m]", "Automatic", "As stated.", "found", (1e-3, 1.2e-3), 468, 480)
    predictions = StoredPredictions(
        recordings=made,
        residual_checks=checks,
        impacts=measured_impacts(count),
        noise=(noise,),
        force_loops=(ForceLoop(1.0, overlap, force), ForceLoop(2.0, 1.7 * overlap, 2 * force)),
    )
    tried = (
        TriedModification(
            "rolling shutter", Decision.NOT_NEEDED, 0.7, 1, "0.1 +- 0.3 ms/m", "--nuisance"
        ),
    )
    given = {
        "predictions": predictions,
        "modifications": tried,
        "sources": ("Hunt and Crossley, J. Appl. Mech. 42 (1975) 440-445", "Walton (1993)"),
        "warnings": tuple(f"finding number {number}" for number in range(1, 6)),
    }
    return drops(count, **(given | changes))
