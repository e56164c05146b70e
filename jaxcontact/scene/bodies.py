"""Rigid bodies: spheres, and clumps of spheres with any inertia."""

import math
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.numerics.smooth import Real, Vector, Vectors
from jaxcontact.parameters import is_concrete, model, parameter, static

SOLID_SPHERE = 2 / 5
THIN_SHELL = 2 / 3
SOLID_DISC = 1 / 2
"""Moments of inertia over mass and squared radius."""


@model
class Spheres:
    """Rigid spheres; every parameter a scalar (one sphere) or one value for each sphere.

    The moment of inertia about any axis through the centre is ``inertia_ratio * mass * radius**2``:
    2/5 for a solid sphere, 2/3 for a thin shell such as a table-tennis ball.

    Example:
        >>> steel = jc.Spheres(radius=0.01, mass=0.0327)
        >>> print(f"{steel.moment_of_inertia:.3g} kg m^2")
        1.31e-06 kg m^2
    """

    radius: Real = parameter(
        unit="m", label="radius", symbol="R", interval="(0, inf)", transform="log"
    )
    mass: Real = parameter(
        unit="kg", label="mass", symbol="m", interval="(0, inf)", transform="log"
    )
    inertia_ratio: Real = parameter(
        unit="-",
        label="moment of inertia over m R^2",
        symbol="kappa",
        interval="(0, 0.6666666666666667]",
        transform="logit",
        default=SOLID_SPHERE,
        remedy="A solid sphere has 2/5, a thin shell 2/3.",
    )

    @property
    def moment_of_inertia(self) -> Real:
        """Moment of inertia about the centre [kg m^2]."""
        return self.inertia_ratio * self.mass * self.radius**2

    @property
    def tangential_mass(self) -> Real:
        """Mass that resists a tangential impulse at the contact point, ``m_t = 1 / (1/m + R^2/I)``
        [kg].
        """
        return self.mass * self.inertia_ratio / (1 + self.inertia_ratio)


def spheres(
    *,
    radius: Vector,
    mass: Vector | None = None,
    density: Vector | None = None,
    shell: bool = False,
) -> Spheres:
    """Spheres of given ``radius`` [m] and either ``mass`` [kg] or ``density`` [kg/m^3].

    Args:
        radius: radius [m]; of several spheres (bodies,), or one for all.
        mass: mass [kg], likewise.
        density: density of a solid sphere [kg/m^3], likewise; excludes ``mass`` and ``shell``.
        shell: thin spherical shell (table-tennis ball) instead of a solid sphere.

    Returns:
        One or several spheres.

    Raises:
        ValueError: not exactly one of ``mass`` and ``density`` is given, or a number is outside its
            interval.

    Example:
        >>> ball = jc.spheres(radius=0.02, mass=2.7e-3, shell=True)
        >>> print(f"I = {ball.inertia_ratio:.3f} m R^2")
        I = 0.667 m R^2
    """
    not_one = "spheres: give exactly one of mass [kg] and density [kg/m^3]."
    if mass is not None:
        if density is not None:
            raise ValueError(not_one)
    elif density is None:
        raise ValueError(not_one)
    elif shell:
        raise ValueError(
            "spheres: density = ... with shell=True is ambiguous, the wall thickness is "
            "unknown. Give mass [kg] instead."
        )
    else:
        if is_concrete(density) and not np.all(np.asarray(density) > 0):
            raise ValueError(f"spheres: density = {density} kg/m^3 is outside (0, inf).")
        size = np.asarray(radius) if is_concrete(radius) else jnp.asarray(radius)
        mass = as_numbers(density) * (4 / 3 * math.pi) * size**3
    return Spheres(
        radius=as_numbers(radius),
        mass=as_numbers(mass),
        inertia_ratio=THIN_SHELL if shell else SOLID_SPHERE,
    )


def as_numbers(given: Vector) -> Real:
    """An array of what was given as a list or a tuple; else what was given."""
    if isinstance(given, list | tuple):
        several = any(isinstance(number, jax.Array) for number in given)
        return jnp.asarray(given) if several else np.asarray(given)
    return cast(Real, given)


