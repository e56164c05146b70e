"""A sweep in chunks says once which of its simulations did not succeed."""

import numpy as np
import pytest

import jaxcontact as jc
from calibration.runtime.chunks import run_sweep


def make(restitution):
    law = jc.NewtonRestitution(restitution=restitution)
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law))
    return scene, jc.state(position=(0.0, 0.0, 0.5))


@pytest.mark.long
def test_a_sweep_in_chunks_says_it_once():
    with pytest.warns(jc.SimulationWarning) as said:
        results = run_sweep(
            lambda inputs: jc.sweep(
                make, inputs, np.linspace(0.0, 4.0, 5), method=jc.Impulse(max_contacts=5)
            ),
            np.array([0.1, 0.9, 0.05, 0.95]),
            chunk=2,
        )
    assert len(said) == 1
    assert "run_sweep: 2 of 4" in str(said[0].message)
    assert np.flatnonzero(~results.succeeded).tolist() == [1, 3]
