"""A bed: spheres, walls, the model of all contacts, gravity."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.beds.contact_models import SphereContact
from jaxcontact.beds.periods import Period
from jaxcontact.beds.rolling import ElasticPlasticRolling
from jaxcontact.numerics.smooth import Vector
from jaxcontact.parameters import Replaceable, check, is_concrete, model, parameter, quantity
from jaxcontact.scene.bodies import Spheres
from jaxcontact.surfaces.base import Surface

LENGTH_OF_PERIOD = quantity(
    unit="m",
    label="length after which a bed repeats itself",
    symbol="L",
    interval="(0, inf)",
    transform="log",
    remedy="Give None where nothing repeats.",
)


@model
class Bed(Replaceable):
    """Many spheres between walls, with one contact model.

    Args:
        spheres: from ``spheres``: radius and mass or density, one for all or one for each.
        contact: ``LinearSpringDashpot`` or ``HertzMindlin``, of spheres and walls alike.
        walls: surfaces; with a ``PrescribedMotion`` they move. Planes cost least.
        rolling: rolling resistance of spheres and walls alike; ``None``: without.
        period: lengths in x, y and z after which the bed repeats itself, walls and all [m];
            ``None`` where it does not. At least three times the largest diameter and the reach of
            the lists beyond it (``BedSizes.skin``).

    Example:
        >>> bed = jc.Bed(
        ...     spheres=jc.spheres(radius=5e-3, density=2500.0),
        ...     contact=jc.LinearSpringDashpot(stiffness=1e4, restitution=0.8, coefficient=0.5),
        ...     walls=(jc.Plane(),),
        ... )
        >>> start = jc.state(position=[(0.0, 0.0, 0.006), (0.0, 0.001, 0.017)])
        >>> result = jc.simulate_bed(bed, start, [0.0, 0.1])
        >>> result
        <BedTrajectory: 2 times, 2 spheres, SUCCESS>
    """

    spheres: Spheres
    contact: SphereContact
    walls: tuple[Surface, ...] = ()
    rolling: ElasticPlasticRolling | None = None
    period: Period = (None, None, None)
    gravity: Vector = parameter(
        unit="m/s^2",
        label="acceleration of gravity",
        symbol="g",
        shape=(3,),
        default=(0.0, 0.0, -9.81),
    )

    def __post_init__(self) -> None:
        wanted = {"spheres": Spheres, "contact": SphereContact}
        remedy = {
            "spheres": "Make them with spheres(radius=..., density=...).",
            "contact": "Give a LinearSpringDashpot or HertzMindlin.",
        }
        for name, kind in wanted.items():
            value = {"spheres": self.spheres, "contact": self.contact}[name]
            if not isinstance(value, kind) and type(value) is not object:
                raise TypeError(f"Bed: {name} = {value!r} is no {kind.__name__}. {remedy[name]}")
        for index, wall in enumerate(self.walls):
            if not isinstance(wall, Surface) and type(wall) is not object:
                raise TypeError(
                    f"Bed: walls[{index}] = {wall!r} is no surface, such as Plane or Cylinder."
                )
        kinds = (ElasticPlasticRolling, type(None))
        if not isinstance(self.rolling, kinds) and type(self.rolling) is not object:
            raise TypeError(
                f"Bed: rolling = {self.rolling!r} is no ElasticPlasticRolling. RollingSpring and "
                "RollingResistance are of single contacts, for simulate."
            )
        if type(self.period) is object:
            return
        if not isinstance(self.period, (tuple, list)) or len(self.period) != 3:
            raise TypeError(
                f"Bed: period = {self.period!r} is no three lengths. Give one for each of x, y and "
                "z, None where nothing repeats: (0.1, 0.1, None)."
            )
        for axis, length in zip("xyz", self.period, strict=True):
            if length is not None:
                check("Bed", f"period in {axis}", length, LENGTH_OF_PERIOD)

    @property
    def gravity_vector(self) -> jax.Array:
        """``(3,)`` [m/s^2]."""
        return jnp.asarray(self.gravity, dtype=float)


def check_bed(bed: Bed, bodies: int) -> None:
    """Raises where the spheres of a bed are not as many as those of the initial state."""
    for name in ("radius", "mass", "inertia_ratio"):
        value = {
            "radius": bed.spheres.radius,
            "mass": bed.spheres.mass,
            "inertia_ratio": bed.spheres.inertia_ratio,
        }[name]
        given = np.size(value) if is_concrete(value) else jnp.size(jnp.asarray(value))
        if given not in (1, bodies):
            raise ValueError(
                f"simulate_bed: bed.spheres.{name} has {given} values, but the initial state has "
                f"{bodies} spheres."
            )
