"""The errors as tables in Markdown."""

from collections.abc import Mapping, Sequence

import numpy as np

from experiments.cube_tosses.errors import CLOSED, Errors, Summary, summary
from experiments.cube_tosses.fit import FITTED, Fitted
from experiments.cube_tosses.published import PUBLISHED, SOURCE


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lines of a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def per_toss(every: Sequence[Errors], width: float) -> str:
    """One line for each toss.

    Args:
        every: errors of each.
        width: of the cube [m].
    """
    head = [
        "toss",
        "position, mean [mm]",
        "[% width]",
        "max [mm]",
        "at the end [mm]",
        "rotation, mean [deg]",
        "at the end [deg]",
        "ledger imbalance",
        "touch-downs",
        "steps",
        "time [s]",
    ]
    rows = []
    for errors in every:
        mm, degrees = 1e3 * errors.position, errors.rotation
        name = (
            errors.name
            if errors.believed
            else f"{errors.name} (not believed: {errors.status.name}, imbalance "
            f"{errors.imbalance:.0e})"
        )
        rows.append(
            [
                name,
                f"{np.mean(mm):.1f}",
                f"{np.mean(mm) / (10 * width):.1f}",
                f"{np.max(mm):.1f}",
                f"{mm[-1]:.1f}",
                f"{np.mean(degrees):.1f}",
                f"{degrees[-1]:.1f}",
                f"{errors.imbalance:.0e}",
                str(errors.contacts),
                str(errors.steps),
                f"{errors.seconds:.2f}",
            ]
        )
    return table(head, rows)


def line_of(name: str, found: Summary) -> list[str]:
    """A line of the comparison."""
    return [
        name,
        f"{found.position:.1f} ± {found.position_deviation:.1f}",
        f"{found.rotation:.1f} ± {found.rotation_deviation:.1f}",
        f"{found.rotation_median:.1f}",
    ]


def comparison(found: Mapping[str, Sequence[Errors]], width: float) -> str:
    """Means over the tosses, beside the published ones.

    Args:
        found: errors of every toss, by the name of the line.
        width: of the cube [m].
    """
    rows = [line_of(name, summary(every, width)) for name, every in found.items()]
    for one in PUBLISHED:
        position = f"{one.position} ± {one.position_deviation}"
        rotation = f"{one.rotation} ± {one.rotation_deviation}"
        rows.append([f"{one.simulator}, fitted, published", position, rotation, "not given"])
    head = ["", "position error [% of width]", "rotation error [deg]", "its median [deg]"]
    return f"{table(head, rows)}\n\nPublished: {SOURCE}."


def sensitivity(
    reference: Sequence[Errors], found: Mapping[str, Sequence[Errors]], width: float
) -> str:
    """What a change of one assumption does.

    Args:
        reference: errors with the nominal parameters.
        found: errors by what was changed.
        width: of the cube [m].
    """
    rows = []
    for name, every in {"nominal": reference, **found}.items():
        both = [(now, then) for now, then in zip(every, reference, strict=True) if now.believed]
        largest = max(abs(np.mean(now.position) - np.mean(then.position)) for now, then in both)
        kept = summary([now for now, _ in both], width)
        rows.append([*line_of(name, kept), f"{1e3 * largest:.2f}", str(len(every) - len(both))])
    head = [
        "",
        "position error [% of width]",
        "rotation error [deg]",
        "its median [deg]",
        "largest change of a toss's mean [mm]",
    ]
    return table([*head, f"left out: unfinished, or ledger open (above {CLOSED:g})"], rows)


def fits(names: Sequence[str], found: Sequence[Fitted]) -> str:
    """Parameters of the fits.

    Args:
        names: what was left out.
        found: the fits.
    """
    rows = [
        [
            name,
            f"{one.given.friction:.3f}",
            f"{one.given.restitution:.3f}",
            f"{1e3 * one.given.height:.2f}",
            f"{one.misfit:.2f}",
        ]
        for name, one in zip(names, found, strict=True)
    ]
    return table(
        [
            "left out",
            *(name if name != "height" else "height of the table [mm]" for name in FITTED),
            "misfit",
        ],
        rows,
    )
