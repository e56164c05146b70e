"""What stands on the page of a fit: the answer first, the figures of each kind of result, nothing
that needs a network.
"""

import dataclasses
import html.parser
import itertools
import re

import numpy as np
import pytest
from matplotlib.text import Text

import calibration as cal
from calibration.report.data_panels import data_figure
from calibration.report.page import page_text
from calibration.report.restitution_figure import MOST_ROWS, forest_figure, restitution_figure
from calibration.report.svg import svg
from calibration.results.answer import Trust, answer, next_steps, trust
from calibration.results.contact_force import ForceLoop
from calibration.results.fitted_data import FittedSeries, StoredPredictions
from tests.calibration import synthetic_fits as synthetic
from tests.calibration.report.test_plot import motion

LARGEST = 3e6
"""Bytes that a page may have."""


class Outline(html.parser.HTMLParser):
    """The elements of a page, those that are not closed, and the text before the second heading."""

    VOID = frozenset({"meta", "br", "img", "input", "link"})

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.words = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"style", "script", "title"} & set(self.open):
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def whole():
    return page_text(synthetic.everything(), title="Drops", study="files = []")


@pytest.fixture(scope="module")
def outline(whole):
    return Outline(whole)


def collision():
    """Two bodies of one trial, each with its own measurement."""
    time = np.linspace(0, 0.2, 30)

    def body(number, way):
        path = np.stack([0.1 * number + way * time, 0.05 + 0.2 * time], axis=1)
        return FittedSeries(
            name=f"shot, body {number}",
            labels=("x [m]", "y [m]"),
            abscissa=time,
            abscissa_label="time [s]",
            measured=path + 1e-4,
            predicted=path,
            sigma=np.full((30, 2), 1e-4),
            nuisance={},
            contact_times=np.array([0.1]),
        )

    series = (body(1, 0.5), body(2, -0.5))
    return synthetic.drops(1, predictions=StoredPredictions(series=series))


def lost():
    """A motion that was not followed to its end, and a law without a restitution."""
    one = synthetic.recording()
    predicted = np.where(one.time[:, None] > 1.0, np.nan, one.predicted)
    found = synthetic.measured_impacts(1)
    return synthetic.drops(
        1,
        predictions=StoredPredictions(
            recordings=(dataclasses.replace(one, predicted=predicted),),
            impacts=dataclasses.replace(found, law=np.full(20, np.nan)),
        ),
    )


KINDS = {
    "not followed": lost(),
    "nothing": synthetic.drops(1, recordings=(), parameters={}),
    "one drop": synthetic.drops(1),
    "impacts": synthetic.impacts(),
    "collision": collision(),
    "not explained": synthetic.drops(1, chi2=900.0),
    "not converged": synthetic.drops(1, converged=False),
}


# What is said


def test_the_answer_with_its_interval_comes_first(outline):
    text = outline.text
    assert text.startswith("Drops restitution (e) 0.9263 ± 0.0041 95 % interval 0.918")
    assert text.index("To be believed with reservations.") < text.index("What was found")
    assert text.index("What to do next") < text.index("All parameters")


def test_no_finding_is_folded(whole):
    before, _, _ = whole.partition("<details>")
    assert all(f"finding number {number}." in before for number in (1, 2, 3, 4, 5))


def test_an_option_does_not_break_across_lines_and_other_dashes_are_left_alone():
    fit = dataclasses.replace(
        synthetic.drops(1), warnings=("Use --camera calibrated, a<b -- or x--y",)
    )
    text = page_text(fit)
    assert '<span class="option">--camera</span> calibrated, a&lt;b -- or x--y' in text


def test_every_part_of_a_result_is_on_the_page(outline):
    for said in (
        "z [m]: standard deviation 0.001 to 0.0012, found from the data; 468 of 480 numbers were "
        "used (97.5 %).",
        "rolling shutter: nothing shows (0.1 ± 0.3 ms/m).",
        "effective modulus (E*): held at 7e10 Pa.",
        "stiffness (k): these data do not tell it.",
        "Hunt and Crossley, J. Appl. Mech. 42 (1975) 440-445",
        "@article{hunt1975,",
        "larger than 2.1e5 N/m^1.5 (95 %)",
        "Restitution against impact speed",
        "Restitution by file and by impact",
        "Force against overlap",
        "files = []",
    ):
        assert said in outline.text
    assert "+0.93" in outline.text


