"""What somebody who extends the packages gets wrong is refused where it is made, in words that say
what to do.
"""

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
