"""What the reports say of a fit, that they say it everywhere, and that a file is written whole or
not at all.
"""

import dataclasses
import io
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from calibration.errors import InputError
from calibration.io.atomic import write_atomically
from calibration.report.figures import fit_figure, save_figure
from calibration.report.json import write_json
from calibration.results import residuals, sentences
from calibration.results.assumed_noise import AssumedNoise
from calibration.results.encoding import can_encode, spell
from calibration.results.estimate import Determination, Estimate
from calibration.results.findings import gathered
from calibration.results.fitted_data import StoredPredictions
from calibration.results.numbers import percent, plain, value_and_sd
from calibration.results.table import fit_table, fit_text, print_fit
from tests.calibration import synthetic_fits as synthetic


def with_recordings(fit, recordings):
    return dataclasses.replace(fit, predictions=StoredPredictions(tuple(recordings)))


def without_data(**changes):
    return synthetic.drops(1, **({"recordings": ()} | changes))


def line_of(text, start):
    return next(line for line in text.splitlines() if line.strip().startswith(start))


def joined(text):
    """The text as one line, for sentences that are wrapped."""
    return " ".join(text.split())


# Numbers


@pytest.mark.parametrize(
    ("value", "sd", "text"),
    [
        (0.92634, 0.00412, "0.9263 +- 0.0041"),
        (0.4712, 0.0523, "0.471 +- 0.052"),
        (1.0, 0.0996, "1.00 +- 0.10"),
        (12345.0, 560.0, "12340 +- 560"),
        (12345.0, 56.0, "12345 +- 56"),
        (12.345, 9.96, "12 +- 10"),
        (4.0e7, 1.2e6, "(4.00 +- 0.12)e7"),
        (9.999e6, 1.2e5, "(1.000 +- 0.012)e7"),
        (5.012e-4, 1.23e-5, "(5.01 +- 0.12)e-4"),
        (-0.00001, 0.0012, "0.0000 +- 0.0012"),
        (-3.21, 0.5, "-3.21 +- 0.50"),
        (0.0, 2.5, "0.0 +- 2.5"),
        (3.0e6, 4.0e7, "(0.3 +- 4.0)e7"),
        (1.0, 1e-12, "1 +- 1.0e-12"),
        (0.5, 0.0, "0.5"),
        (0.5, math.inf, "0.5"),
        (math.nan, 0.1, "-"),
    ],
)
def test_the_value_is_rounded_to_the_second_digit_of_its_sd(value, sd, text):
    assert value_and_sd(value, sd) == text


@pytest.mark.parametrize(
    ("value", "sd", "text"),
    [
        (0.92634, 0.00412, "0.44 %"),
        (-0.5, 0.05, "10 %"),
        (1, 20, ">999 %"),
        (0, 1, "-"),
        (1, math.inf, "-"),
        (1, 1e-7, "<0.001 %"),
        (1, 0.012, "1.2 %"),
    ],
)
def test_the_percentage_has_two_digits(value, sd, text):
    assert percent(value, sd) == text


def test_large_and_small_numbers_have_short_exponents():
    assert [plain(number) for number in (4e7, 7e-10, 0.25, math.nan, math.inf)] == [
        "4e7",
        "7e-10",
        "0.25",
        "-",
        "-",
    ]


# The table


def test_a_determined_parameter_has_value_sd_percent_unit_start_and_status():
    assert line_of(fit_text(synthetic.drops(1)), "restitution (e)").split() == [
        *("restitution", "(e)", "0.9263", "+-", "0.0041", "0.44", "%", "-", "0.85", "determined")
    ]


@pytest.mark.parametrize("value", [1e-5, -1e-3, 1.9e-3])
def test_a_value_that_agrees_with_zero_has_no_relative_error_and_says_so(value):
    slope = dataclasses.replace(
        synthetic.parameters()["length_scale"], label="slope", symbol="b", value=value, sd=1e-3
    )
    row = line_of(fit_text(without_data(parameters={"slope": slope})), "slope (b)")
    assert row.endswith("agrees with 0")
    assert "%" not in row


