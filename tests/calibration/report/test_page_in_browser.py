"""The page as a browser shows it: nothing is cut on a phone, dark where the system is, whole on
paper. Needs Chromium, without a network.
"""

import json
import re
import shutil
import subprocess

import pytest

from calibration.report.page import write_page
from tests.calibration import synthetic_fits as synthetic

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BROWSER, reason="no Chromium: apt install chromium"),
]

PROBE = """
<script>
addEventListener("load", () => {
  const frame = document.querySelector("iframe"), inside = frame.contentDocument;
  const width = frame.clientWidth;
  const cut = [...inside.querySelectorAll("body *")].filter((one) =>
    !one.closest(".wide, pre, svg, script, thead")
    && one.getBoundingClientRect().right > width + 1);
  inside.querySelector("[aria-label='the next one']").click();
  const shown = [...inside.querySelectorAll(".browser figure")].filter((one) => !one.hidden);
  const slider = inside.querySelector(".motion:not([hidden]) input");
  const ball = inside.querySelector(".motion:not([hidden]) .ball");
  const before = ball.getAttribute("cy");
  slider.value = slider.max;
  slider.dispatchEvent(new Event("input"));
  document.title = JSON.stringify({
    scrolled: inside.documentElement.scrollWidth, width,
    cut: cut.map((one) => one.outerHTML.slice(0, 80)),
    shown: shown.map((one) => one.dataset.name),
    moved: before !== ball.getAttribute("cy"),
    ground: frame.contentWindow.getComputedStyle(inside.body).backgroundColor,
  });
});
</script>
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_page(synthetic.everything(), path, title="Drops", study="files = []\n" * 30)
    return path


def browse(page, *options):
    flags = [
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        *("--host-resolver-rules=MAP * ~NOTFOUND", "--allow-file-access-from-files"),
        f"--user-data-dir={page.parent / 'profile'}",
    ]
    run = subprocess.run(
        [BROWSER, *flags, "--enable-logging=stderr", "--v=0", *options],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run


def measured(page, width, *options):
    """What a script outside of the page finds in it, shown in a frame of this width."""
    probe = page.with_name("probe.html")
    probe.write_text(
        f"<!DOCTYPE html><title>-</title><iframe src={page.name} width={width} height=800 "
        f"style='border: 0'></iframe>{PROBE}"
    )
    run = browse(page, "--dump-dom", "--virtual-time-budget=5000", *options, probe.as_uri())
    assert "CONSOLE" not in run.stderr
    return json.loads(re.search("<title>(.*?)</title>", run.stdout)[1].replace("&lt;", "<"))


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_cut_and_nothing_scrolls_sideways(page, width):
    found = measured(page, width)
    assert found["cut"] == []
    assert found["scrolled"] <= found["width"] == width


def test_one_recording_is_shown_at_a_time_and_its_ball_moves(page):
    found = measured(page, 1280)
    assert found["shown"] == ["drop_02", "drop_02"]
    assert found["moved"]


def test_the_page_is_dark_where_the_system_is(page):
    assert measured(page, 390)["ground"] == "rgb(255, 255, 255)"
    dark = "--blink-settings=preferredColorScheme=0"
    assert measured(page, 390, dark)["ground"] == "rgb(22, 24, 26)"


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="no pdftotext: apt install poppler-utils")
def test_all_that_is_folded_is_printed(page):
    paper = page.with_suffix(".pdf")
    browse(page, "--no-pdf-header-footer", f"--print-to-pdf={paper}", page.as_uri())
    printed = subprocess.run(
        ["pdftotext", "-layout", paper, "-"], capture_output=True, text=True, check=True
    ).stdout
    for said in ("finding number 5", "@article{hunt1975", "files = []", "drop_01", "drop_03"):
        assert said in printed
    assert "0.9263 ± 0.0041" in printed
