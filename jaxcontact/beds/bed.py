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
RATE_OF_PERIOD = quantity(
    unit="m/s", label="growth of the length after which a bed repeats itself", symbol="L'"
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
        period_rate: how fast these lengths grow, from ``period`` at time 0 on [m/s]; ``None`` where
            they stay. Spheres keep their velocities, and meet repetitions that move. Not with
            walls, which do not stretch.

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
    period_rate: Period = (None, None, None)
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
        for name, lengths, about in (
            ("period", self.period, LENGTH_OF_PERIOD),
            ("period_rate", self.period_rate, RATE_OF_PERIOD),
        ):
            if type(lengths) is object:
                return
            if not isinstance(lengths, (tuple, list)) or len(lengths) != 3:
                raise TypeError(
                    f"Bed: {name} = {lengths!r} is no three numbers. Give one for each of x, y and "
                    "z, None where there is none: (0.1, 0.1, None)."
                )
            for axis, length in zip("xyz", lengths, strict=True):
                if length is not None:
                    check("Bed", f"{name} in {axis}", length, about)
        for axis, length, rate in zip("xyz", self.period, self.period_rate, strict=True):
            if length is None and rate is not None:
                raise ValueError(
                    f"Bed: period_rate in {axis} = {rate!r} m/s, but period in {axis} is None. "
                    "Give the length, too, or no rate."
                )
        if self.walls and any(rate is not None for rate in self.period_rate):
            raise ValueError(
                f"Bed: period_rate = {self.period_rate!r} m/s is given together with walls. A wall "
                "would have to stretch with the bed: where spheres rub on it they would find it "
                "in another motion one period further on. Leave out either."
            )

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