@pytest.mark.parametrize(
    ("sd", "ends", "said"),
    [
        (0.74, (0.16, 4.6), "within a factor of 5.4"),
        (0.87, (0.05, 15.2), "within a factor of 17"),
        (0.43, (0.33, 2.3), "determined"),
    ],
)
def test_a_positive_value_that_two_standard_errors_would_take_to_zero_is_known_within_a_factor(
    sd, ends, said
):
    """Its interval ends above zero whatever the data say, since it cannot be zero."""
    drag = dataclasses.replace(
        synthetic.parameters()["length_scale"],
        label="drag coefficient",
        symbol="C_D",
        value=0.87,
        sd=sd,
        profile=((ends[0], 1.9), (0.87, 0.0), (ends[1], 1.9)),
    )
    row = line_of(fit_text(without_data(parameters={"drag": drag})), "drag")
    assert row.endswith(said)


def test_a_parameter_that_is_not_determined_has_the_reason_and_no_number():
    text = fit_text(synthetic.drops(1))
    row = line_of(text, "stiffness (k)")
    assert row.split() == ["stiffness", "(k)", "-", "-", "N/m^1.5", "4e7", "not", "determined"]
    assert "larger than 2.1e5 N/m^1.5 (95 %)" in text
    with_a_value = dataclasses.replace(
        synthetic.parameters()["contact.normal.stiffness"], value=3.21e7, sd=1e6
    )
    assert "3.21" not in fit_text(without_data(parameters={"k": with_a_value}))


@pytest.mark.parametrize(
    ("status", "word"),
    [
        (Determination.AT_BOUND, "at a bound"),
        (Determination.AT_START, "never moved"),
        (Determination.FIXED, "fixed"),
    ],
)
def test_a_value_without_an_interval_says_why(status, word):
    text = fit_text(without_data(parameters={"e": synthetic.restitution(status=status)}))
    row = line_of(text, "restitution (e)")
    assert row.endswith(word)
    assert "0.92634" in row
    assert "+-" not in row


def test_a_determined_value_without_a_finite_sd_does_not_look_certain():
    row = line_of(
        fit_text(without_data(parameters={"e": synthetic.restitution(sd=math.nan)})),
        "restitution (e)",
    )
    assert row.endswith("no sd")


def test_parameters_that_would_read_alike_have_their_path():
    twins = {
        name: dataclasses.replace(synthetic.restitution(), name=name)
        for name in ("first.restitution", "second.restitution")
    }
    text = fit_text(without_data(parameters=twins), width=100)
    assert "restitution (e) first.restitution" in text
    assert "restitution (e) second.restitution" in text


@pytest.mark.parametrize(
    ("chi2", "dof", "says"),
    [
        (156.0, 152, "chi2/dof = 1.03 (156/152): the model explains the data."),
        (450.0, 152, "the model does not explain the data (residuals are 1.7 times sigma)."),
        (8.0, 3, "the model explains the data."),
        (1.52, 152, "sigma looks too large"),
        (0.2, 8, "sigma looks too large"),
        (0.0, 0, "no degree of freedom"),
        (math.nan, 10, "chi2 is not a finite number"),
    ],
)
def test_the_table_says_whether_the_model_explains_the_data(chi2, dof, says):
    assert says in joined(fit_text(without_data(chi2=chi2, dof=dof)))


def test_noise_that_nobody_stated_is_not_said_to_be_too_large_where_intervals_follow_it():
    sounds = AssumedNoise("time of impact [s]", "Automatic", "", "found", (1e-3, 1e-3), 27, 27)
    known = StoredPredictions(noise=(sounds,))
    fit = without_data(chi2=0.24, dof=20, predictions=known, error_scale_factor=0.11)
    text = joined(fit_text(fit))
    assert "sigma looks too large" not in text
    assert "tell the size of the errors" in text
    assert "Standard errors are 0.11 times the formal ones" in text


def test_the_table_says_how_much_the_standard_errors_were_widened():
    assert "Standard errors are 3.2 times the formal ones" in joined(fit_text(synthetic.drops(1)))
    assert "Standard errors are the formal ones" in joined(
        fit_text(without_data(error_scale_factor=1.0))
    )
    assert "could not be corrected" in joined(fit_text(without_data(error_scale_factor=math.nan)))


def test_a_fit_that_did_not_converge_says_so_before_any_number():
    text = joined(fit_text(synthetic.drops(1, converged=False)))
    assert 0 < text.index("DID NOT CONVERGE") < text.index("0.9263")
    assert "Levenberg-Marquardt converged in 12 iterations, 0.84 s." in joined(
        fit_text(synthetic.drops(1))
    )


