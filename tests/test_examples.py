"""Every public name has an example in its docstring that runs as it stands, and a place on a page
of the reference.
"""

import doctest
import inspect

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from jaxcontact.laws.core.registry import LAWS
from tests.array_shapes import has_stated_shapes, stated_shapes, values_with_shapes
from tests.public_names import documentation, documented_homes, home, public_names, resolve

pytestmark = pytest.mark.slow

NAMES = public_names()
NAMESPACE = {"jc": jc, "cal": cal, "jax": jax, "jnp": jnp, "np": np}
"""What an example may use without importing it. Numbers are in double precision (conftest.py)."""

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS

WITHOUT_EXAMPLE: tuple[str, ...] = ("calibration.Trial",)
"""Names that have no example yet. The list may only become shorter."""

ON_NO_PAGE: tuple[str, ...] = ()
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


@pytest.mark.long(
    "calibration.Animation",
    "calibration.Bootstrap",
    "calibration.report.response_figure",
    "calibration.studies.sweep_study",
    "calibration.sweeps.on_grid",
    "calibration.validate_design",
    "jaxcontact.BedError",
    "jaxcontact.BedLedger",
    "jaxcontact.GradientReport",
    "jaxcontact.SimulationWarning",
    "jaxcontact.systems.pfc.contact",
    "calibration.Posterior",
    "jaxcontact.check_gradients",
)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT_EXAMPLE])
def test_the_example_runs_and_shows_what_it_says(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    test = examples_of(name)
    assert test.examples, f"{name} has no example (>>>) in its docstring"
    report = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    results = runner.run(test, out=report.append, clear_globs=False)
    assert results.failed == 0, "".join(report)
    made = {
        label: value
        for label, value in test.globs.items()
        if label not in NAMESPACE and not label.startswith("_")  # __builtins__ holds everything
    }
    met = list(values_with_shapes(made))
    assert [value for value in met if not has_stated_shapes(value)] == []
    kind = resolve(name)
    if inspect.isclass(kind) and stated_shapes(kind):
        assert any(isinstance(value, kind) for value in met), f"{name}: no example makes one"


@pytest.mark.parametrize("name", WITHOUT_EXAMPLE)
def test_a_name_that_has_an_example_is_not_listed_as_without(name):
    assert not examples_of(name).examples


def test_every_public_name_stands_on_a_page_of_the_reference():
    shown = documented_homes()
    missing = [name for name in NAMES if home(name) not in shown]
    assert not set(missing) - set(ON_NO_PAGE)
