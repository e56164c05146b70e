"""Exudyn's restitution after several impacts, as recorded from one of its test models."""

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np

import jaxcontact as jc
from jaxcontact.laws.core.damping_maps import RESTITUTION_LAWS
from tests.reference.case import Case, Computed, ReferenceFile, failing, quantities
from tests.reference.published.impacts import after_impact, body, first_contacts
from tests.reference.published.reading import only, stated

LAWS = {"gonthier_carvalho_martins": "exudyn_mixed", "hunt_crossley": "hunt_crossley_1975"}
"""Names in the file, and in the catalogue."""

EXACT = 1e-9


def cases(file: ReferenceFile) -> Iterable[Case]:
    document = file.document
    yield from only(file, document, "source", "rows", "note")
    source, of_peer = document["source"], stated(document["note"], "<=")
    setup = {name: stated(source, f"{name}=") for name in ("m", "k", "v0")}
    for index, row in enumerate(document["rows"]):
        name = f"{file.name}/{row['model']}[{index}]"
        if row["model"] not in LAWS:
            yield failing(
                name,
                f"{file.path}: unknown kind {row['model']!r} of restitution law. Known: "
                f"{', '.join(LAWS)}.",
            )
            continue
        compute = partial(impacts, setup, of_peer, len(row["speeds"]), row["e_peer_first"])
        yield from quantities(file, name, row, ("model", "e_requested"), compute)


def impacts(
    setup: Mapping[str, float],
    of_peer: float,
    count: int,
    e_peer_first: float,
    model: str,
    e_requested: float,
) -> Mapping[str, Computed]:
    """A sphere goes to and fro between two walls; the restitution does not depend on the exponent
    of the law.
    """
    obtained = float(RESTITUTION_LAWS[LAWS[model]].obtained(e_requested))
    speed, radius = setup["v0"], 0.1
    normal = jc.HuntCrossley(stiffness=setup["k"], restitution=obtained)
    sphere = body(radius=radius, mass=setup["m"], velocity=(0.0, 0.0, -speed))
    room = 4 * radius
    slowest = speed * obtained**count
    end = count * (room / slowest + after_impact(normal, setup["m"], slowest))
    contacts = first_contacts(sphere, normal, times=(end,), ceiling=room)
    speeds = np.concatenate([[speed], np.asarray(contacts.rebound_speed)])[:count]
    return {
        "speeds": Computed(speeds, 0.0, of_peer * speed),
        "e_exact": [Computed(obtained, EXACT), Computed(speeds[1] / speed, 0.0, of_peer)],
        "e_peer_first": Computed(obtained, 0.0, of_peer),
        "diff": Computed(e_peer_first - obtained, 0.0, EXACT),
    }