def test_only_correlations_above_one_half_are_listed_strongest_first():
    assert sentences.correlations(synthetic.drops(1)) == [
        "restitution (e) and drag coefficient (C_d): +0.93",
        "drag coefficient (C_d) and length scale (s): -0.61",
    ]
    nearly = dataclasses.replace(
        synthetic.drops(1), names=("a", "b"), correlation=np.array([[1, -0.9999], [-0.9999, 1]])
    )
    assert sentences.correlations(nearly) == ["a and b: < -0.99"]
    assert (
        sentences.correlations(without_data(names=("a", "b"), correlation=np.full((2, 2), np.nan)))
        == []
    )
    assert sentences.correlations(without_data(names=(), correlation=np.zeros((0, 0)))) == []


def test_nuisance_quantities_of_one_recording_have_their_sd():
    assert "0.25000 +- 0.00031" in line_of(fit_text(synthetic.drops(1)), "initial height (z0)")


def test_nuisance_quantities_of_many_recordings_are_summarised():
    text = fit_text(synthetic.drops(15))
    assert line_of(text, "initial height (z0)").split()[3:] == [
        "0.39000",
        "0.25000",
        "to",
        "0.53000",
        "0.00031",
        "m",
    ]
    assert "(largest: drop_04)" in text
    said = "drop_01, drop_03, drop_05 and 5 more (8 of 15): the first 3 samples were left out"
    assert said in joined(text)


def test_remarks_that_differ_in_their_numbers_only_are_one_with_count_and_names():
    fit = synthetic.drops(6)
    remarked = tuple(
        dataclasses.replace(one, remarks=(f"apparent gravity is 9.{i} +- 0.1 m/s^2",))
        for i, one in enumerate(fit.recordings)
    )
    text = joined(fit_text(with_recordings(fit, remarked)))
    assert text.count("apparent gravity") == 1
    names = [one.name for one in remarked]
    assert f"{', '.join(names[:3])} and 3 more (6 of 6; of {names[0]}): apparent gravity" in text


@pytest.mark.parametrize(
    "remarks",
    [
        (
            "1 sample missing, most in a row 1 (at 0.3 s)",
            "2 samples missing, most in a row 2 (at 1 s)",
        ),
        ("spin up to 6 rad/s in flights 1, 2, 3", "spin up to 10.2 rad/s in flight 1"),
        ("of drop_0 only 3 are used", "of drop_1 only 7 are used"),
    ],
)
def test_what_is_said_alike_of_several_files_is_said_once(remarks):
    said = gathered([(f"drop_{k}", remark) for k, remark in enumerate(remarks)], 2)
    assert said == [f"drop_0, drop_1 (2 of 2; of drop_0): {remarks[0]}."]


def test_every_file_is_named_where_that_is_asked_for():
    (said,) = gathered([(f"f{k}", "no bounce") for k in range(9)], 12, all_named=True)
    assert said == f"{', '.join(f'f{k}' for k in range(9))} (9 of 12): no bounce."


def test_a_folded_table_begins_with_three_findings_and_counts_the_rest():
    said = tuple(f"{word} thing" for word in ("first", "second", "third", "fourth", "fifth"))
    text = fit_text(without_data(warnings=said), folded=True)
    assert text.index("first thing") < text.index("third thing") < text.index("value +- sd")
    assert "fourth" not in text
    assert text.endswith("\n2 more findings in report.html / --verbose\n")
    assert "more finding" not in fit_text(without_data(warnings=said[:3]), folded=True)
    full = fit_text(without_data(warnings=said))
    assert all(one in full for one in said)


def test_nuisance_quantities_that_are_not_determined_are_left_out_of_the_summary():
    fit = synthetic.drops(3)
    lost = dataclasses.replace(
        fit.recordings[2].nuisance["time_offset"],
        value=7.7,
        sd=math.inf,
        status=Determination.NOT_DETERMINED,
    )
    last = dataclasses.replace(
        fit.recordings[2], nuisance=fit.recordings[2].nuisance | {"time_offset": lost}
    )
    text = fit_text(with_recordings(fit, (*fit.recordings[:2], last)))
    assert "7.7" not in text
    assert "never moved: time offset (t0), 1 of 3." in joined(text)


def test_the_misfit_between_the_columns_of_an_impact_table_is_shown():
    text = fit_text(synthetic.impacts())
    assert line_of(text, "rebound angle alone").split()[-2:] == ["-3.8", "sd"]
    assert "0.0911 +- 0.0012" in text
    assert line_of(text, "rebound angle  ").split()[2] == "16"


