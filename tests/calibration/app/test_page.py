"""The local page from the first recording to the report, through the harness of its library."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("nicegui", reason="NiceGUI is not installed (pip install 'jaxcontact[app]')")

import httpx
from nicegui import ui
from nicegui.elements.upload_files import SmallFileUpload
from nicegui.testing import user_simulation
from nicegui.testing.user_interaction import UserInteraction

import calibration.app.desk
from calibration.app.desk import Desk
from calibration.app.fields import value_meant
from calibration.app.own_pages import OwnPages
from calibration.app.page import BEGUN_ELSEWHERE, OTHER, STYLE, Page
from calibration.app.serve import desks
from calibration.app.used_part import parts_without
from calibration.io.interval import EVERYTHING
from calibration.runtime import compilation_cache
from calibration.studies.option import options
from calibration.studies.steps.resumed_fit import resume_fit
from calibration.studies.study import SECTIONS, Ball, BodyOptions, ReadingOptions
from tests.calibration import synthetic_fits as synthetic

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
CLICKS = "t [s]\n0.000\n0.350\n0.665\n0.9485\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A current directory, and no cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(compilation_cache.VARIABLE, "off")


@asynccontextmanager
async def shown(study=None):
    """The page in a simulated browser."""
    async with user_simulation() as user:
        open_desk = desks(study, Path("studies"))

        @ui.page("/")
        def page(study: str = ""):
            Page(lambda: open_desk(study))

        await user.open("/")
        yield user


async def drop(user, **files):
    """Drop files onto the page, named by their keys."""
    (upload,) = user.find(ui.upload).elements
    uploads = [
        SmallFileUpload(f"{name}.csv", "text/csv", text.encode()) for name, text in files.items()
    ]
    await upload.handle_uploads(uploads)
    await user.should_see(f"{next(reversed(files))}.csv")


def fill(user, name, text):
    (field,) = user.find(name).elements
    field.value = text


def button(user, text):
    (found,) = (one for one in user.find(ui.button).elements if one.text == text)
    return found


def crosses(user, name):
    """The button that removes a file."""
    return {
        one
        for one in user.find(ui.button).elements
        if one.props.get("aria-label") == f"remove {name}"
    }


async def can_be_fitted(user):
    """What is asked has been checked."""
    for _ in range(100):
        if button(user, "Fit").enabled:
            break
        await asyncio.sleep(0.1)
    assert button(user, "Fit").enabled


async def check(user):
    """Check what can be fitted."""
    user.find("Check").click()
    await can_be_fitted(user)
    (learned,) = (
        one
        for one in user.find(ui.table).elements
        if one.columns[0]["label"] == "What can be learned"
    )
    assert learned.rows[0]["column0"] == "restitution"


async def click(user, text, *, sees, retries=100):
    user.find(text).click()
    await user.should_see(sees, retries=retries)


def found_at_once(study, folder, *, progress, told=None):
    progress("Fitting 1 sound recording")
    if told is not None:
        told(12, 2.5)
    return synthetic.drops(1)


@pytest.mark.parametrize(
    "fitted", [found_at_once, pytest.param(resume_fit, marks=pytest.mark.long)]
)
def test_from_a_recording_to_the_report(fitted, monkeypatch):
    monkeypatch.setattr(calibration.app.desk, "resume_fit", fitted)

    async def use():
        async with shown() as user:
            assert not button(user, "Fit").enabled
            await click(user, "Check", sees="there is no recording. Drop one onto the page.")
            await drop(user, clicks=CLICKS)
            await click(user, "Check", sees="the radius of the ball is not given")
            fill(user, "ball.radius", "0")
            await click(user, "Check", sees="radius = 0 is not a positive number")
            fill(user, "ball.radius", "20")
            fill(user, "ball.mass", "2.7")
            await click(user, "Check", sees="Give the radius (half the diameter) in metres")
            fill(user, "ball.radius", "0.02")
            fill(user, "ball.mass", "0.0027")
            fill(user, "model.drag", False)
            await check(user)
            fill(user, "ball.mass", "0.0028")
            assert not button(user, "Fit").enabled, "what was checked is what is fitted"
            fill(user, "ball.mass", "0.0027")
            await check(user)
            await click(user, "Fit", sees="restitution (e): 0.9", retries=600)
            await user.should_see("Fitting 1 sound recording ...")
            await user.should_see("Fitting 1 sound recording: step ")
            address = user.find("The report in a tab of its own").elements.pop().props["href"]
            report = await user.http_client.get(address)
            assert report.content == Path("studies/study-1/result/report.html").read_bytes()
            user.find("study.toml").click()
            assert b"radius = 0.02" in (await user.download.next(timeout=5)).content
            user.find("Everything (zip)").click()
            assert (await user.download.next(timeout=5)).content[:2] == b"PK"

            await user.open("/")
            await user.should_see("study-1")
            await user.open("/?study=study-1")
            await user.should_see("The results of an earlier fit, in studies/study-1/result")

    asyncio.run(use())


def test_files_of_several_kinds_cannot_be_fitted():
    heights = (ROOT / "experiments/data/known_truth/drop_00.csv").read_text()

    async def use():
        async with shown() as user:
            await drop(user, clicks=CLICKS, heights=heights)
            fill(user, "ball.radius", "0.02")
            fill(user, "ball.mass", "0.0027")
            await click(user, "Check", sees="are fitted one kind at a time")
            assert not button(user, "Fit").enabled
            UserInteraction(user, crosses(user, "heights.csv"), None).click()
            await check(user)

    asyncio.run(use())


def at_once_if(begun, allowed):
    """A fit that says when it begins, and waits until it is allowed to end."""

    def found(study, folder, *, progress, told):
        begun.set()
        assert allowed.wait(timeout=20)
        return found_at_once(study, folder, progress=progress)

    return found


async def described(user):
    """A study that can be fitted."""
    await drop(user, clicks=CLICKS)
    fill(user, "ball.radius", "0.02")
    fill(user, "ball.mass", "0.0027")
    await check(user)


def test_an_answer_to_something_else_says_so(monkeypatch):
    begun, allowed = threading.Event(), threading.Event()
    monkeypatch.setattr(calibration.app.desk, "resume_fit", at_once_if(begun, allowed))

    async def use():
        async with shown() as user:
            await described(user)
            user.find("Fit").click()
            await asyncio.to_thread(begun.wait, 20)
            await user.should_not_see(OTHER)
            UserInteraction(user, crosses(user, "clicks.csv"), None).click()
            await user.should_see("the recordings are being fitted. Wait until")
            fill(user, "ball.radius", "0.05")
            allowed.set()
            await user.should_see("restitution (e): 0.9", retries=100)
            await user.should_see(OTHER)

            await check(user)
            begun.clear()
            user.find("Fit").click()
            await asyncio.to_thread(begun.wait, 20)
            await user.should_see("restitution (e): 0.9", retries=100)
            await user.should_not_see(OTHER)
            fill(user, "ball.mass", "0.0028")
            await user.should_see(OTHER)
            await check(user)
            await user.should_see(OTHER)

            await user.open("/?study=study-1")
            await user.should_see("mass was 0.0027 and is 0.0028")
            await user.should_see(OTHER)
            await can_be_fitted(user)
            fill(user, "ball.mass", "0.0027")
            await check(user)
            await user.open("/?study=study-1")
            await user.should_see("The results of an earlier fit")
            await user.should_not_see(OTHER)

    asyncio.run(use())


def test_results_that_another_tab_replaced_are_not_handed_out(monkeypatch):
    monkeypatch.setattr(calibration.app.desk, "resume_fit", found_at_once)

    async def use():
        async with shown() as user:
            await described(user)
            await click(user, "Fit", sees="restitution (e): 0.9")
            other = Desk.again(Path("studies"), "study-1")
            other.set_option(Ball, "mass", 0.0028)
            other.fit(progress=lambda sentence: None)
            await click(user, "report.html", sees="another fit has replaced these results")

    asyncio.run(use())


def test_a_page_that_is_opened_while_its_study_is_fitted_follows_the_fit(monkeypatch):
    begun, allowed = threading.Event(), threading.Event()
    monkeypatch.setattr(calibration.app.desk, "resume_fit", at_once_if(begun, allowed))

    async def begin(user):
        begun.clear()
        allowed.clear()
        user.find("Fit").click()
        await asyncio.to_thread(begun.wait, 20)
        await user.open("/")
        await user.should_see("study-1 (is being fitted)")
        await user.open("/?study=study-1")
        await user.should_see(BEGUN_ELSEWHERE)
        await user.should_not_see(OTHER)
        await user.should_see("Starting ...")
        assert not button(user, "Fit").enabled
        UserInteraction(user, crosses(user, "clicks.csv"), None).click()
        await user.should_see("the recordings are being fitted. Wait until")

    async def use():
        async with shown() as user:
            await described(user)
            await begin(user)
            allowed.set()
            await user.should_see("restitution (e): 0.9", retries=100)
            await user.should_not_see(BEGUN_ELSEWHERE)
            await user.should_not_see(OTHER)
            await can_be_fitted(user)

            await begin(user)
            fill(user, "ball.mass", "0.0028")
            allowed.set()
            await user.should_see("restitution (e): 0.9", retries=100)
            await user.should_see(OTHER)
            await user.open("/")
            await user.should_not_see("is being fitted")

    asyncio.run(use())


def test_a_recording_that_is_refused_does_not_take_others_with_it():
    async def use():
        async with shown() as user:
            await drop(user, drop=CLICKS)
            (upload,) = user.find(ui.upload).elements
            texts = {"drop.csv": CLICKS + "1.2\n", "last.csv": CLICKS}
            uploads = [SmallFileUpload(name, "text/csv", t.encode()) for name, t in texts.items()]
            await upload.handle_uploads(uploads)
            await user.should_see("there is a file of this name already")
            await user.should_see("last.csv")

    asyncio.run(use())


@pytest.mark.parametrize(
    ("kind", "origin", "answered"),
    [
        ("http", None, True),
        ("http", "http://127.0.0.1:8642", True),
        ("http", "http://127.0.0.1:9000", False),
        ("http", "https://elsewhere.example", False),
        ("http", "null", False),
        ("websocket", "http://127.0.0.1:8642", True),
        ("websocket", "https://elsewhere.example", False),
    ],
)
def test_only_the_page_itself_is_answered(kind, origin, answered):
    sent = []

    async def answer(scope, receive, send):
        start = "http.response.start" if kind == "http" else "websocket.accept"
        await send({"type": start, "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    headers = [(b"host", b"127.0.0.1:8642"), *([(b"origin", origin.encode())] if origin else [])]
    asyncio.run(OwnPages(answer)({"type": kind, "headers": headers}, None, send))
    first = sent[0]
    if kind == "websocket":
        assert (first["type"] == "websocket.accept") is answered
    else:
        assert first["status"] == (200 if answered else 403)
        assert (
            not answered
            or (b"content-security-policy", b"frame-ancestors 'self'") in (first["headers"])
        )


def test_a_file_that_is_no_recording_blocks_the_fit_until_it_is_removed():
    time = 0.01 * np.arange(160)
    height = synthetic.bounces(time, 0.5, e=0.9)[0] + 0.02
    rows = "".join(f"{t:.2f},{z:.6f}\n" for t, z in zip(time, height, strict=True))

    async def use():
        async with shown() as user:
            await drop(user, drop="t,z\n" + rows, notes="this is\nno recording\n")
            fill(user, "ball.radius", "0.02")
            await click(user, "Check", sees="1 of 2 files cannot be used:")
            assert not button(user, "Fit").enabled
            user.find("Fit").click()
            (chart,) = user.find(ui.echart).elements
            curve, bounces = (series["data"] for series in chart.options["series"])
            assert len(curve) == time.size
            _, moments = synthetic.bounces(time, 0.5, e=0.9)
            inside = [moment for moment in moments if moment < time[-1]][: len(bounces)]
            assert [t for t, _ in bounces] == pytest.approx(inside, abs=1e-3)
            assert len(bounces) >= 2
            texts = [
                text for table in user.find(ui.table).elements for text in table.rows[0].values()
            ]
            assert any("±" in text for text in texts)
            UserInteraction(user, crosses(user, "notes.csv"), None).click()
            await user.should_not_see("notes.csv")
            await check(user)

    asyncio.run(use())


def test_an_existing_study_is_opened():
    Path("clicks.csv").write_text(CLICKS)
    Path("study.toml").write_text(
        "files = ['clicks.csv']\n[ball]\nradius = 0.02\nmass = 0.0027\nshell = true\n"
    )

    async def use():
        async with shown("study.toml") as user:
            await user.should_see("clicks.csv")
            (radius,) = user.find("ball.radius").elements
            (shell,) = user.find("ball.shell").elements
            assert (radius.value, shell.value) == ("0.02", True)
            Path("study.toml").write_text("files = [")
            await user.open("/")
            await user.should_see("this is not TOML")

    asyncio.run(use())


@pytest.mark.long
def test_it_is_served_to_this_machine_alone_until_it_is_interrupted(tmp_path):
    command = [sys.executable, "-m", "calibration.cli", "app", "--no-browser"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OTEL_TRACES_EXPORTER": "zipkin"}
    del environment["PYTEST_CURRENT_TEST"]  # with it, NiceGUI serves to its harness only
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as served:
        try:
            said = served.stdout.readline()
            address = re.fullmatch(
                r"The page is at (http://127\.0\.0\.1:\d+) \(Ctrl-C ends it\)\n", said
            )[1]
            transport = httpx.HTTPTransport(retries=6)
            with httpx.Client(base_url=address, transport=transport) as client:
                assert "recordings" in client.get("/").text
                asked_otherwise = client.get("/", headers={"Host": "elsewhere.example"})
                assert asked_otherwise.status_code == 400
        finally:
            served.send_signal(signal.SIGINT)
        assert served.wait(timeout=60) == 0


@pytest.mark.parametrize(
    ("section", "name", "text", "meant"),
    [
        (BodyOptions, "shape", "cube: half_width=0.05", {"name": "cube", "half_width": 0.05}),
        (BodyOptions, "mass", ".37", 0.37),
        (ReadingOptions, "columns", "t=Zeit,z=Lage", {"t": "Zeit", "z": "Lage"}),
        (ReadingOptions, "columns", '{ t = "Zeit" }', {"t": "Zeit"}),
        (ReadingOptions, "sigma", "0.002", 0.002),
        (ReadingOptions, "sigma", "x=0.002,z=0.001", {"x": 0.002, "z": 0.001}),
        (ReadingOptions, "scale", "0,0015", "0,0015"),
        (ReadingOptions, "scale", " ", None),
    ],
)
def test_a_field_is_read_as_the_study_file_and_the_command_line_are(section, name, text, meant):
    assert value_meant(options(section)[name], text) == meant


def test_every_option_of_a_study_has_a_field():
    async def use():
        async with shown() as user:
            for section in SECTIONS:
                for name in options(section):
                    assert len(user.find(f"{section.section}.{name}").elements) == 1

    asyncio.run(use())


def luminance(colour):
    """Relative luminance of ``#rrggbb`` (WCAG 2.1)."""
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("theme", [0, 1])
def test_every_colour_of_a_text_is_readable_on_the_paper(theme):
    rules = STYLE.read_text(encoding="utf-8").split("body.body--dark")[theme]
    colours = dict(re.findall(r"--([\w-]+): (#\w{6})", rules))
    paper = luminance(colours.pop("paper"))
    assert {"q-primary", "wrong", "changed", "small"} <= set(colours)
    for name in ("q-primary", "wrong", "changed", "small"):
        dark, light = sorted((paper, luminance(colours[name])))
        assert (light + 0.05) / (dark + 0.05) >= 4.5, name


