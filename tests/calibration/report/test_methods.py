"""What a paper needs: a paragraph on methods, references, BibTeX."""

import dataclasses
import json
import re

import numpy as np
import pytest

from calibration.cli.main import main
from calibration.report.json import write_json
from calibration.results.citation import cite_source, distinct
from calibration.results.fitted_data import FittedSeries, StoredPredictions
from calibration.results.methods import citations, methods_paragraph
from tests.calibration import synthetic_fits as synthetic


@pytest.mark.parametrize(
    ("source", "key", "kind", "fields"),
    [
        (
            "Hunt and Crossley, J. Appl. Mech. 42 (1975) 440-445",
            "hunt1975",
            "article",
            {
                "author": "Hunt and Crossley",
                "journal": "J. Appl. Mech.",
                "volume": "42",
                "year": "1975",
                "pages": "440--445",
            },
        ),
        (
            "Ai, Chen, Rotter and Ooi, Powder Technol. 206 (2011) 269-282 (type A)",
            "ai2011",
            "article",
            {"author": "Ai and Chen and Rotter and Ooi", "volume": "206"},
        ),
        (
            "Foerster et al., Phys. Fluids 6 (1994) 1108-1115",
            "foerster1994",
            "article",
            {"author": "Foerster and others", "journal": "Phys. Fluids"},
        ),
        (
            "Johnson, Contact Mechanics (1985), section 11.4",
            "johnson1985",
            "misc",
            {"note": "Johnson, Contact Mechanics (1985), section 11.4", "year": "1985"},
        ),
        ("Walton (1993)", "walton1993", "misc", {"year": "1993"}),
    ],
)
def test_a_source_of_a_docstring_becomes_an_entry(source, key, kind, fields):
    found = cite_source(source)
    assert (found.key, found.kind, found.text) == (key, kind, source)
    assert fields.items() <= dict(found.fields).items()


def test_a_source_stands_once_and_no_key_twice():
    same = [cite_source("Walton (1993)"), cite_source("Walton (1993)")]
    other = cite_source("Walton (1993), another one")
    assert [one.key for one in distinct([*same, other])] == ["walton1993", "walton1993b"]


def test_entries_are_balanced_and_the_paragraph_refers_to_those_there_are():
    fit = synthetic.everything()
    listed = citations(fit)
    for one in listed:
        assert one.bibtex().count("{") == one.bibtex().count("}")
    numbers = {
        int(n)
        for group in re.findall(r"\[([\d, ]+)\]", methods_paragraph(fit))
        for n in group.split(",")
    }
    assert numbers == set(range(1, len(listed) + 1))


def test_the_paragraph_says_data_noise_misfit_and_results():
    text = methods_paragraph(synthetic.everything())
    for said in (
        "3 recordings (468 numbers)",
        "468 of 480 numbers were used",
        "the model explains the data",
        "restitution (e) was 0.9263 ± 0.0041 (0.9183 to 0.9344).",
    ):
        assert said in text
    assert "stiffness (k) was" not in text


def test_the_paragraph_of_a_table_counts_its_columns():
    assert "from 3 columns of impacts (48 numbers)" in methods_paragraph(synthetic.impacts())


def test_the_paragraph_of_other_measurements_alone_calls_them_measurements():
    time = np.linspace(0.0, 0.2, 30)
    series = FittedSeries(
        name="shot",
        labels=("x [m]",),
        abscissa=time,
        abscissa_label="time [s]",
        measured=time[:, None],
        predicted=time[:, None],
        sigma=np.full((30, 1), 1e-4),
        nuisance={},
        contact_times=np.array([0.1]),
    )
    fit = synthetic.drops(1, predictions=StoredPredictions(series=(series,)))
    assert "from 1 measurement (30 numbers)" in methods_paragraph(fit)


# On the command line


@pytest.fixture
def folder(tmp_path):
    write_json(synthetic.everything(), tmp_path / "fit.json")
    return tmp_path


def test_cite_prints_paragraph_references_and_entries(folder, capsys):
    assert main(["cite", str(folder)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Parameters were estimated with jaxcontact")
    assert "[4] Hunt and Crossley, J. Appl. Mech. 42 (1975) 440-445" in said
    assert said.index("[4]") < said.index("@article{hunt1975,")


def test_cite_takes_a_file_of_the_folder_and_prints_the_entries_alone(folder, capsys):
    assert main(["cite", str(folder / "study.toml"), "--bibtex"]) == 0
    assert capsys.readouterr().out.startswith("@software{jaxcontact,")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, ("no result of a fit", "Give the folder")),
        ("{", ("says nothing of methods", "Fit again")),
        ("[]", ("says nothing of methods", "Fit again")),
        (json.dumps({"parameters": {}}), ("says nothing of methods", "Fit again")),
    ],
)
def test_cite_names_what_it_needs(tmp_path, capsys, content, words):
    if content is not None:
        (tmp_path / "fit.json").write_text(content)
    assert main(["cite", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert all(word in said for word in words)


def test_the_speed_at_which_a_restitution_holds_stands_in_the_paragraph() -> None:
    fit = synthetic.drops(3)
    name = "contact.normal.restitution"
    noted = dataclasses.replace(fit.parameters[name], note="of an impact at 2.8 m/s")
    said = methods_paragraph(dataclasses.replace(fit, parameters={**fit.parameters, name: noted}))
    assert "), of an impact at 2.8 m/s." in said