def test_columns_that_contradict_each_other_are_said_once():
    """A study puts it among the warnings, where the page and the JSON have it, too."""
    fit = synthetic.impacts()
    (apart,) = map(sentences.capitalised, sentences.contradictions(fit))
    assert apart.startswith(
        "The columns contradict each other on friction coefficient (μ): 0.0911 from rebound "
        "angle but 0.1012 from spin after the impact"
    )
    text = joined(fit_text(dataclasses.replace(fit, warnings=(apart, *fit.warnings))))
    assert text.count("columns contradict each other") == 1


def test_warnings_are_plain_sentences_in_the_given_order():
    text = fit_text(without_data(warnings=("first thing", "second thing.")))
    assert text.endswith("Remarks\n- first thing.\n- second thing.\n")


@pytest.mark.parametrize(
    "fit",
    [synthetic.drops(1), synthetic.drops(15), synthetic.impacts(), without_data(parameters={})],
)
def test_the_text_fits_80_columns_and_is_plain_ascii(fit):
    text = fit_text(fit)
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 80
    assert all(line == line.rstrip() for line in text.splitlines())


def test_letters_can_be_kept():
    assert "(μ)" in fit_text(synthetic.drops(1), encoding="utf-8")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_the_table_prints_on_any_terminal_and_without_colour_in_a_pipe(encoding):
    fit = synthetic.drops(2)
    recordings = (dataclasses.replace(fit.recordings[0], name="höhe [deg] 高さ"), fit.recordings[1])
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding=encoding) as stream:
        print_fit(with_recordings(fit, recordings), console=Console(file=stream, width=80))
        stream.flush()
        text = raw.getvalue().decode(encoding)
    assert "\x1b" not in text
    assert ("(μ)" if encoding == "utf-8" else "(mu)") in text
    assert max(map(len, text.splitlines())) <= 80


def test_brackets_are_text_and_not_markup():
    text = io.StringIO()
    Console(file=text, width=80).print(
        fit_table(without_data(warnings=("see [bold] and [red]this[/red]",)))
    )
    assert "[bold] and [red]this[/red]" in text.getvalue()


def test_a_terminal_gets_colour():
    text = io.StringIO()
    Console(file=text, width=80, force_terminal=True, color_system="standard").print(
        fit_table(synthetic.drops(1))
    )
    assert "\x1b[" in text.getvalue()


def test_letters_that_a_terminal_lacks_are_written_out():
    assert spell("μ ± Ω é × 高 ½", has=can_encode("ascii")) == "mu +- Omega e x ? 12"
    assert spell("μ é", has=can_encode("utf-8")) == "μ é"


@pytest.mark.slow
def test_the_table_does_not_load_matplotlib():
    script = (
        "import sys, calibration.results.table, calibration.report.json; sys.exit('matplotlib' "
        "in sys.modules)"
    )
    root = Path(__file__).parents[3]
    subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
    )


# One line, and a notebook


@pytest.mark.parametrize("fit", [synthetic.drops(6), synthetic.impacts(), without_data(chi2=900)])
def test_a_fit_is_one_line_where_it_is_not_printed(fit):
    assert len(repr(fit)) < 200
    assert "chi2/dof" in repr(fit)


def test_a_notebook_shows_the_parameters_and_no_markup_of_others():
    odd = dataclasses.replace(synthetic.restitution(), label="<b>restitution</b>")
    shown = without_data(parameters={"e": odd})._repr_html_()
    assert "<td>0.9263 ± 0.0041</td>" in shown
    assert "&lt;b&gt;restitution" in shown
    assert "<b>" not in shown


# Residuals


def test_residuals_leave_out_what_was_not_measured():
    recording = synthetic.recording(axes=("x", "z"))
    shift = dataclasses.replace(
        recording,
        measured=np.where(np.isnan(recording.measured), np.nan, recording.predicted + 2e-3),
    )
    assert residuals.rms(shift) == pytest.approx(2e-3)
    assert residuals.chi2_per_value(shift) == pytest.approx((2 / 1.2) ** 2)
    assert residuals.used(shift) == 2 * (160 - 4)
    nothing = dataclasses.replace(recording, measured=np.full_like(recording.measured, np.nan))
    assert math.isnan(residuals.rms(nothing))


# The file of numbers


def not_a_number(text):
    raise AssertionError(f"{text} is not JSON")