def test_headings_are_headings_and_files_are_chosen_by_a_button_with_a_name():
    async def use():
        async with shown() as user:
            headings = [
                one for one in user.find(ui.label).elements if one.props.get("role") == "heading"
            ]
            levels = [int(one.props["aria-level"]) for one in headings]
            assert sorted(levels) == [1, 2, 2, 2, 2]
            assert button(user, "Choose files").enabled

    asyncio.run(use())


def test_a_default_is_in_the_words_that_its_field_offers():
    async def use():
        async with shown() as user:
            await user.should_see("instead of a solid ball. [default: no]")
            await user.should_not_see("[default: false]")

    asyncio.run(use())


def test_bounces_are_left_out_with_all_before_or_after_them_and_come_back():
    heights = (ROOT / "experiments/data/known_truth/drop_00.csv").read_text()

    def bounces(user):
        (chart,) = user.find(ui.echart).elements
        return [time for time, _ in chart.options["series"][1]["data"]]

    async def use_only(user, label, text):
        (field,) = user.find(label).elements
        field.value = text
        UserInteraction(user, {field}, None).trigger("blur")
        await can_be_fitted(user)

    async def use():
        async with shown() as user:
            await drop(user, drop=heights)
            fill(user, "ball.radius", "0.02")
            fill(user, "ball.mass", "0.0027")
            await check(user)
            every = bounces(user)
            first, last = parts_without(every, 1, EVERYTHING).values()
            await use_only(user, "use from [s]", first[0])
            assert bounces(user) == pytest.approx(every[2:], abs=1e-3)
            assert Desk.again(Path("studies"), "study-1").part_of("drop.csv") == first
            await use_only(user, "use from [s]", None)
            await use_only(user, "use until [s]", last[1])
            assert bounces(user) == pytest.approx(every[:1], abs=1e-3)
            (field,) = user.find("reading.files").elements
            assert field.value == f'{{"drop.csv" = {{until = {last[1]}}}}}'
            (field,) = user.find("use from [s]").elements
            field.value = 9.0
            UserInteraction(user, {field}, None).trigger("blur")
            await user.should_see("is not below until")
            await use_only(user, "use until [s]", None)
            assert bounces(user) == every

    asyncio.run(use())


def test_a_bounce_is_left_out_in_the_middle_of_the_flights_beside_it():
    moments = [0.2, 0.6, 0.9]
    before, after = "Leave it out, and all before it", "Leave it out, and all after it"
    assert parts_without(moments, 0, EVERYTHING) == {before: (0.4, np.inf)}
    assert parts_without(moments, 1, (0.1, 1.0)) == {before: (0.75, 1.0), after: (0.1, 0.4)}
    assert parts_without(moments, 2, EVERYTHING) == {after: (-np.inf, 0.75)}
    assert parts_without(moments[:1], 0, EVERYTHING) == {}