@pytest.mark.parametrize(
    ("fit", "verdict", "why"),
    [
        (synthetic.drops(1), Trust.FULL, "the model explains the data"),
        (synthetic.everything(1), Trust.LIMITED, "fail a check: order"),
        (synthetic.drops(1, chi2=4.0, dof=0), Trust.LIMITED, "nothing is left to test"),
        (synthetic.drops(1, chi2=900.0), Trust.NONE, "does not explain"),
        (synthetic.drops(1, converged=False), Trust.NONE, "DID NOT CONVERGE"),
        (synthetic.drops(1, plausible=False), Trust.NONE, "contradicts what is known"),
    ],
)
def test_the_page_says_whether_to_believe_the_numbers(fit, verdict, why):
    assert trust(fit)[0] is verdict
    assert why in trust(fit)[1]


def test_what_to_do_next_follows_from_what_is_wrong():
    assert next_steps(synthetic.everything(1))[0] == "--restitution-law."
    assert "a recording at 20 kHz" in next_steps(synthetic.drops(1))[0]
    assert "compare" in next_steps(synthetic.drops(1, chi2=900.0))[0]


def test_a_fit_in_doubt_has_no_interval():
    doubted = synthetic.drops(1, chi2=900.0)
    withdrawn = {
        name: one.withdrawn(cal.Determination.NOT_EXPLAINED)
        for name, one in doubted.parameters.items()
    }
    doubted = dataclasses.replace(doubted, parameters=withdrawn)
    assert answer(doubted) == "restitution (e): 0.926 ?"
    page = page_text(doubted)
    assert "Do not use these numbers." in page
    assert "95&nbsp;% interval 0." not in page
    assert "No value is reported: the fit is not explained." in page


@pytest.mark.slow
@pytest.mark.parametrize("fit", KINDS.values(), ids=KINDS)
def test_any_kind_of_result_makes_a_whole_page(fit):
    page = Outline(page_text(fit))
    assert not page.open
    assert "nan" not in page.text.split()


@pytest.mark.slow
def test_names_are_text_and_not_markup():
    name = "<script>alert('&')</script>"
    fit = synthetic.drops(1, recordings=(synthetic.recording(name=name),), warnings=(name,))
    page = Outline(page_text(fit, title=name, study=name))
    assert len(page.all("script")) == 1
    assert page.all("svg")[0]["aria-label"].startswith(name)


# How it is made


def test_nothing_is_fetched_from_anywhere(whole, outline):
    for _, attributes in outline.elements:
        for attribute, value in attributes.items():
            if attribute in ("src", "href", "xlink:href", "action", "poster", "data"):
                assert value.startswith(("#", "data:")), (attribute, value)
    assert not outline.all("link")
    assert "@import" not in whole
    assert not re.search(r"url\((?!#)", whole)
    script = whole[whole.index("<script>") :]
    assert not re.search(r"fetch\(|XMLHttpRequest|import\(|https?:", script)