def test_json_has_every_number_and_null_where_there_is_none(tmp_path):
    fit = synthetic.drops(2)
    write_json(fit, tmp_path / "fit.json")
    content = json.loads((tmp_path / "fit.json").read_bytes(), parse_constant=not_a_number)
    assert set(content) == {
        *("parameters", "fit", "correlation", "outlying", "modifications"),
        *("recordings", "series", "columns", "residual_checks", "methods", "versions"),
    }
    assert list(content["parameters"]) == list(fit.parameters)
    for name, estimate in fit.parameters.items():
        written = content["parameters"][name]
        assert set(written) == {
            "value",
            "sd",
            "interval",
            "degrees",
            "unit",
            "status",
            "label",
            "symbol",
            "start",
            "note",
        }
        assert (written["label"], written["symbol"], written["unit"], written["note"]) == (
            *(estimate.label, estimate.symbol, estimate.unit, estimate.note),
        )
        assert written["value"] == (estimate.value if math.isfinite(estimate.value) else None)
        assert written["sd"] == (estimate.sd if math.isfinite(estimate.sd) else None)
        assert Determination(written["status"]) is estimate.status
    assert content["fit"]["chi2_per_dof"] == fit.chi2_per_dof
    assert content["fit"]["warnings"] == list(fit.warnings)
    assert content["correlation"] == {"names": list(fit.names), "matrix": fit.correlation.tolist()}
    first = content["recordings"][0]
    assert (first["name"], first["axes"], first["samples"]) == ("drop_01", ["z"], 160)
    assert first["rms_residual"] == residuals.rms(fit.recordings[0])
    assert first["bounce_times"] == fit.recordings[0].bounce_times.tolist()
    assert first["nuisance"]["time_offset"]["sd"] == 2.4e-4
    assert first["remarks"] == list(fit.recordings[0].remarks)
    assert content["versions"]["numpy"] == np.__version__
    assert content["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))


def test_json_has_the_columns_of_an_impact_table(tmp_path):
    write_json(synthetic.impacts(), tmp_path / "fit.json")
    columns = json.loads((tmp_path / "fit.json").read_bytes())["columns"]
    assert [column["name"] for column in columns] == [
        "rebound_angle",
        "tangential_restitution",
        "spin_after",
    ]
    assert columns[0]["alone"]["contact.friction.coefficient"]["value"] == 0.0911


def test_json_takes_numbers_of_any_library(tmp_path):
    fit = synthetic.drops(
        1,
        parameters={"e": synthetic.restitution(value=np.float32(0.5), sd=np.float64("nan"))},
        chi2=np.float64("inf"),
        dof=np.int64(3),
        converged=np.bool_(True),
        correlation=np.array([[np.nan]]),
    )
    write_json(fit, tmp_path / "fit.json")
    content = json.loads((tmp_path / "fit.json").read_bytes(), parse_constant=not_a_number)
    assert content["parameters"]["e"]["value"] == 0.5
    assert content["fit"]["chi2"] is None
    assert content["fit"]["converged"] is True
    assert content["correlation"]["matrix"] == [[None]]


# Writing whole or not at all


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "fit.json"
    path.write_text("old")
    path.chmod(0o640)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_an_interruption_leaves_the_earlier_file(tmp_path, monkeypatch, where):
    path = tmp_path / "fit.json"
    path.write_text("old")

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, where, stop)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_number_that_cannot_be_written_leaves_the_earlier_file(tmp_path):
    path = tmp_path / "fit.json"
    path.write_text("old")
    with pytest.raises(TypeError):
        write_json(without_data(method=object()), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path):
    link = tmp_path / "latest.json"
    link.symlink_to(tmp_path / "fit.json")
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "fit.json").read_bytes() == b"new"
    write_atomically(os.devnull, b"new")
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("write", [write_json, save_figure])
def test_a_missing_folder_is_named(tmp_path, write):
    with pytest.raises(InputError, match="folder of this file does not exist"):
        write(without_data(), tmp_path / "missing" / "fit.png")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(InputError, match="this is a folder"):
        write(without_data(), tmp_path / "folder.png")


# The figure


def texts(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fit", "panels"),
    [
        (synthetic.drops(1), 3),
        (synthetic.drops(4), 9),
        (synthetic.drops(15), 14),
        (synthetic.impacts(), 9),
        (without_data(), 1),
        (
            synthetic.drops(
                2,
                recordings=tuple(
                    synthetic.recording(index, axes=("x", "y", "z")) for index in range(2)
                ),
            ),
            5,
        ),
    ],
    ids=["one", "four", "fifteen", "impacts", "no data", "three axes"],
)
def test_a_figure_has_a_panel_for_each_thing_and_draws_without_a_warning(fit, panels):
    figure = fit_figure(fit)
    assert len(figure.axes) == panels
    figure.canvas.draw()


