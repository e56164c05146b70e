"""Configuration of the documentation: `make docs` builds it with every warning an error."""

import tomllib
from pathlib import Path
from typing import Any

_project = tomllib.loads(
    (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
)["project"]

project = _project["name"]
version = release = _project["version"]
copyright = "the authors of jaxcontact, Apache-2.0"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]

myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3

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
    "|tomlkit"
)
_standard = "collections|dataclasses|enum|os|pathlib|types|typing"
nitpick_ignore_regex = [
    (r"py:.*", rf"({_elsewhere}|{_standard})(\..*)?"),
    (
        r"py:.*",
        r"Array|ArrayLike|NDArray|Callable|Iterable|Iterator|Mapping|Sequence|Path|Any|Figure|\w+Error",
    ),
    (
        r"py:class",
        r"[a-z_][a-z_0-9]*",
    ),  # words in the place of a type; no class of ours is spelled so
    (r"py:.*", r"([\w.]+\.)?(Model|T|Function)"),  # type variables
]

html_theme = "furo"
html_title = f"jaxcontact {version}"


def _skip_tuple_fields(
    app: Any, what: str, name: str, obj: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out "Alias for field number 0": the fields of a named tuple stand in its docstring."""
    return True if type(obj).__name__ == "_tuplegetter" else None


def setup(app: Any) -> None:
    app.connect("autodoc-skip-member", _skip_tuple_fields)
