"""At which speed of an impact the restitution of a fit holds, where a study names a law in which it
changes with the speed: a restitution of 0.79 at 2.8 m/s may be one of 0.88 at 1 m/s.
"""

import dataclasses

import numpy as np

from calibration.results.numbers import has_interval
from calibration.results.result import Fit
from calibration.studies.choices.restitution_laws import NORMAL
from jaxcontact.parameters import declared_parameters

RESTITUTION, REFERENCE_SPEED = f"{NORMAL}.restitution", "reference_speed"


def with_restitution_speed(fit: Fit) -> Fit:
    """The fit, its restitution with the speed at which it holds, where its law has one.

    Args:
        fit: of a study.
    """
    estimate = fit.parameters.get(RESTITUTION)
    laws = {name: value for name, value, _ in declared_parameters(fit.problem.scene.contact.normal)}
    speed = laws.get(REFERENCE_SPEED)
    if estimate is None or speed is None or estimate.note or not has_interval(estimate):
        return fit
    note = f"of an impact at {float(np.asarray(speed)):.3g} m/s"
    return dataclasses.replace(
        fit,
        parameters={**fit.parameters, RESTITUTION: dataclasses.replace(estimate, note=note)},
    )
