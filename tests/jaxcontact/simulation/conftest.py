"""Which tests of different files share compiled code, and so run in one process."""

import pytest

# With every derivative of one sphere (differentiated.py), or with one compiled trajectory for each
# law (scenes.py).
DIFFERENTIATED = {"test_derivatives", "test_limits", "test_no_nan"}
SCENES = {
    "test_values",
    "test_invariance",
    "test_rest",
    "test_restitution_of_a_bounce",
    "test_transforms",
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        law = item.callspec.params.get("law") if hasattr(item, "callspec") else None
        if item.path.stem in DIFFERENTIATED | SCENES and "simulation" in item.path.parts:
            shared = law or ("derivatives" if item.path.stem in DIFFERENTIATED else "hunt_crossley")
            item.add_marker(pytest.mark.xdist_group(f"one sphere, {shared}"))
