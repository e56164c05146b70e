"""Every public name has an example in its docstring that runs as it stands, and a place on a page
of the reference.
"""

import doctest

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from jaxcontact.laws.core.registry import LAWS
from tests.public_names import documentation, documented_homes, home, public_names

NAMES = public_names()
NAMESPACE = {"jc": jc, "cal": cal, "jax": jax, "jnp": jnp, "np": np}
"""What an example may use without importing it. Numbers are in double precision (conftest.py)."""

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS

WITHOUT_EXAMPLE = (
    "jaxcontact.laws.adhesion",
    "jaxcontact.laws.adhesive_plastic",
    "jaxcontact.laws.continuous_friction",
    "jaxcontact.laws.cundall_strack",
    "jaxcontact.laws.damping",
    "jaxcontact.laws.elastic",
    "jaxcontact.laws.friction",
    "jaxcontact.laws.mindlin",
    "jaxcontact.laws.normal",
    "jaxcontact.laws.one_sided_dashpot",
    "jaxcontact.laws.plastic",
    "jaxcontact.laws.restitution",
    "jaxcontact.laws.rigid_impact",
    "jaxcontact.laws.rocking",
    "jaxcontact.laws.rolling",
    "jaxcontact.laws.spinning",
    "jaxcontact.laws.stribeck",
    "jaxcontact.laws.tangential",
    "jaxcontact.laws.velocity_dependent_restitution",
    "jaxcontact.laws.viscoelastic",
    "jaxcontact.systems.comsol",
    "jaxcontact.systems.comsol.ArbitraryContact",
    "jaxcontact.systems.comsol.Friction",
    "jaxcontact.systems.comsol.RigidBodyContact",
    "jaxcontact.systems.comsol.SphericalContact",
    "jaxcontact.systems.comsol.contact_force",
    "jaxcontact.systems.comsol.dissipation_rate",
    "jaxcontact.systems.comsol.friction_force",
    "jaxcontact.systems.comsol.friction_magnitude",
    "jaxcontact.systems.comsol.quaternion_moment",
    "jaxcontact.systems.comsol.spherical_to_arbitrary",
    "jaxcontact.systems.comsol.spherical_to_spherical",
    "jaxcontact.systems.edem",
    "jaxcontact.systems.edem.Contact",
    "jaxcontact.systems.edem.ContactForces",
    "jaxcontact.systems.edem.ContactMemory",
    "jaxcontact.systems.edem.DiskTorques",
    "jaxcontact.systems.edem.HertzMindlin",
    "jaxcontact.systems.edem.LinearSpring",
    "jaxcontact.systems.edem.Particle",
    "jaxcontact.systems.edem.SpinningFriction",
    "jaxcontact.systems.edem.new_memory",
    "jaxcontact.systems.edem.sphere_geometry",
    "jaxcontact.systems.edem.sphere_sphere",
    "jaxcontact.systems.edem.spinning_friction",
    "jaxcontact.systems.edem.spinning_friction_torque",
    "jaxcontact.systems.exudyn",
    "jaxcontact.systems.exudyn.general_contact",
    "jaxcontact.systems.exudyn.sphere_sphere",
    "jaxcontact.systems.exudyn.sphere_triangle",
    "jaxcontact.systems.modia3d",
    "jaxcontact.systems.modia3d.Beam",
    "jaxcontact.systems.modia3d.Box",
    "jaxcontact.systems.modia3d.Capsule",
    "jaxcontact.systems.modia3d.Cone",
    "jaxcontact.systems.modia3d.ContactMemory",
    "jaxcontact.systems.modia3d.Cylinder",
    "jaxcontact.systems.modia3d.ElasticContact",
    "jaxcontact.systems.modia3d.ElasticContactPairMaterial",
    "jaxcontact.systems.modia3d.ElasticContactPairResponseMaterial",
    "jaxcontact.systems.modia3d.Ellipsoid",
    "jaxcontact.systems.modia3d.FileMesh",
    "jaxcontact.systems.modia3d.GeometryFactors",
    "jaxcontact.systems.modia3d.ObserverContactPairMaterial",
    "jaxcontact.systems.modia3d.RESTITUTIONS",
    "jaxcontact.systems.modia3d.Response",
    "jaxcontact.systems.modia3d.SHAPES",
    "jaxcontact.systems.modia3d.Solid",
    "jaxcontact.systems.modia3d.SolidMaterial",
    "jaxcontact.systems.modia3d.Sphere",
    "jaxcontact.systems.modia3d.contactPairMaterialPalette",
    "jaxcontact.systems.modia3d.contact_model",
    "jaxcontact.systems.modia3d.contact_pair_material",
    "jaxcontact.systems.modia3d.contact_response",
    "jaxcontact.systems.modia3d.contact_start",
    "jaxcontact.systems.modia3d.current_restitution",
    "jaxcontact.systems.modia3d.damping_coefficient",
    "jaxcontact.systems.modia3d.elastic_contact",
    "jaxcontact.systems.modia3d.geometry_factors",
    "jaxcontact.systems.modia3d.normal_force",
    "jaxcontact.systems.modia3d.pair_key",
    "jaxcontact.systems.modia3d.reg",
    "jaxcontact.systems.modia3d.regularized_unit_vector",
    "jaxcontact.systems.modia3d.response_calculation",
    "jaxcontact.systems.modia3d.response_material",
    "jaxcontact.systems.modia3d.resultant_modulus",
    "jaxcontact.systems.modia3d.smooth_current_restitution",
    "jaxcontact.systems.modia3d.smooth_damping_coefficient",
    "jaxcontact.systems.modia3d.solidMaterialPalette",
    "jaxcontact.systems.modia3d.solid_material",
    "jaxcontact.systems.modia3d.sphere_flat_plane",
    "jaxcontact.systems.modia3d.sphere_flat_response",
    "jaxcontact.systems.modia3d.sphere_sphere_plane",
    "jaxcontact.systems.modia3d.sphere_sphere_response",
    "jaxcontact.systems.pfc",
    "jaxcontact.systems.pfc.activity",
    "jaxcontact.systems.pfc.contact_resolution",
    "jaxcontact.systems.pfc.hertz",
    "jaxcontact.systems.pfc.linear",
    "jaxcontact.systems.pfc.pieces",
    "jaxcontact.systems.pfc.response",
    "jaxcontact.systems.pfc.rolling_resistance_linear",
    "jaxcontact.systems.pfc.state",
    "jaxcontact.systems.pfc.time_step",
    "calibration.Band",
    "calibration.Bootstrap",
    "calibration.Candidate",
    "calibration.Comparison",
    "calibration.DesignReport",
    "calibration.Determination",
    "calibration.Estimate",
    "calibration.Fit",
    "calibration.Identifiability",
    "calibration.ImpactTable",
    "calibration.MultiStart",
    "calibration.Posterior",
    "calibration.Profile",
    "calibration.Profile2D",
    "calibration.Profiles",
    "calibration.Recording",
    "calibration.Trial",
    "calibration.bootstrap",
    "calibration.compare",
    "calibration.derived",
    "calibration.design",
    "calibration.detection",
    "calibration.detection.DetectedBounces",
    "calibration.detection.DroppedFrames",
    "calibration.detection.find_dropped_frames",
    "calibration.detection.read_bounces",
    "calibration.detection.with_missing_frames",
    "calibration.fit",
    "calibration.identify",
    "calibration.instruments",
    "calibration.measurements",
    "calibration.measurements.BounceTimes",
    "calibration.measurements.ContactDurations",
    "calibration.measurements.ForceTrace",
    "calibration.measurements.MarkerAngles",
    "calibration.measurements.Measurement",
    "calibration.measurements.Observation",
    "calibration.measurements.Orientations",
    "calibration.measurements.RestingDistance",
    "calibration.measurements.Spins",
    "calibration.measurements.TrackedPositions",
    "calibration.measurements.read_bounce_times",
    "calibration.measurements.read_contact_durations",
    "calibration.measurements.read_force_trace",
    "calibration.measurements.read_marker_angles",
    "calibration.measurements.read_orientations",
    "calibration.measurements.read_spins",
    "calibration.multi_start",
    "calibration.nuisances",
    "calibration.nuisances.CameraRoll",
    "calibration.nuisances.ClockDrift",
    "calibration.nuisances.ClockOffset",
    "calibration.nuisances.DepthMotion",
    "calibration.nuisances.Exposure",
    "calibration.nuisances.FirstImpact",
    "calibration.nuisances.ForceGain",
    "calibration.nuisances.Gravity",
    "calibration.nuisances.GravityTilt",
    "calibration.nuisances.InitialSpin",
    "calibration.nuisances.InitialState",
    "calibration.nuisances.InitialTurn",
    "calibration.nuisances.KnownState",
    "calibration.nuisances.LengthScale",
    "calibration.nuisances.LensDistortion",
    "calibration.nuisances.MarkerStart",
    "calibration.nuisances.Nuisance",
    "calibration.nuisances.PerTrial",
    "calibration.nuisances.PixelAspect",
    "calibration.nuisances.RestitutionScatter",
    "calibration.nuisances.SurfaceHeight",
    "calibration.nuisances.TimeOffset",
    "calibration.posterior",
    "calibration.prediction_band",
    "calibration.profile",
    "calibration.profile_2d",
    "calibration.read_impact_table",
    "calibration.read_recordings",
    "calibration.read_trajectory",
    "calibration.report",
    "calibration.report.fit_figure",
    "calibration.report.profile_figure",
    "calibration.report.save_figure",
    "calibration.report.write_json",
    "calibration.report.write_page",
    "calibration.studies",
    "calibration.studies.Ball",
    "calibration.studies.BootstrapOptions",
    "calibration.studies.CompareOptions",
    "calibration.studies.DesignOptions",
    "calibration.studies.FitOptions",
    "calibration.studies.ModelOptions",
    "calibration.studies.PosteriorOptions",
    "calibration.studies.ProfileOptions",
    "calibration.studies.ReadingOptions",
    "calibration.studies.Study",
    "calibration.studies.check_study",
    "calibration.studies.fit_study",
    "calibration.studies.read_study",
    "calibration.studies.write_study",
    "calibration.validate_design",
)
"""Names that have no example yet. The list may only become shorter."""

