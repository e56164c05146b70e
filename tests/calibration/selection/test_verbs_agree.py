"""fit and compare say the same of the same model on the same files."""

import pytest

import calibration as cal
from calibration.nuisances import RestitutionScatter
from calibration.nuisances.restitution import FACTOR
from calibration.studies.pipeline import fit_study, problems_to_compare
from tests.calibration.studies.newcomers import drop, write


def size_of(fit: cal.Fit) -> float:
    """Logarithm of the scatter of impacts over its first guess."""
    assessment = fit.assessment
    return float(assessment.minimum.shared[assessment.layout.names.index(FACTOR)])


@pytest.mark.long
@pytest.mark.parametrize("scattered", [False, True])
def test_fit_and_compare_have_the_same_chi_squared(scattered, tmp_path):
    """Also where the fit lets single impacts deviate from the law."""
    restitution = (0.88, 0.80, 0.86, 0.79) if scattered else 0.85
    time, height = drop(restitution=restitution, duration=1.4)
    file = write(tmp_path / "drop.csv", "t [s],z [m]", time, height)
    ball = cal.studies.Ball(radius=0.02, mass=0.0027)
    # By default a fit leaves open how restitution depends on speed, which is no law to compare.
    model = cal.studies.ModelOptions(restitution_law="constant")
    study = cal.studies.Study(files=(str(file),), ball=ball, model=model)
    fit = fit_study(study)
    problems = problems_to_compare(study, ["constant", "power law"])
    deviating = [
        any(isinstance(item, RestitutionScatter) for item in problem.nuisance)
        for problem in problems.values()
    ]
    assert deviating == [scattered, scattered]
    compared = cal.compare(problems, cross_validate=None)
    assert compared["constant"].fit.chi2_per_dof == pytest.approx(fit.chi2_per_dof, rel=0.02)
    if scattered:
        # The size of the scatter is that of the fit, not the first guess, under each law.
        assert size_of(compared["constant"].fit) == pytest.approx(size_of(fit), abs=0.05)
        assert all(abs(size_of(model.fit)) > 0.05 for model in compared.models)
    assert compared["power law"].fit.chi2 <= compared["constant"].fit.chi2 + 0.1