@model
class Clumps:
    """Rigid bodies, each made of member spheres that touch what comes near; the members of one body
    do not touch each other.

    Args:
        offset: of each member's centre from the centre of mass of its body, in body axes
            ``(members, 3)``.
        radius: of each member ``(members,)``.
        mass: of each body ``(bodies,)``.
        inertia: tensor of inertia of each body about its centre of mass, in body axes ``(bodies, 3,
            3)``, symmetric, positive definite.
        of_body: index of the body of each member.

    Example:
        >>> dumbbell = jc.clump(
        ...     offset=((-0.01, 0.0, 0.0), (0.01, 0.0, 0.0)),
        ...     radius=0.01,
        ...     mass=0.02,
        ...     inertia=(1e-6, 3e-6, 3e-6),
        ... )
        >>> isinstance(dumbbell, jc.Clumps)
        True
        >>> print(dumbbell.of_body, dumbbell.radius)
        (0, 0) [0.01 0.01]
    """

    offset: Vectors = parameter(
        unit="m", label="offset of a member from the centre of mass", symbol="o", shape=(3,)
    )
    radius: Real = parameter(
        unit="m", label="radius of a member", symbol="R", interval="(0, inf)", transform="log"
    )
    mass: Real = parameter(
        unit="kg", label="mass", symbol="m", interval="(0, inf)", transform="log"
    )
    inertia: Vectors = parameter(unit="kg m^2", label="tensor of inertia", symbol="I", shape=(3, 3))
    of_body: tuple[int, ...] = static()

    def __post_init__(self) -> None:
        members, count = len(self.of_body), max(self.of_body, default=-1) + 1
        if sorted(set(self.of_body)) != list(range(count)) or count == 0:
            raise ValueError(
                f"Clumps: of_body = {self.of_body} must name each of the bodies 0, 1, ... at "
                "least once."
            )
        for name, rank, wanted in (
            ("offset", 2, members),
            ("radius", 1, members),
            ("mass", 1, count),
            ("inertia", 3, count),
        ):
            value = getattr(self, name)
            if hasattr(value, "shape") and (value.ndim != rank or value.shape[0] != wanted):
                raise ValueError(
                    f"Clumps: {name} has shape {value.shape}; of_body has {members} members "
                    f"of {count} bodies. Use clump()."
                )
        if is_concrete(self.inertia):
            tensor = np.asarray(self.inertia)
            symmetric = np.allclose(tensor, np.swapaxes(tensor, -1, -2), rtol=1e-9, atol=0.0)
            if not symmetric or np.any(np.linalg.eigvalsh(tensor) <= 0.0):
                raise ValueError(
                    "Clumps: inertia is not symmetric and positive definite. Give three "
                    "principal moments or the whole tensor."
                )


def clump(
    *,
    offset: Vectors,
    radius: Vector,
    mass: Real,
    inertia: Vectors,
) -> Clumps:
    """One rigid body made of spheres.

    Args:
        offset: of each member's centre from the centre of mass, in body axes [m], ``(members, 3)``.
        radius: of the members [m], a scalar or ``(members,)``.
        mass: of the body [kg].
        inertia: about the centre of mass in body axes [kg m^2]: a scalar, three principal moments
            or the tensor ``(3, 3)``.

    Returns:
        One body with its members, in its own axes.

    Raises:
        ValueError: ``offset`` or ``inertia`` has another shape, or a number is outside its
            interval.

    Example:
        >>> dumbbell = jc.clump(
        ...     offset=((-0.01, 0.0, 0.0), (0.01, 0.0, 0.0)),
        ...     radius=0.01,
        ...     mass=0.02,
        ...     inertia=(1e-6, 3e-6, 3e-6),
        ... )
        >>> print(dumbbell.offset.shape, dumbbell.inertia.shape)
        (2, 3) (1, 3, 3)
    """
    centres = np.asarray(offset, dtype=float) if is_concrete(offset) else jnp.asarray(offset)
    if centres.ndim != 2 or centres.shape[1] != 3:
        raise ValueError(f"clump: offset has shape {centres.shape}, but must be (members, 3).")
    members = centres.shape[0]
    numbers = np if is_concrete((radius, mass, inertia)) else jnp
    radii = numbers.broadcast_to(numbers.asarray(radius, dtype=float), (members,))
    tensor = numbers.asarray(inertia, dtype=float)
    if tensor.shape in ((), (3,)):
        tensor = numbers.eye(3) * tensor
    if tensor.shape != (3, 3):
        raise ValueError(
            f"clump: inertia has shape {tensor.shape}. Give a scalar, three principal "
            "moments or a tensor (3, 3)."
        )
    mass = numbers.reshape(numbers.asarray(mass, dtype=float), (1,))
    return Clumps(
        offset=centres, radius=radii, mass=mass, inertia=tensor[None], of_body=(0,) * members
    )


def cube(
    *,
    half_width: Real,
    mass: Real,
    corner_radius: Real | None = None,
    inertia: Real | None = None,
) -> Clumps:
    """A cube: eight corner spheres that touch its faces from inside. It is rounded at its corners,
    and touches with nothing else.

    Args:
        half_width: half the length of an edge [m].
        mass: [kg].
        corner_radius: of the corner spheres [m]; ``half_width / 20`` when left out.
        inertia: about any axis [kg m^2]; ``2/3 m half_width^2``, that of a homogeneous cube, when
            left out.

    Returns:
        One body with eight members.

    Raises:
        ValueError: ``corner_radius`` is outside (0, ``half_width``], or a number is outside its
            interval.

    Example:
        >>> die = jc.cube(half_width=0.008, mass=0.0042)
        >>> print(die.offset.shape, f"{die.inertia[0, 0, 0]:.3g} kg m^2")
        (8, 3) 1.79e-07 kg m^2
    """
    return box(
        half_widths=half_width * np.ones(3), mass=mass, corner_radius=corner_radius, inertia=inertia
    )


