"""Docstrings say what the declarations of fields and arguments say."""

import jaxcontact as jc
from jaxcontact.docstrings import with_entries, with_source
from jaxcontact.laws.normal.elastic import hertz_force


def test_a_model_tells_label_symbol_unit_interval_and_default_of_its_fields():
    text = " ".join((jc.RegularizedCoulomb.__doc__ or "").split())
    assert "coefficient: friction coefficient ``mu`` [-], in ``[0, inf)``." in text
    assert "slip_velocity: slip velocity of the regularisation ``v_s`` [m/s]" in text
    assert "default 0.001." in text
    assert "ValueError, TypeError: a value is outside its interval" in text


def test_a_law_tells_unit_and_interval_of_its_arguments():
    text = " ".join((hertz_force.__doc__ or "").split())
    assert "overlap: overlap ``d`` [m]." in text
    assert "stiffness: contact stiffness ``K`` [N/m^n], in ``[0, inf)``." in text


def test_what_is_written_by_hand_stays():
    written = """A force.

    Args:
        overlap, rate: as everywhere; never
            negative.
        mass (optional): of the pair.

    Returns:
        Newtons.
    """
    completed = with_entries(
        written,
        "Args",
        {"overlap": "no.", "rate": "no.", "mass": "no.", "radius": "radius [m]."},
    )
    assert "no." not in completed
    lines = completed.splitlines()
    assert lines.index("    radius: radius [m].") == lines.index("Returns:") - 2


def test_a_new_section_stands_in_the_usual_order():
    completed = with_entries(
        "A force.\n\nReturns:\n    Newtons.\n\nExample:\n    >>> 1\n    1",
        "Raises",
        {"ValueError": "an overlap is not finite."},
    )
    assert completed.index("Returns:") < completed.index("Raises:") < completed.index("Example:")


def test_nothing_to_say_changes_nothing():
    assert with_entries("A force.", "Args", {}) == "A force."


def test_a_source_stands_before_the_sections_and_only_once():
    told = with_source("A force.\n\nArgs:\n    overlap: [m].", "Hertz (1882)")
    assert told == "A force.\n\nSource: Hertz (1882).\n\nArgs:\n    overlap: [m]."
    assert with_source(told, "Somebody (1999)") == told