def test_every_picture_has_a_text_and_every_heading_its_level(outline):
    pictures = [*outline.all("svg"), *outline.all("img")]
    assert len(pictures) == 3 + 3 + 3  # of the contact, of the recordings, of their motions
    assert all(picture.get("aria-label") or picture.get("alt") for picture in pictures)
    levels = [int(tag[1]) for tag, _ in outline.elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert outline.all("html")[0]["lang"] == "en"


def test_names_that_are_referred_to_are_there_once(whole, outline):
    names = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(names) == len(set(names))
    used = re.findall(r"url\(#(\w+)\)| href=\"#(\w+)\"", whole)
    assert {first or second for first, second in used} <= set(names)


def test_a_dark_theme_and_a_printed_page_are_provided_for(whole):
    assert "@media (prefers-color-scheme: dark)" in whole
    assert "@media print" in whole
    assert "beforeprint" in whole
    colours = re.findall(r"(?:fill|stroke): ?(#[0-9a-f]{3,6})", whole[whole.index("<body>") :])
    assert not colours, "a colour of a figure does not follow the theme"


def contrast(first, second):
    """Ratio of luminances (WCAG 2.2)."""

    def luminance(colour):
        part = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
        linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_texts_and_lines_stand_out_in_both_themes(whole):
    themes = re.findall(r":root \{(.*?)\}", whole, re.S)
    assert len(themes) == 3
    for theme in themes:
        colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", theme))
        for name in ("ink", "muted", "good", "doubt", "bad"):
            for ground in ("paper", "panel"):
                assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
        for name in ("blue", "orange", "green", "purple", "measured"):
            assert contrast(colours[name], colours["paper"]) >= 3.0, name


@pytest.mark.long
def test_many_long_recordings_make_no_large_page():
    made = tuple(synthetic.recording(index, axes=("x", "z"), samples=1500) for index in range(30))
    page = page_text(synthetic.drops(1, recordings=made))
    assert len(page.encode()) < LARGEST
    assert "Of 30 those that are fitted worst; 6 more are in fit.json." in page


def test_the_page_is_the_same_for_the_same_fit():
    fit = synthetic.drops(1)
    assert page_text(fit) == page_text(fit)


# Figures


def test_the_dots_of_a_figure_are_where_the_points_are():
    recording = synthetic.recording()
    drawn = svg(data_figure(recording), "drop")
    dots = re.findall(r'class="dots" d="([^"]*)"', drawn)
    assert len(dots) == 2  # measured, residuals
    points = np.array(re.findall(r"M([-\d.]+) ([-\d.]+)h0", dots[0]), dtype=float)
    seen = np.isfinite(recording.measured[:, 0])
    assert len(points) == np.count_nonzero(seen)
    across = np.polyfit(recording.time[seen], points[:, 0], 1)
    up = np.polyfit(recording.measured[seen, 0], points[:, 1], 1)
    assert across[0] > 0 > up[0]
    np.testing.assert_allclose(np.polyval(up, recording.measured[seen, 0]), points[:, 1], atol=0.11)


def figures_with_a_legend():
    """Each kind of figure that has one, with data up to every corner."""
    time = np.linspace(0.0, 0.2, 30)
    zigzag = np.where(np.arange(30) % 2, 1.0, -1.0)[:, None] * np.ones(2)
    corners = FittedSeries(
        name="shot, body 1",
        labels=("spin about the first axis [rad/s]", "spin about the second axis [rad/s]"),
        abscissa=time,
        abscissa_label="time [s]",
        measured=zigzag,
        predicted=zigzag,
        sigma=np.full((30, 2), 1e-4),
        nuisance={},
    )
    overlap = np.array([0.0, 1e-4, 0.0])
    loops = [ForceLoop(speed, overlap, np.array([40.0, 40.0, 0.0])) for speed in (1.0, 2.0)]
    return {
        "restitution": restitution_figure(synthetic.measured_impacts(3, 8)),
        "recording": data_figure(synthetic.recording(axes=("x", "z"))),
        "series": data_figure(corners),
        "force": cal.report.force_figure(loops),
        "motion": cal.report.trajectory_figure(motion(2)),
    }


@pytest.mark.parametrize("kind", figures_with_a_legend())
def test_a_legend_lies_on_nothing(kind):
    figure = figures_with_a_legend()[kind]
    figure.canvas.draw()
    legends = [axes.get_legend() for axes in figure.axes if axes.get_legend() is not None]
    assert legends
    for legend in legends:
        place = legend.get_window_extent()
        assert 0 <= place.x0 < place.x1 <= figure.bbox.x1
        assert legend.axes.bbox.y1 - 1 <= place.y0 < place.y1 <= figure.bbox.y1
        titles = [
            legend.axes.title,
            *(
                text
                for text in legend.axes.get_children()
                if isinstance(text, Text) and text.get_text()
            ),
        ]
        assert not any(
            title.get_text() and title.get_window_extent().overlaps(place) for title in titles
        )


def test_a_mark_of_a_legend_stays_beside_its_text_where_those_of_the_data_are_a_cloud():
    drawn = svg(restitution_figure(synthetic.measured_impacts(3, 8)), "law")
    key = drawn[drawn.index(">fitted law<") :]
    marks = re.findall(r'<use href="#(m[0-9a-f]+)"[^>]*fill: var\(--(\w+)', key)
    assert [colour for _, colour in marks] == ["blue", "orange", "green"]
    assert all(f'id="{mark}"' in drawn for mark, _ in marks)
    assert drawn.count('class="dots"') == 3


def test_numbers_on_axes_keep_their_digits():
    found = synthetic.measured_impacts()
    narrow = dataclasses.replace(found, law=0.9 + 1e-3 * np.linspace(0, 1, 20))
    texts = re.findall(r"<text[^>]*>(0\.\d+)</text>", svg(restitution_figure(narrow), "law"))
    assert max(map(len, texts)) > 4


def test_a_forest_plot_has_a_row_for_each_file_and_impact_as_long_as_they_can_be_read():
    few, many = synthetic.measured_impacts(2, 3), synthetic.measured_impacts(20, 5)
    joint = synthetic.restitution()
    axes = forest_figure(few, joint).axes[0]
    rows = [text.get_text() for text in axes.get_yticklabels()]
    own = [f"impact {number}" for number in (1, 2, 3)]
    assert rows == ["drop_01", *own, "drop_02", *own]
    assert len(forest_figure(many, joint).axes[0].get_yticklabels()) == 20 <= MOST_ROWS


def test_an_impact_of_which_little_is_known_does_not_squeeze_the_others():
    found = synthetic.measured_impacts()
    vague = dataclasses.replace(found.impacts[0], restitution=0.4, sd=0.5)
    bottom, top = (
        restitution_figure(dataclasses.replace(found, impacts=(vague, *found.impacts[1:])))
        .axes[0]
        .get_ylim()
    )
    assert top - bottom < 0.1
