"""Every piece of advice that the program can print can be followed as it is printed: the options
that it names exist, take the values that it names, and are keys of a study file.
"""

import ast
import re
from pathlib import Path

import pytest
import typer

import calibration
from calibration.cli.main import app
from calibration.studies.option import options
from calibration.studies.study import AFTER_FIT, SECTIONS, Ball, BodyOptions, Study
from calibration.studies.toml import read_study, study_text

PACKAGE = Path(calibration.__file__).parent
CUBE = {"name": "cube", "half_width": 0.05}
HOLE = "\N{REPLACEMENT CHARACTER}"
"""In the place of what is only known when a sentence is printed."""

FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
SNIPPET = re.compile(r"(?<![\w-])(--[a-z][a-z-]*)[ =]('[^']*'|[^\s,;)'\"]+)")
PYTHON = re.compile(
    r"\b(?:noise=|StudentT|Correlated\(|Huber\(|cal\.(?:nuisances|noise)|Free\(|columns=)"
)

LOCAL = ("swept", "synthetic_recording.py", "varied.py", "simulate.py", "sweep.py")
"""What is printed by ``simulate`` and ``sweep`` alone."""

ROOMS = (
    "cli",
    "detection",
    "fitting",
    "io",
    "measurements",
    "results",
    "selection",
    "studies",
    "uncertainty",
)
"""What prints sentences to people at the command line; others speak to who writes Python."""


def sentences(path):
    """All texts of a module but its docstrings, what is filled in replaced by a hole."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    silent = {
        id(node.value)
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    silent |= {
        id(part)
        for node in nodes
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    for node in nodes:
        if id(node) in silent:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            pieces = [
                str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values
            ]
            yield node.lineno, "".join(pieces)


ALL = [
    (path.relative_to(PACKAGE), line, text)
    for path in sorted(PACKAGE.rglob("*.py"))
    for line, text in sentences(path)
]
ADVICE = [
    (path, line, text)
    for path, line, text in ALL
    if FLAG.search(text) and " " in text.strip() and not text.startswith("jaxcontact ")
]


def commands():
    """The options of each verb, by flag."""
    group = typer.main.get_command(app)
    return {
        name: {flag for item in command.params for flag in (*item.opts, *item.secondary_opts)}
        for name, command in group.commands.items()
    } | {"": {flag for item in group.params for flag in item.opts}}


def study_options():
    """Section, key and what is known of each option of a study, by flag."""
    return {
        flag: (section, name, about)
        for section in (*reversed(AFTER_FIT), *reversed(SECTIONS))
        for name, about in options(section).items()
        for flag in about.flags_of(name).split("/")
    }


FLAGS, OPTIONS = commands(), study_options()
ANYWHERE = set().union(*FLAGS.values()) | {"--help", "--debug"}


def test_there_is_advice_to_follow():
    assert len(ADVICE) > 50


def test_every_option_that_is_advised_exists():
    unknown = []
    for path, line, text in ADVICE:
        local = any(part in path.parts for part in LOCAL)
        verb = "track" if path.parts[0] == "films" else "fit"
        known = ANYWHERE if local or path.parts[0] == "cli" else FLAGS[verb]
        for flag in FLAG.findall(text):
            begun = flag.endswith("-") and any(item.startswith(flag) for item in known)
            of_verb = any(f"{verb} {flag}" in text and flag in FLAGS[verb] for verb in FLAGS)
            unknown += [] if flag in known or begun or of_verb else [f"{path}:{line}: {flag}"]
    assert not unknown


def snippets():
    """Each option with the value that is advised for it."""
    for path, line, text in ADVICE:
        if any(part in path.parts for part in LOCAL):
            continue
        for flag, value in SNIPPET.findall(text):
            if flag not in OPTIONS or OPTIONS[flag][2].kind.typed is bool:
                continue
            names = OPTIONS[flag][2].kind.names
            typed = as_typed(value, "1" if names is None else names()[0])
            named = names is not None and typed in names()
            if value.startswith("'") or named or re.search(r"\d", typed):
                yield pytest.param(flag, typed, id=f"{path}:{line}:{flag}")


def as_typed(value, usual):
    """What the shell hands over; for a hole, something that may stand there."""
    typed = value.strip("'") if value.startswith("'") else value.rstrip(".:")
    return usual if set(typed) == {HOLE} else typed.replace(HOLE, "1")


@pytest.mark.parametrize(("flag", "typed"), list(snippets()))
def test_every_value_that_is_advised_is_taken_and_stands_in_a_study_file(flag, typed, tmp_path):
    section, name, about = OPTIONS[flag]
    kind = about.kind
    given = [typed] if kind.typed == list[str] else kind.typed(typed)
    value = about.check(name, given if kind.parse is None else kind.parse(given))
    base = {"radius": 0.02, "mass": 0.0027}
    if section is Ball:
        return
    beside = {"slope_sd": {"slope": 0.0}, "mass": {"radius": 0.03}, "radius": {"mass": 0.12}}
    ball = Ball(**base)
    if section is BodyOptions:  # in the place of a ball
        beside, ball = {"mass": {"shape": CUBE}, "shape": {"mass": 0.37}}, None
    part = section(**{**beside.get(name, {}), name: value})
    study = Study(files=("a.csv",), **{"ball": ball, section.section: part})
    (tmp_path / "study.toml").write_text(study_text(study, folder=tmp_path, fitted=False))
    assert getattr(read_study(tmp_path / "study.toml"), section.section) == part


def test_advice_for_python_says_the_option_too():
    alone = [
        f"{path}:{line}: {text}"
        for path, line, text in ALL
        if path.parts[0] in ROOMS and PYTHON.search(text) and not FLAG.search(text)
        if " " in text and "no noise model" not in text
    ]
    assert not alone
