"""``sweep_study``: the sweep of a study, into a store."""

import os
from typing import TYPE_CHECKING

from calibration.runtime.progress import Progress
from calibration.studies.study import Study
from calibration.studies.swept.start import starting_point
from calibration.sweeps.design import GRID, Design
from calibration.sweeps.sweep import USUAL, sweep

if TYPE_CHECKING:
    import distributed
    import xarray

VARIANTS = 1024
"""Of a design that is no grid, where no number is given."""


def sweep_study(
    study: Study,
    store: str | os.PathLike[str],
    *,
    progress: Progress | None = None,
    client: "distributed.Client | None" = None,
) -> "xarray.Dataset":
    """Simulate the scene of a study for every variant of its design.

    Args:
        study: with something to vary; its files, if it has any, are not read.
        store: folder; a sweep of the same study that was interrupted there goes on.
        progress: called after each chunk of variants.
        client: of Dask distributed; its workers simulate.

    Returns:
        The store, opened: see ``calibration.sweeps.sweep``.

    Raises:
        InputError: naming the option, and what to do.

    Warns:
        jaxcontact.SimulationWarning: some variants did not succeed.

    Example:
        >>> import tempfile
        >>> import calibration as cal
        >>> study = cal.studies.Study(
        ...     files=(),
        ...     ball=cal.studies.Ball(radius=0.02, mass=0.0027, shell=True),
        ...     sweep=cal.studies.SweepOptions(
        ...         vary={"restitution": (0.5, 0.9)},
        ...         position=(0.0, 0.0, 0.3),
        ...         design="grid",
        ...         duration=0.4,
        ...     ),
        ... )
        >>> swept = cal.studies.sweep_study(study, tempfile.mkdtemp() + "/drops.zarr")
        >>> swept.rebound_speed.sel(impact=1).values.round(3).tolist()
        [1.172, 2.109]
    """
    options = study.sweep
    (scene, state), factors, method = starting_point(study)
    number = options.number
    if number is None and options.design != GRID:
        number = VARIANTS
    return sweep(
        scene,
        state,
        factors,
        store=store,
        duration=options.duration,
        design=Design(options.design, number=number, seed=options.seed),
        responses=options.responses or USUAL,
        impacts=options.impacts,
        method=method,
        progress=progress,
        client=client,
    )
