"""A sweep over a grid as arrays over that grid."""

from typing import TYPE_CHECKING

from calibration.errors import InputError
from calibration.sweeps.responses import VARIANT

if TYPE_CHECKING:
    import xarray

FACTORS, RESPONSES_KEPT, DESIGN, SCALE = "factors", "responses", "design", "scale"
"""Names of attributes of a store."""


def factors_of(swept: "xarray.Dataset") -> tuple[str, ...]:
    """The names of the factors of a sweep, in the order of its design."""
    return tuple(swept.attrs[FACTORS])


def on_grid(swept: "xarray.Dataset") -> "xarray.Dataset":
    """The dataset of a sweep over a grid with an axis for each factor, in the place of that of the
    variants.

    Args:
        swept: what ``sweep`` returned, or ``xarray.open_zarr`` read.

    Raises:
        InputError: a sweep of another design.

    Example:
        >>> contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8))
        >>> scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.0027), contact=contact)
        >>> import tempfile
        >>> swept = cal.sweeps.sweep(
        ...     scene,
        ...     jc.state(position=(0.0, 0.0, 0.3)),
        ...     [
        ...         cal.sweeps.Levels("contact.normal.restitution", (0.5, 0.8)),
        ...         cal.sweeps.Range("position_z", 0.2, 0.4, levels=3),
        ...     ],
        ...     responses=["rebound_speed"],
        ...     duration=0.4,
        ...     method=jc.Impulse(max_contacts=6),
        ...     store=tempfile.mkdtemp() + "/drops.zarr",
        ... )
        >>> grid = cal.sweeps.on_grid(swept)
        >>> grid.rebound_speed.sel(impact=1, position_z=0.4).values.round(3).tolist()
        [1.365, 2.184]
    """
    if swept.attrs[DESIGN] != "grid":
        raise InputError(
            f"on_grid: this sweep has the design {swept.attrs[DESIGN]!r}",
            remedy='Only one with the design "grid" lies on a grid.',
        )
    names = factors_of(swept)
    if len(names) == 1:
        return swept.swap_dims({VARIANT: names[0]})
    return swept.set_index({VARIANT: names}).unstack(VARIANT)
