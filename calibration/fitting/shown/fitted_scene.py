"""The scene of a fit, and the impacts that happen in it."""

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from calibration.fitting.assessment import Assessment
from calibration.io.impact_table import ImpactTable


def fitted_scene(assessment: Assessment) -> jc.Scene:
    """With the values of the minimum. It is made while tracing: a fit may end at a value that a
    scene refuses of a person; functions of it are to be traced, too.
    """

    @jax.jit
    def at(shared: jax.Array) -> jc.Scene:
        return assessment.layout.at(assessment.scene, shared)[0]

    with jax.enable_x64(True):
        return at(jnp.asarray(assessment.minimum.shared))


def normal_speeds(table: ImpactTable) -> np.ndarray:
    """Speeds along the normal (n,) [m/s] of the impacts of a table."""
    return np.asarray(table.impact_speed * np.cos(np.radians(table.impact_angle)))