def box(
    *,
    half_widths: Vector,
    mass: Real,
    corner_radius: Real | None = None,
    inertia: Vectors | None = None,
) -> Clumps:
    """A box: eight corner spheres that touch its faces from inside. It is rounded at its corners,
    and touches with nothing else.

    Args:
        half_widths: half the lengths of the edges along the axes of the body [m], ``(3,)``.
        mass: [kg].
        corner_radius: of the corner spheres [m]; a twentieth of the least half width when left out.
        inertia: about the centre in body axes [kg m^2]: a scalar, three principal moments or the
            tensor ``(3, 3)``; that of a homogeneous box, ``m/3 (b^2 + c^2)`` about the edges of
            half the length a, when left out.

    Returns:
        One body with eight members.

    Raises:
        ValueError: ``half_widths`` has another shape, ``corner_radius`` is outside (0, least half
            width], or a number is outside its interval.

    Example:
        >>> brick = jc.box(half_widths=(0.1, 0.05, 0.025), mass=2.0)
        >>> print(brick.radius[0], np.diag(brick.inertia[0]).round(5))
        0.00125 [0.00208 0.00708 0.00833]
    """
    numbers = np if is_concrete((half_widths, mass)) else jnp
    half = numbers.asarray(half_widths, dtype=float)
    if half.shape != (3,):
        raise ValueError(f"box: half_widths has shape {half.shape}, but must be (3,).")
    least = numbers.min(half)
    corner_radius = least / 20 if corner_radius is None else corner_radius
    if is_concrete((half_widths, corner_radius)) and not 0 < corner_radius <= least:
        raise ValueError(
            f"box: corner_radius = {corner_radius} m is outside (0, half width = {least} m]."
        )
    if inertia is None:
        inertia = mass / 3 * (numbers.sum(half**2) - half**2)
    signs = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    return clump(
        offset=signs * (half - corner_radius), radius=corner_radius, mass=mass, inertia=inertia
    )


def together(*bodies: Spheres | Clumps) -> Clumps:
    """Bodies of different make in one scene, numbered in the order given.

    Args:
        bodies: spheres (one or several in each argument) and clumps.

    Returns:
        All bodies in one model.

    Raises:
        ValueError: no body is given.

    Example:
        >>> ball = jc.spheres(radius=0.01, mass=0.01)
        >>> bodies = jc.together(ball, jc.cube(half_width=0.01, mass=0.02))
        >>> print(bodies.mass, bodies.of_body)
        [0.01 0.02] (0, 1, 1, 1, 1, 1, 1, 1, 1)
    """
    if not bodies:
        raise ValueError("together: give at least one body.")
    parts = [as_clumps(body) for body in bodies]
    first = np.cumsum([0] + [max(part.of_body) + 1 for part in parts])
    numbers = (
        np
        if is_concrete([(part.offset, part.radius, part.mass, part.inertia) for part in parts])
        else jnp
    )

    def joined(name: str) -> Any:
        return numbers.concatenate([numbers.asarray(getattr(part, name)) for part in parts])

    of_body = tuple(
        int(start) + index
        for start, part in zip(first, parts, strict=False)
        for index in part.of_body
    )
    return Clumps(
        offset=joined("offset"),
        radius=joined("radius"),
        mass=joined("mass"),
        inertia=joined("inertia"),
        of_body=of_body,
    )


def as_clumps(bodies: Spheres | Clumps, count: int | None = None) -> Clumps:
    """Spheres as clumps of one member each; clumps as they are.

    Args:
        bodies: any.
        count: number of spheres, where every parameter is a scalar.
    """
    if isinstance(bodies, Clumps):
        return bodies
    given = (bodies.radius, bodies.mass, bodies.inertia_ratio)
    numbers = np if is_concrete(given) else jnp
    count = max(np.size(value) for value in given) if count is None else count
    radius, mass, ratio = (
        numbers.broadcast_to(numbers.asarray(value, dtype=float), (count,)) for value in given
    )
    moment = ratio * mass * radius**2
    return Clumps(
        offset=numbers.zeros((count, 3)),
        radius=radius,
        mass=mass,
        inertia=moment[:, None, None] * numbers.eye(3),
        of_body=tuple(range(count)),
    )