def test_the_figure_shows_the_recordings_that_are_fitted_worst():
    titles = " ".join(axes.get_title(loc="left") for axes in fit_figure(synthetic.drops(15)).axes)
    assert "drop_04,  rms 2.5 mm" in titles
    assert "drop_12" not in titles
    assert "All 15 recordings" in titles


def test_the_figure_has_the_parameters_and_no_number_for_what_is_not_determined():
    shown = texts(fit_figure(synthetic.drops(1)))
    assert "0.9263 ± 0.0041" in shown
    assert "not determined" in shown
    assert "1  (at a bound)" in shown
    assert "7e10 Pa  (fixed)" in shown


def test_the_curve_goes_through_the_prediction_and_the_residuals_are_in_sigma():
    fit = synthetic.drops(1)
    above, below = fit_figure(fit).axes[:2]
    recording = fit.recordings[0]
    curves = [line for line in above.lines if len(line.get_xdata()) == 160]
    assert any(np.array_equal(line.get_ydata(), recording.predicted[:, 0]) for line in curves)
    assert above.get_ylabel() == "height z [m]"
    assert below.get_xlabel() == "time [s]"
    assert "sigma" in below.get_ylabel()
    np.testing.assert_allclose(
        below.lines[0].get_ydata(), (recording.measured - recording.predicted)[:, 0] / 1.2e-3
    )
    assert below.get_ylim()[0] == -below.get_ylim()[1]


def test_residuals_without_a_sigma_are_in_millimetres():
    one = synthetic.recording()
    fit = synthetic.drops(
        1, recordings=(dataclasses.replace(one, sigma=np.full_like(one.sigma, np.nan)),)
    )
    figure = fit_figure(fit)
    assert "[mm]" in figure.axes[1].get_ylabel()
    figure.canvas.draw()


@pytest.mark.parametrize(
    "name",
    [
        "$a$ and $b_{",
        "高さ",
        "a_rather_long_name_of_a_recording_that_nobody_would_type_again_07",
        "x\ty",
    ],
)
def test_any_name_can_be_drawn(name):
    fit_figure(
        synthetic.drops(1, recordings=(synthetic.recording(name=name),), model=name)
    ).canvas.draw()


@pytest.mark.slow
def test_odd_recordings_can_be_drawn():
    one = synthetic.recording()
    unmeasured = dataclasses.replace(
        one, measured=np.full_like(one.measured, np.nan), bounce_times=np.array([])
    )
    short = synthetic.recording(samples=2)
    long = synthetic.recording(samples=3000)
    fit_figure(synthetic.drops(1, recordings=(unmeasured, short, long))).canvas.draw()
    fit_figure(synthetic.drops(1, recordings=(unmeasured,) * 60)).canvas.draw()


def test_drawing_leaves_the_state_of_pyplot_alone(tmp_path):
    from matplotlib import pyplot, rcParams

    before = dict(rcParams)
    save_figure(synthetic.drops(1), tmp_path / "fit.png")
    assert pyplot.get_fignums() == []
    assert dict(rcParams) == before


def test_the_figure_is_one_png_and_nothing_else(tmp_path):
    save_figure(synthetic.impacts(), tmp_path / "fit.png")
    assert [path.name for path in tmp_path.iterdir()] == ["fit.png"]
    assert (tmp_path / "fit.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match=r"ends in \.png"):
        save_figure(synthetic.impacts(), tmp_path / "fit.pdf")


def test_a_figure_in_the_place_of_a_fit_is_refused_with_the_remedy(tmp_path):
    with pytest.raises(InputError, match=r"fit is a ShownFigure.*figure.savefig"):
        save_figure(fit_figure(synthetic.impacts()), tmp_path / "fit.png")


def test_a_parameter_that_a_column_does_not_determine_says_so():
    fit = synthetic.impacts()
    lost = Estimate(
        "contact.normal.restitution",
        "restitution",
        "e",
        "-",
        math.nan,
        math.inf,
        0.9,
        Determination.NOT_DETERMINED,
    )
    first = dataclasses.replace(fit.columns[0], alone=fit.columns[0].alone | {lost.name: lost})
    fit = dataclasses.replace(fit, columns=(first, *fit.columns[1:]))
    assert texts(fit_figure(fit)).count("not determined") == 2
    assert "not determined" in line_of(fit_text(fit), "rebound angle alone")
