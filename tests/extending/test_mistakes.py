"""What somebody who extends the packages gets wrong is refused where it is made, in words that say
what to do.
"""

import jax.numpy as jnp
import pytest

import calibration as cal
import jaxcontact as jc

NEWTON = jc.NewtonRestitution(restitution=0.8)


@jc.model
class Stranger:
    """A model that inherits from no interface."""

    amount: float = jc.parameter(unit="-", label="amount", symbol="a")


class UndecoratedLaw(jc.laws.RigidLaw):
    amount: float = jc.parameter(unit="-", label="amount", symbol="a")

    def restitution_at(self, impact_speed, *, mass):
        return impact_speed


@pytest.mark.parametrize("name", ["normal", "friction", "rolling", "spinning"])
def test_a_law_without_its_interface_is_refused_by_the_contact(name):
    laws = {"normal": NEWTON} | {name: Stranger(amount=0.5)}
    with pytest.raises(TypeError, match=rf"{name} = Stranger\(amount=0.5\) is not a"):
        jc.ContactModel(**laws)


def test_a_surface_without_its_interface_is_refused_by_the_scene():
    with pytest.raises(TypeError, match=r"surfaces\[1\] = Stranger.*is not a Surface"):
        jc.Scene(
            bodies=jc.spheres(radius=0.02, mass=0.03),
            surfaces=[jc.Plane(), Stranger(amount=0.5)],
            contact=jc.ContactModel(normal=NEWTON),
        )


def test_a_law_that_is_no_model_says_that_the_decorator_is_missing():
    with pytest.raises(TypeError, match=r"UndecoratedLaw is not decorated.*@jc.model"):
        UndecoratedLaw(amount=0.5)


def test_a_rigid_law_with_a_duration_declares_both_fields():
    with pytest.raises(TypeError, match=r"without the field deviation. .*jc.laws.deviation_field"):

        @jc.model
        class Half(jc.laws.RigidImpact):
            duration: float = jc.laws.duration_field()

            def restitution_at(self, impact_speed, *, mass):
                return 0.5


@jc.model
class DistanceAlone(jc.surfaces.Surface):
    height: float = jc.parameter(unit="m", label="height", symbol="h")

    def at_rest(self, center):
        return center[2] - self.height


@jc.model
class FloorOrStep(DistanceAlone):
    def at_rest(self, center):
        return (center[2] if center[2] > 0 else -center[2]), jnp.array([0.0, 0.0, 1.0])


@jc.model
class Steps(jc.laws.RigidLaw):
    amount: float = jc.parameter(unit="-", label="amount", symbol="a")

    def restitution_at(self, impact_speed, *, mass):
        return self.amount if impact_speed > 1.0 else 0.5 * self.amount


def test_a_surface_that_returns_no_normal_is_told_what_to_return():
    with pytest.raises(TypeError, match=r"DistanceAlone\.at_rest returned one array\..*gradient"):
        jc.testing.check_surface(DistanceAlone(height=0.1))


@pytest.mark.parametrize(
    ("check", "made"),
    [
        (jc.testing.check_surface, FloorOrStep(height=0.1)),
        (jc.testing.check_law, Steps(amount=0.8)),
    ],
)
def test_a_python_if_is_told_by_the_checks(check, made):
    with pytest.raises(AssertionError, match=rf"{type(made).__name__} cannot be compiled .*where"):
        check(made)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"interval": "0..1"}, r"'0\.\.1' is no interval"),
        ({"interval": "(1, 0]"}, r"'\(1, 0\]' is no interval"),
        ({"transform": "logg"}, r"transform = 'logg'"),
        ({"transform": "log"}, r"'log' where values are positive"),
        ({"transform": "logit", "interval": "(0, inf)"}, r"'logit' where both ends are finite"),
    ],
)
def test_a_quantity_that_cannot_be_is_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        jc.quantity(**{"unit": "-", "label": "amount", "symbol": "a", **changes})


class Nameless(cal.report.Exporter):
    def write(self, fit, path, *, context):
        """Write nothing."""


class SameFile(Nameless):
    name, filename, about = "mine", "fit.json", "the numbers again"


def test_an_exporter_without_a_name_is_refused():
    with pytest.raises(cal.InputError, match=r"Nameless has no name and no filename and no about"):
        cal.report.EXPORTERS.register(Nameless())


def test_two_exporters_cannot_write_one_file():
    with pytest.raises(cal.InputError, match=r"'json' and 'mine' both write 'fit\.json'"):
        cal.report.EXPORTERS.register(SameFile())


STUDY = """extensions = {extensions}
files = ["drop.csv"]

[ball]
radius = 0.02
mass = 0.03

[model]
nuisances = {nuisances}

[export]
exporters = {exporters}
"""


@pytest.mark.parametrize(
    ("given", "line", "text"),
    [
        ({"extensions": '["no_such.py"]'}, 1, "there is no file 'no_such.py'"),
        ({"extensions": '["no_such_module"]'}, 1, "there is no module 'no_such_module'"),
        ({"nuisances": '["gravity tlit"]'}, 9, "gravity tilt"),
        ({"exporters": '["tabel"]'}, 12, "table"),
    ],
)
def test_a_name_that_does_not_exist_is_an_error_at_its_line_of_the_study_file(
    tmp_path, given, line, text
):
    values = {"extensions": "[]", "nuisances": '["gravity"]', "exporters": '["table"]'} | given
    study = tmp_path / "study.toml"
    study.write_text(STUDY.format(**values))
    with pytest.raises(cal.InputError) as caught:
        cal.studies.read_study(study)
    assert str(caught.value).startswith(f"{study}, line {line}")
    assert text in str(caught.value)
