"""Verdicts of comparisons, counted."""

import dataclasses
from typing import Any

import calibration as cal
import jaxcontact as jc
from experiments.law_comparison.truth import LAWS, RADIUS, FilmedDrop, Scenario


@dataclasses.dataclass(frozen=True)
class Rates:
    """Of all comparisons on data of one law.

    Attributes:
        scenario: how it was measured.
        truth: the law.
        count: of comparisons.
        preferred: how often the truth is preferred to all others.
        simplest: how often the truth is the simplest of those that cannot be told apart.
        undecided: how often else no law is preferred, and the truth is among those left.
        wrong: how often the data are said to speak against the truth, whether or not another law
            is then preferred.
        wrongly_preferred: how often one law is preferred, and it is not the truth.
    """

    scenario: str
    truth: str
    count: int
    preferred: int
    simplest: int
    undecided: int
    wrong: int
    wrongly_preferred: int


def problems(measured: cal.ImpactTable | cal.Trial) -> dict[str, cal.Problem]:
    """One problem for each law, as studies begin them."""
    bodies = jc.spheres(radius=RADIUS, mass=0.03)
    filmed: dict[str, Any] = {
        "nuisance": [cal.nuisances.InitialState(), cal.nuisances.SurfaceHeight()],
        "method": jc.Impulse(max_contacts=10, rest_steps=1, skip_unused=False),
    }
    options = filmed if isinstance(measured, cal.Trial) else {}
    found = {}
    for name in LAWS:
        law = cal.studies.RESTITUTION_LAWS[name]
        contact = jc.ContactModel(normal=law.make(0.8, 1.0))
        found[name] = cal.Problem(
            jc.Scene(bodies=bodies, contact=contact), [measured], free=list(law.free), **options
        )
    return found


def count_verdicts(
    scenario: Scenario | FilmedDrop, truth: str, count: int, *, seed: int = 0
) -> Rates:
    """Compare all laws on tables of one law.

    Args:
        scenario: how they are measured.
        truth: the law.
        count: of tables.
        seed: of the first.
    """
    preferred = simplest = undecided = wrong = wrongly_preferred = 0
    for number in range(seed, seed + count):
        found = cal.compare(
            problems(scenario.measure(truth, number)), cross_validate=None, seed=number
        )
        left = [model.name for model in found.models if model is found.best or model.cannot_tell]
        if truth not in left:
            wrong += 1
            wrongly_preferred += len(left) == 1
        elif len(left) == 1:
            preferred += 1
        elif f"The simplest of them is {truth}." in found.verdict:
            simplest += 1
        else:
            undecided += 1
    return Rates(
        scenario.name, truth, count, preferred, simplest, undecided, wrong, wrongly_preferred
    )
