"""The conformance check of a surface."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from jaxcontact.surfaces.base import Borders, Surface, SurfacePoint
from jaxcontact.testing.hooks import refusing_untraceable
from jaxcontact.testing.model import assert_close, check_copies
from jaxcontact.testing.precision import require_double_precision

COUNT = 64
"""Centres of spheres at which a surface is checked."""

WAY_PIECES, HALVINGS = 64, 20
"""Each way between centres is searched for jumps in so many pieces, one of which is halved so many
times, to a length of less than 1e-7 m.
"""

JUMP, NOT_THERE = 1e-3, 0.02
"""Least change of the normal [-] and of its derivative [1/m] in that length that is a jump, of
centres that are not so close to the surface [m], where curvatures know no bounds.
"""

AT_BORDER = 1e-7
"""Distance from a border [m] that is rounding: of two parts that touch, which one is closer is told
by a difference of second order.
"""


def check_surface(
    surface: Surface,
    *,
    centers: ArrayLike | None = None,
    time: float = 0.3,
    tolerance: float = 1e-9,
) -> None:
    """Check that a surface keeps what every surface must keep.

    The normal is a unit vector and the gradient of the distance; the point reported lies on the
    surface; the distance is that to one set of points (it changes by no more than the centre
    moves); it falls as fast as the surface moves towards the centre; where its curvature jumps and
    the normal does not, one of its ``borders`` is passed; derivatives in forward and in
    reverse mode agree, second ones are finite; single precision stays single; the copy of a
    surface from a pickle is equal to it.

    Args:
        surface: to be checked.
        centers: centres of spheres ``(n, 3)`` [m], where the distance is smooth; random ones in a
            cube of half width 2 m about the origin when left out.
        time: [s], for a surface that moves.
        tolerance: largest error, in metres and in units of 1.

    Raises:
        AssertionError: naming the surface, the property and the centre where it does not hold.
        RuntimeError: JAX does not compute in double precision.

    Example:
        >>> import jax
        >>> import jaxcontact as jc
        >>> jax.config.update("jax_enable_x64", True)
        >>> jc.testing.check_surface(jc.Sphere(center=(0.0, 0.0, 0.0), radius=0.5))
    """
    require_double_precision("check_surface")
    name = type(surface).__name__
    if not isinstance(surface, Surface):
        raise AssertionError(f"{name} does not inherit from jaxcontact.surfaces.Surface.")
    check_copies(surface)
    if centers is None:
        centers = np.random.default_rng(0).uniform(-2.0, 2.0, size=(COUNT, 3))
    centers = np.asarray(centers, dtype=float)

    @jax.jit
    @jax.vmap
    def everything(center: jax.Array) -> tuple[SurfacePoint, SurfacePoint, SurfacePoint, Any, Any]:
        def at_center(center: jax.Array) -> SurfacePoint:
            return surface.closest(center, time)

        now = jnp.asarray(time, dtype=float)
        point, by_time = jax.jvp(
            lambda t: surface.closest(center, t), (now,), (jnp.ones_like(now),)
        )
        reverse = jax.grad(lambda center: at_center(center).distance)(center)
        back = at_center(point.point).distance
        return point, jax.jacfwd(at_center)(center), by_time, reverse, back

    with refusing_untraceable(name):
        point, by_center, by_time, reverse, back = jax.tree.map(np.asarray, everything(centers))
    for what, value in (*point._asdict().items(), ("derivative", by_center.normal)):
        bad = ~np.isfinite(value).reshape(len(centers), -1).all(axis=1)
        assert not bad.any(), f"{name}: {what} is not finite at the centre {centers[bad][:1]}"

    def compare(found: Any, expected: Any, what: str) -> None:
        found, expected = np.asarray(found), np.asarray(expected)
        error = np.abs(found - expected).reshape(len(centers), -1).max(axis=1)
        worst = int(np.argmax(error))
        assert_close(
            found[worst],
            expected[worst],
            scale=1.0,
            what=f"{name}: {what} at the centre {centers[worst]}",
            tolerance=tolerance,
        )

    compare(np.linalg.norm(point.normal, axis=-1), np.ones(len(centers)), "the length of normal")
    compare(by_center.distance, point.normal, "the gradient of the distance")
    compare(reverse, point.normal, "the gradient of the distance in reverse mode")
    compare(
        point.point, centers - point.distance[:, None] * point.normal, "the point of the surface"
    )
    compare(back, np.zeros(len(centers)), "the distance of the reported point")
    approach = -np.sum(point.velocity * point.normal, axis=-1)
    compare(by_time.distance, approach, "the rate of the distance")
    apart = np.linalg.norm(centers[:, None] - centers[None], axis=-1)
    change = np.abs(np.abs(point.distance)[:, None] - np.abs(point.distance)[None])
    assert np.all(change <= apart + tolerance), (
        f"{name}: the distance changes by more than the centre moves, by {np.max(change - apart)} m"
    )
    _check_borders(surface, name, centers, time)
    _check_single_precision(surface, name, jnp.asarray(centers, jnp.float32))


class _Seen(NamedTuple):
    """From one centre: distance, normal, its derivative by the centre, and the borders."""

    distance: jax.Array
    normal: jax.Array
    bend: jax.Array
    borders: Borders


def _check_borders(surface: Surface, name: str, centers: np.ndarray, time: float) -> None:
    """Where the derivative of the normal jumps on the way from centre to centre, a border lies."""

    @jax.jit
    @jax.vmap
    def seen(center: jax.Array) -> Any:
        at, slope = surface.closest(center, time), jax.jacfwd(surface.closest)(center, time)
        return _Seen(at.distance, at.normal, slope.normal, surface.borders(center, time))

    def seen_at(shares: np.ndarray) -> _Seen:
        """At shares ``(ways, n)`` of all ways."""
        places = centers[:-1, None] + shares[..., None] * np.diff(centers, axis=0)[:, None]
        flat = seen(places.reshape(-1, 3))
        return jax.tree.map(lambda x: np.reshape(x, (*shares.shape, *x.shape[1:])), flat)

    def largest(values: ArrayLike) -> np.ndarray:
        """Change from each place to the next, ``(ways, n - 1)``."""
        change = np.abs(np.diff(values, axis=1))
        return change.reshape(*change.shape[:2], -1).max(axis=-1)

    low, width, changes = np.zeros(len(centers) - 1), 1.0, []
    for pieces in (WAY_PIECES, *(2,) * HALVINGS):
        width /= pieces
        change = largest(seen_at(low[:, None] + width * np.arange(pieces + 1)).bend)
        low = low + width * np.argmax(change, axis=1)
        changes.append(np.max(change, axis=1))
    both = seen_at(np.stack([low, low + width], axis=1))
    # What is steep changes in proportion to the length, what jumps does not.
    jumps = (changes[-1] > JUMP) & (changes[-1] > changes[-1 - HALVINGS // 4] / 2)
    jumps &= (largest(both.normal)[:, 0] < JUMP) & (both.distance[:, 0] > NOT_THERE)
    distance, ends = both.borders
    crossed = (distance[:, 0] > 0) != (distance[:, 1] > 0)
    passed = ends[:, 0] & (crossed | (np.abs(distance[:, 0]) < AT_BORDER))
    missed = jumps & ~np.any(passed, axis=1)
    place = centers[:-1] + low[:, None] * np.diff(centers, axis=0)
    assert not missed.any(), (
        f"{name}: the curvature jumps at the centre {place[missed][:1]}, where none of its borders "
        "is. Derivatives of a contact that passes there would be inexact. Let borders_at_rest "
        "return what is zero there, as jaxcontact.surfaces.Borders."
    )


def _check_single_precision(surface: Surface, name: str, centers: jax.Array) -> None:
    """Single precision in, the same single precision out."""
    point = jax.jit(jax.vmap(lambda center: surface.closest(center, jnp.float32(0.0))))(centers)
    for what, value in point._asdict().items():
        assert value.dtype == jnp.float32, f"{name}: {what} of single precision is {value.dtype}"
        assert np.all(np.isfinite(value)), f"{name}: {what} is not finite in single precision"
