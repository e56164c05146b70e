"""What the page says can be followed on the page."""

import re

import pytest

from calibration.app.fields import label_of
from calibration.app.wording import fields_by_flag, on_page
from calibration.studies.option import options
from calibration.studies.study import SECTIONS
from tests.calibration.cli.test_advice import ADVICE, FLAG, LOCAL

FAR = re.compile(r"--[a-z-]+ of the command line|jaxcontact [^,;)]*")
"""What says itself that it is typed."""

SAID = {
    "Give --mass 0.03.": 'Give "mass" = 0.03.',
    "check --vertical and --radius.": 'check "vertical" under "Reading the files" and "radius".',
    "for pixels, --scale metres-per-pixel.": (
        'for pixels, "scale" = metres-per-pixel under "Reading the files".'
    ),
    "--nuisance exposure or --nuisance 'rolling shutter' for a camera": (
        '"nuisances" = exposure under "The physics" or "nuisances" = rolling shutter for a camera'
    ),
    "if there was none, --no-drag says so": (
        'if there was none, "drag" = no under "The physics" says so'
    ),
    "fit each: --columns t=t,x=x1,y=y1.": (
        'fit each: "columns" = t=t,x=x1,y=y1 under "Reading the files".'
    ),
    "use --noise huber (in Python: noise=Huber(), of 'cal.noise').": (
        'use "noise" = huber under "The physics".'
    ),
    "bootstrap --kind moving_block": "bootstrap --kind of the command line moving_block",
    "jaxcontact track FILM --radius METRES, and": "jaxcontact track FILM --radius METRES, and",
    "or replace it with --force.": (
        'or replace it with the box "Replace the results that are there".'
    ),
}


@pytest.mark.parametrize("text", SAID)
def test_options_are_said_as_fields(text):
    assert on_page(text) == SAID[text]


def test_no_advice_leaves_an_option_to_be_typed():
    left = [
        f"{path}:{line}: {text}"
        for path, line, text in ADVICE
        if path.parts[0] not in ("cli", "films") and not any(part in path.parts for part in LOCAL)
        if FLAG.search(FAR.sub("", on_page(text)))
    ]
    assert not left


def test_every_field_has_a_flag_that_leads_to_it():
    labels = {label_of(name) for section in SECTIONS for name in options(section)}
    assert {field.label for field in fields_by_flag().values()} == labels
