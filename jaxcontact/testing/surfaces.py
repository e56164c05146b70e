"""The conformance check of a surface."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from jaxcontact.surfaces.base import Surface, SurfacePoint
from jaxcontact.testing.hooks import refusing_untraceable
from jaxcontact.testing.model import assert_close, check_copies
from jaxcontact.testing.precision import require_double_precision

COUNT = 64
"""Centres of spheres at which a surface is checked."""


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
    moves); it falls as fast as the surface moves towards the centre; derivatives in forward and in
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
    _check_single_precision(surface, name, jnp.asarray(centers, jnp.float32))


def _check_single_precision(surface: Surface, name: str, centers: jax.Array) -> None:
    """Single precision in, the same single precision out."""
    point = jax.jit(jax.vmap(lambda center: surface.closest(center, jnp.float32(0.0))))(centers)
    for what, value in point._asdict().items():
        assert value.dtype == jnp.float32, f"{name}: {what} of single precision is {value.dtype}"
        assert np.all(np.isfinite(value)), f"{name}: {what} is not finite in single precision"
