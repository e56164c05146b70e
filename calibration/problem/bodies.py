"""Whether trials are of the bodies that the scene has."""

from collections.abc import Sequence

import numpy as np

import jaxcontact as jc
from calibration.errors import InputError
from calibration.io.impact_table import ImpactTable
from calibration.problem.trial import Trial
from jaxcontact.laws import PairContact


def check_bodies(scene: jc.Scene, trials: Sequence[Trial | ImpactTable]) -> None:
    """Check the bodies of trials.

    Raises:
        InputError: another number of bodies than in the scene, or a table of impacts where the
            contact is of a pair.
    """
    held = count_bodies(scene)
    for trial in trials:
        if isinstance(trial, ImpactTable) and isinstance(scene.contact, PairContact):
            raise InputError(
                f"A table of impacts is compared with the laws of a ContactModel, "
                f"scene.contact = {type(scene.contact).__name__}(...) is another one.",
                path=trial.path,
                remedy="Give measurements of motions, or describe the contact by a ContactModel.",
            )
        bodies = 1 if isinstance(trial, ImpactTable) else trial.bodies
        if held not in (1, bodies):
            raise InputError(
                f"scene.bodies holds {held} bodies, but {trial.name!r} is of {bodies}.",
                path=trial.path,
                remedy="Give Trial(OfBody(0, ...), ..., initial=jaxcontact.state(position=...)) "
                "with a row for each body, or a scene with as many.",
            )


def count_bodies(scene: jc.Scene) -> int:
    """How many bodies the scene has; 1 where the same numbers hold for any."""
    if isinstance(scene.bodies, jc.Spheres):
        return max(np.size(part) for part in (scene.bodies.radius, scene.bodies.mass))
    return max(scene.bodies.of_body) + 1