ON_NO_PAGE = (
    "jaxcontact.systems.modia3d.contact_model",
    "calibration.detection",
    "calibration.measurements",
    "calibration.nuisances.AXES",
    "calibration.nuisances.PerTrial",
    "calibration.report",
    "calibration.report.write_page",
    "calibration.studies",
    "calibration.studies.check_study",
)
"""Names that stand on no page of the reference yet. The list may only become shorter."""


@pytest.fixture(autouse=True)
def laws_of_the_examples_are_forgotten():
    """An example may register a law; no other test shall meet it."""
    laws = dict(LAWS)
    yield
    LAWS.clear()
    LAWS.update(laws)


def examples_of(name):
    return doctest.DocTestParser().get_doctest(
        documentation(name), dict(NAMESPACE), name, None, None
    )


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT_EXAMPLE])
def test_the_example_runs_and_shows_what_it_says(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    test = examples_of(name)
    assert test.examples, f"{name} has no example (>>>) in its docstring"
    report = []
    results = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append)
    assert results.failed == 0, "".join(report)


@pytest.mark.parametrize("name", WITHOUT_EXAMPLE)
def test_a_name_that_has_an_example_is_not_listed_as_without(name):
    assert not examples_of(name).examples


def test_every_public_name_stands_on_a_page_of_the_reference():
    shown = documented_homes()
    missing = [name for name in NAMES if home(name) not in shown]
    assert not set(missing) - set(ON_NO_PAGE)
