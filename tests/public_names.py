"""The public names of both packages, their documentation, and the pages of the reference on which
they stand.
"""

import ast
import functools
import importlib
import inspect
import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

API_PAGES = Path(__file__).parents[1] / "docs" / "api"
PACKAGES = (
    "jaxcontact",
    "jaxcontact.laws",
    "jaxcontact.surfaces",
    "jaxcontact.systems",
    "calibration",
)


def public_names() -> list[str]:
    """Every public name with the package that exports it, e.g. ``"jaxcontact.Plane"``; names of
    sub-packages are public with what they export. An object with two names stands here once.
    """
    names: dict[str, None] = {}
    for package in PACKAGES:
        names.update(dict.fromkeys(_exported(package)))
    return [name for name in names if not _is_repeated(name)]


def _exported(package: str) -> Iterator[str]:
    for name in sorted(importlib.import_module(package).__all__):
        path = f"{package}.{name}"
        yield path
        subject = resolve(path)
        if isinstance(subject, ModuleType) and "__all__" in vars(subject):
            yield from _exported(path)


def _is_repeated(path: str) -> bool:
    """Whether the parent package exports the same object: ``jaxcontact.Plane`` is
    ``jaxcontact.surfaces.Plane``.
    """
    package, _, name = path.rpartition(".")
    parent = package.rpartition(".")[0]
    if not parent or name not in importlib.import_module(parent).__all__:
        return False
    return resolve(path) is resolve(f"{parent}.{name}")


def resolve(path: str) -> Any:
    """The object with the public name ``path``."""
    package, _, name = path.rpartition(".")
    return getattr(importlib.import_module(package), name)


class Home(NamedTuple):
    """Where an object is defined.

    Attributes:
        module: name of the module.
        name: name in the module; ``""`` for the module itself.
    """

    module: str
    name: str


def home(path: str) -> Home:
    """Where the object with the public name ``path`` is defined."""
    subject = resolve(path)
    if isinstance(subject, ModuleType):
        return Home(subject.__name__, "")
    if inspect.isclass(subject) or inspect.isfunction(subject):
        return Home(subject.__module__, subject.__qualname__)
    top = path.partition(".")[0]
    for module_name, module in sorted(sys.modules.items()):
        if module_name.partition(".")[0] != top or not module:
            continue
        for name, text in _documented_constants(module).items():
            if text and vars(module).get(name) is subject:
                return Home(module_name, name)
    raise LookupError(f"{path}: no module defines it with a text below the assignment.")


def documentation(path: str) -> str:
    """The docstring of the object with the public name ``path``: for a constant, the text below its
    assignment.
    """
    module, name = home(path)
    subject = resolve(path)
    if not name or inspect.isclass(subject) or inspect.isfunction(subject):
        return inspect.cleandoc(subject.__doc__ or "")
    return _documented_constants(sys.modules[module])[name]


@functools.cache
def _documented_constants(module: ModuleType) -> dict[str, str]:
    """The constants of a module with the texts below their assignments."""
    if not (module.__file__ or "").endswith(".py"):
        return {}
    body = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8")).body
    texts: dict[str, str] = {}
    for statement, text in itertools.pairwise(body):
        targets: list[ast.expr] = []
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        documented = (
            isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        )
        for target in targets:
            if isinstance(target, ast.Name) and documented:
                texts[target.id] = inspect.cleandoc(text.value.value)
    return texts


_DIRECTIVE = re.compile(
    r"^\.\. auto(?P<kind>\w+):: (?P<path>[\w.]+)\n(?P<options>(?:   .*\n)*)", re.M
)
_OPTION = re.compile(r"^   :(?P<name>[\w-]+):(?P<value>.*)$", re.M)


def documented_homes() -> set[Home]:
    """What the pages of the reference show, from their autodoc directives."""
    shown: set[Home] = set()
    for page in sorted(API_PAGES.glob("**/*.md")):
        for directive in _DIRECTIVE.finditer(page.read_text(encoding="utf-8") + "\n"):
            options = {
                option["name"]: option["value"].strip()
                for option in _OPTION.finditer(directive["options"])
            }
            shown.update(_shown(directive["kind"], directive["path"], options))
    return shown


def _shown(kind: str, path: str, options: dict[str, str]) -> Iterator[Home]:
    """What one directive shows."""
    if kind != "module":
        module, _, name = path.rpartition(".")
        yield Home(module, name)
        yield home(path)
        return
    yield Home(path, "")
    if "members" not in options:
        return
    module = importlib.import_module(path)
    excluded = {name.strip() for name in options.get("exclude-members", "").split(",")}
    listed = [name.strip() for name in options["members"].split(",") if name.strip()]
    for name in listed or _members(module):
        if name in excluded or name not in vars(module):  # Sphinx reports a name that is not there
            continue
        subject = getattr(module, name)
        if inspect.isclass(subject) or inspect.isfunction(subject):
            yield Home(subject.__module__, subject.__qualname__)
        else:
            yield Home(path, name)


def _members(module: ModuleType) -> list[str]:
    """The names that autodoc shows of a module where none are listed: those of ``__all__``, else
    the public ones that the module defines.
    """
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return list(listed)
    defined = [
        name
        for name, subject in vars(module).items()
        if not name.startswith("_") and getattr(subject, "__module__", None) == module.__name__
    ]
    return [*defined, *_documented_constants(module)]
