"""The support table of the documentation, from what the contract and the reference cases find.

``python -m tests.jaxcontact.laws.support_table`` writes ``docs/support_table.md``. Each test of the
contract compares what it finds with what the page says of its law (``assert_documented``), so that
a page that is out of date fails.
"""

import functools
import math
from pathlib import Path

import tests.conftest
from jaxcontact.laws.core.registry import Law
from jaxcontact.testing.law_contract import outcome
from tests.jaxcontact.laws.catalogue import LAWS

assert tests.conftest  # double precision and quick compilation, when this runs by itself

FILE = Path(__file__).parents[3] / "docs" / "support_table.md"
REFERENCES = Path(__file__).parents[2] / "reference" / "data"

HEAD = """\
# Support table

What holds for each law, as found by the tests: this page is written by
`python -m tests.jaxcontact.laws.support_table`, and a test fails when it is out of date. A mark
stands where a check passed.

values
: the sources of reference values in whose cases the law takes part; every case is met at its own
  tolerance. *definition* stands where no reference case uses the law: the tests of its family hold
  it against its published formula or an integration.

smooth
: number of continuous derivatives across the switches of the law (0: continuous with a corner, -1:
  jumps, inf: no switch).

jit, vmap
: compiled and batched calls give the numbers of plain ones, in double and in single precision.

jvp, vjp
: the derivatives in forward and in reverse mode agree with each other and with sixth-order
  differences, and are finite at every switch and corner; so are the second derivatives (forward
  over reverse, reverse over reverse).

history
: the force depends on the past; the state is an explicit argument.

restitution
: `exact` where a simulated impact has the restitution asked for, `map` where `restitution_at` tells
  the one obtained, both to 1e-6.

energy
: the force is that of a stored energy plus one that takes power away, at every tested rate.
"""

COLUMNS = (
    "law",
    "values",
    "smooth",
    "jit",
    "vmap",
    "jvp",
    "vjp",
    "history",
    "restitution",
    "energy",
)


def _mark(law: Law, *checks: str) -> str:
    return "yes" if all(outcome(law.name, check) is None for check in checks) else "no"


def _smoothness(law: Law) -> str:
    orders = sorted(
        {law.smoothness_at(**changes) for changes in (*law.switches, {})}
        if law.switches
        else {law.smoothness_at()}
    )
    written = ["inf" if math.isinf(order) else str(int(order)) for order in orders]
    return written[0] if len(written) == 1 else f"{written[0]} to {written[-1]}"


def row(law: Law, sources: str) -> tuple[str, ...]:
    """The cells of a law. Everything but ``sources`` is found anew."""
    restitution = outcome(law.name, "restitution")
    return (
        f"`{law.name}`",
        sources,
        _smoothness(law) if outcome(law.name, "smoothness") is None else "no",
        _mark(law, "jit and vmap", "single precision"),
        _mark(law, "jit and vmap", "single precision"),
        _mark(law, "finite", "jvp", "second derivative", "grad of grad"),
        _mark(law, "finite", "vjp", "second derivative", "grad of grad"),
        "yes" if law.has_memory else "-",
        restitution if isinstance(restitution, str) else ("-" if restitution is None else "no"),
        "-" if law.conjugate is None else _mark(law, "energy"),
    )


def families() -> dict[str, list[Law]]:
    """Laws by family, in the order of the catalogue."""
    found: dict[str, list[Law]] = {}
    for law in LAWS.values():
        found.setdefault(law.family, []).append(law)
    return dict(sorted(found.items()))


def table(sources: dict[str, str]) -> str:
    """The whole page."""
    lines = [HEAD]
    for family, laws in families().items():
        lines += [
            f"\n## {family[0].upper()}{family[1:]}\n",
            f"| {' | '.join(COLUMNS)} |",
            f"|{' --- |' * len(COLUMNS)}",
        ]
        lines += [
            f"| {' | '.join(row(law, sources.get(law.name, 'definition')))} |" for law in laws
        ]
    return "\n".join(lines) + "\n"


COLUMNS_OF = {
    "finite": ("jvp", "vjp"),
    "jvp": ("jvp",),
    "vjp": ("vjp",),
    "second derivative": ("jvp", "vjp"),
    "grad of grad": ("jvp", "vjp"),
    "jit and vmap": ("jit", "vmap"),
    "single precision": ("jit", "vmap"),
}


@functools.cache
def documented() -> dict[str, dict[str, str]]:
    """What the page says: law, column, cell."""
    rows = [
        [cell.strip() for cell in line.strip("| ").split(" | ")]
        for line in FILE.read_text(encoding="utf-8").splitlines()
        if "| `" in line
    ]
    return {cells[0].strip("`"): dict(zip(COLUMNS, cells, strict=True)) for cells in rows}


def assert_documented(name: str, check: str, found: str | None) -> None:
    """The page says of a law what a passed check means."""
    law, remedy = LAWS[name], "is out of date; run: python -m tests.jaxcontact.laws.support_table"
    assert name in documented(), f"{FILE.name} {remedy}"
    cells = documented()[name]
    expected = dict.fromkeys(COLUMNS_OF.get(check, ()), "yes") | {
        "history": "yes" if law.has_memory else "-"
    }
    if check == "smoothness":
        expected["smooth"] = _smoothness(law)
    if check == "restitution":
        expected["restitution"] = found or "-"
    if check == "energy":
        expected["energy"] = "-" if law.conjugate is None else "yes"
    for column, cell in expected.items():
        assert cells[column] == cell, (
            f"{FILE.name} says {column} = {cells[column]} of {name}, found {cell}; it {remedy}"
        )


def main() -> None:
    """Write the page."""
    from tests.jaxcontact.laws.value_sources import value_sources

    sources = {name: ", ".join(found) for name, found in value_sources(REFERENCES).items()}
    FILE.write_text(table(sources), encoding="utf-8")
    print(f"{FILE.name}: {len(LAWS)} laws")


if __name__ == "__main__":
    main()
