"""Sources as one cites them: one line for a list of references, an entry for BibTeX."""

import dataclasses
import re
from collections.abc import Iterable, Mapping

_ARTICLE = re.compile(
    r"(?P<author>.+?), (?P<journal>[^,]*?) (?P<volume>\d+) \((?P<year>\d{4})\) (?P<pages>[\w-]+)"
)
_YEAR = re.compile(r"\((\d{4})\)")
_NAMES = re.compile(r", | and | et al\.")


@dataclasses.dataclass(frozen=True)
class Citation:
    """A source.

    Attributes:
        key: under which BibTeX knows it.
        text: authors, title, journal, year: one line.
        kind: of the entry, ``"article"``.
        fields: of the entry.

    Example:
        >>> import calibration as cal
        >>> hertz = cal.results.Citation("hertz1882", "Hertz (1882)", "misc", {"year": "1882"})
        >>> print(hertz.bibtex())
        @misc{hertz1882,
          year = {1882},
        }
    """

    key: str
    text: str
    kind: str
    fields: Mapping[str, str]

    def bibtex(self) -> str:
        """The entry."""
        lines = [f"  {name} = {{{value}}}," for name, value in self.fields.items()]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


def cite_source(text: str) -> Citation:
    """The citation of a source as docstrings give it: ``Hunt and Crossley, J. Appl. Mech. 42 (1975)
    440-445``. What is no article of a journal is kept as one note.

    Example:
        >>> from calibration.results.citation import cite_source
        >>> cite_source("Hunt and Crossley, J. Appl. Mech. 42 (1975) 440-445").key
        'hunt1975'
    """
    year = _YEAR.search(text)
    first = re.sub(r"\W", "", text.split(",")[0].split(" ")[0]).lower()
    key = first + (year[1] if year else "")
    article = _ARTICLE.match(text)
    if article is None:
        fields = {"note": text} | ({"year": year[1]} if year else {})
        return Citation(key, text, "misc", fields)
    fields = {name: article[name] for name in ("journal", "volume", "year", "pages")}
    authors = " and ".join(filter(None, _NAMES.split(article["author"])))
    others = " and others" if "et al." in article["author"] else ""
    fields = {"author": authors + others} | fields
    return Citation(key, text, "article", fields | {"pages": fields["pages"].replace("-", "--")})


def software_citations(versions: Mapping[str, str | None]) -> tuple[Citation, ...]:
    """Of the programs that a fit rests on.

    Args:
        versions: as ``installed_versions`` gives them.
    """

    def version(name: str) -> str:
        return versions.get(name) or "of the source tree"

    about = "differentiable contact models for parameter identification"
    composable = "composable transformations of Python+NumPy programs"
    return (
        Citation(
            "jaxcontact",
            f"jaxcontact: {about}, version {version('jaxcontact')}",
            "software",
            {"title": f"{{jaxcontact}}: {about}", "version": version("jaxcontact")},
        ),
        Citation(
            "optimistix2024",
            "Rader, Lyons and Kidger, Optimistix: modular optimisation in JAX and Equinox, "
            f"version {version('optimistix')}, arXiv:2402.09983 (2024)",
            "article",
            {
                "author": "Jason Rader and Terry Lyons and Patrick Kidger",
                "title": "Optimistix: modular optimisation in {JAX} and {E}quinox",
                "journal": "arXiv:2402.09983",
                "year": "2024",
            },
        ),
        Citation(
            "jax2018github",
            f"Bradbury et al., JAX: {composable}, version {version('jax')} (2018), "
            "github.com/jax-ml/jax",
            "software",
            {
                "author": "James Bradbury and Roy Frostig and Peter Hawkins and Matthew James "
                "Johnson and Yash Katariya and Chris Leary and Dougal Maclaurin and George Necula "
                "and Adam Paszke and Jake Vander{P}las and Skye Wanderman-{M}ilne and Qiao Zhang",
                "title": "{JAX}: " + composable.replace("Python", "{P}ython"),
                "url": "github.com/jax-ml/jax",
                "version": version("jax"),
                "year": "2018",
            },
        ),
    )


def distinct(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Each source once; different ones of the same first author and year get letters."""
    kept: dict[str, Citation] = {}
    for one in citations:
        if any(one.text == other.text for other in kept.values()):
            continue
        key, letters = one.key, iter("bcdefghijklmnopqrstuvwxyz")
        while key in kept:
            key = f"{one.key}{next(letters)}"
        kept[key] = dataclasses.replace(one, key=key)
    return tuple(kept.values())
