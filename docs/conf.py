"""Configuration of the documentation: `make docs` builds it with every warning an error."""

import functools
import importlib
import inspect
import re
import tomllib
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx import addnodes

_project = tomllib.loads(
    (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
)["project"]

project = _project["name"]
version = release = _project["version"]
copyright = "the authors of jaxcontact, Apache-2.0"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]

myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3
myst_update_mathjax = False

# Formulas are MathML, which browsers draw without a script and without a network.
html_math_renderer = "mathml"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

# References into other projects are not resolved: that needs their inventories from the network at
# every build. Our own names (jaxcontact.*, calibration.*) are checked, which is what nitpicky is
# for.
_elsewhere = (
    "jax|jaxlib|jaxtyping|jnp|numpy|np|scipy|optax|optimistix|lineax|equinox|matplotlib|rich|typer"
    "|tomlkit|xarray|distributed"
)
_standard = "collections|dataclasses|enum|os|pathlib|types|typing"
nitpick_ignore_regex = [
    (r"py:.*", rf"({_elsewhere}|{_standard})(\..*)?"),
    (
        r"py:.*",
        r"Array|ArrayLike|NDArray|Callable|Iterable|Iterator|Mapping|Sequence|Path|Any|Figure|\w+Error",
    ),
    # words in the place of a type; no class of ours is spelled so
    (r"py:class", r"[a-z_][a-z_0-9]*"),
    (r"py:.*", r"([\w.]+\.)?(Model|T|Tree|Function|Inputs|Outputs|Entry)"),  # type variables
    # what a bed carries from step to step is nothing that a user makes
    (
        r"py:class",
        r"jaxcontact\.beds\.(contact_lists\.(Needs|Pairs|Particles|WallContacts)"
        r"|contact_forces\.Loads|contact_models\.SphereContact|resolution\.Push)",
    ),
]

html_theme = "furo"
# Code of 100 columns fits beside the two side bars.
html_static_path = ["static"]
html_css_files = ["width.css"]
html_title = f"jaxcontact {version}"


def _skip_tuple_fields(
    app: Any, what: str, name: str, obj: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out "Alias for field number 0": the fields of a named tuple stand in its docstring."""
    return True if type(obj).__name__ == "_tuplegetter" else None


PACKAGES = (
    "jaxcontact",
    "jaxcontact.laws",
    "jaxcontact.surfaces",
    "jaxcontact.systems",
    "calibration",
)


@functools.cache
def _public_names() -> dict[int, str]:
    """The name by which each exported class or function is imported, by its identity: the shortest,
    where there are several.
    """
    names: dict[int, str] = {}
    waiting = list(PACKAGES)
    while waiting:
        package = waiting.pop(0)
        module = importlib.import_module(package)
        for name in module.__all__:
            path = f"{package}.{name}"
            subject = getattr(module, name)
            if inspect.isclass(subject) or inspect.isfunction(subject):
                names.setdefault(id(subject), path)
            elif inspect.ismodule(subject) and path not in PACKAGES and hasattr(subject, "__all__"):
                waiting.append(path)
    return names


def _say_public_name(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Begin the text of an exported class or function with the name by which it is imported, where
    this is not the place of its definition.
    """
    public = _public_names().get(id(obj))
    if what in ("class", "function", "exception") and public not in (None, name):
        lines[:0] = [f"*Imported as* ``{public}``.", ""]


_JOINT_NAMES = re.compile(r"^( +)(\w+(?:, \w+)+):(?= |$)")


def _join_names(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Close up names that share one text, ``low, high: ends``, below ``Args`` and ``Attributes``:
    Sphinx takes the words before the last blank for a type.
    """
    inside = False
    for number, line in enumerate(lines):
        if line in ("Args:", "Attributes:"):
            inside = True
        elif line and not line.startswith(" "):
            inside = False
        elif inside:
            lines[number] = _JOINT_NAMES.sub(lambda m: f"{m[1]}{m[2].replace(' ', '')}:", line)


def _space_names(app: Any, doctree: nodes.document) -> None:
    """Put the blanks back that ``_join_names`` took out."""
    for name in doctree.findall(addnodes.literal_strong):
        text = name.astext()
        if "," in text:
            name.children = [nodes.Text(text.replace(",", ", "))]


_UPRIGHT_LETTER = re.compile(r"\\mathrm\{(\w)\}")  # which latex2mathml would make italic


def _mathml(formula: str, *, display: str) -> str:
    return convert(_UPRIGHT_LETTER.sub(r"\\text{\1}", formula), display=display)


def _formula_in_text(translator: Any, node: nodes.math) -> None:
    """A formula of a line of text, as MathML."""
    translator.body.append(_mathml(node.astext(), display="inline"))
    raise nodes.SkipNode


def _formula_by_itself(translator: Any, node: nodes.math_block) -> None:
    """A displayed formula, as MathML; one that is wider than the page can be scrolled."""
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    translator.body.append(f"{_mathml(node.astext(), display='block')}</div>\n")
    raise nodes.SkipNode


def setup(app: Any) -> None:
    app.add_html_math_renderer("mathml", (_formula_in_text, None), (_formula_by_itself, None))
    app.connect("autodoc-skip-member", _skip_tuple_fields)
    app.connect("autodoc-process-docstring", _say_public_name)
    app.connect("autodoc-process-docstring", _join_names, priority=400)  # before napoleon, at 500
    app.connect("doctree-read", _space_names)
