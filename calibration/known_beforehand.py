"""Estimates that say no more than what was known before the measurement."""

import dataclasses

import numpy as np

from calibration.judgement import Judgement
from calibration.results.result import Determination, Estimate

NO_NEWS = 0.8
"""A standard error of more than this part of that of the prior: the data add next to nothing."""


def without_what_was_known(
    judgement: Judgement, estimates: dict[str, Estimate]
) -> dict[str, Estimate]:
    """The estimates; one to which the data add nothing beside its prior is said to be not
    determined by them.
    """
    found = dict(estimates)
    for unknown in judgement.layout.shared_unknowns:
        estimate = found.get(unknown.name)
        if (
            unknown.prior is None
            or estimate is None
            or estimate.status is not Determination.DETERMINED
        ):
            continue
        # The prior is linear in the value or in its logarithm: its residual changes by one over one
        # standard deviation.
        moved = unknown.prior.residual(estimate.value * (1 + 1e-6)) - unknown.prior.residual(
            estimate.value
        )
        prior_sd = abs(1e-6 * estimate.value / float(moved)) if moved else np.inf
        if estimate.sd > NO_NEWS * prior_sd:
            note = "these data add nothing to what is known of it beforehand, which was used"
            found[unknown.name] = dataclasses.replace(
                estimate, sd=np.inf, status=Determination.NOT_DETERMINED, note=note
            )
    return found
