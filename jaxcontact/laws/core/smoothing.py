"""One measure of how far the corners of a contact are rounded off: in length, speed and share."""

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.numerics.smooth import Real, smooth_step
from jaxcontact.parameters import Replaceable, model, of


@model
class Smoothing(Replaceable):
    """How far the corners and jumps of a contact are rounded off: ``smooth=Smoothing(...)`` of the
    contacts of all programs in ``jaxcontact.systems``.

    The smooth force has two continuous derivatives. It differs from the documented one

    - at touch-down by the factor ``smooth_step(d, overlap)``, which multiplies all forces and
      torques: 0 without overlap ``d``, 1 from ``d = overlap`` on, so that nothing changes there;
    - at zero velocity by at most its size while the velocity is below ``speed``;
    - where one of two forces takes over from the other by at most ``share`` of them.

    The page of each program says what that means for each corner. All differences go to zero with
    ``scaled(factor)`` as the factor does, but at a jump, where it is the layer that shrinks.

    Attributes:
        overlap: over which the forces set in [m]; well below the overlap of a contact that bears
            its load, since a contact is softer below it.
        speed: over which the velocity of slip or approach changes its sign [m/s]; of a rotation,
            that of the surface.
        share: of the force over which a limit, a cut or a branch is rounded off [-].

    Example:
        >>> smooth = jc.Smoothing(overlap=1e-6, speed=1e-3, share=0.01)
        >>> smooth.scaled(0.5).overlap
        5e-07
    """

    overlap: Real = of(QUANTITIES["ramp_overlap"].called("overlap"))
    speed: Real = of(QUANTITIES["ramp_speed"].called("speed"))
    share: Real = of(QUANTITIES["smoothing"].called("share"))

    def scaled(self, factor: Real) -> "Smoothing":
        """The same with all three multiplied by a positive ``factor`` [-]."""
        return Smoothing(
            overlap=self.overlap * factor, speed=self.speed * factor, share=self.share * factor
        )

    def gate(self, overlap: Real) -> jax.Array:
        """Share of the forces that acts at an ``overlap`` [m], from 0 to 1; ``(...)``."""
        return smooth_step(overlap, self.overlap)

    def within(self, overlap: Real) -> jax.Array:
        """``overlap`` [m] but where the gate is shut to rounding, and fractional powers of it would
        have derivatives without bound; ``(...)``.
        """
        overlap = jnp.asarray(overlap)
        least = jnp.finfo(overlap.dtype).eps * self.overlap
        return jnp.where(overlap > least, overlap, least)


def onset_of(smooth: Smoothing | None) -> Real | None:
    """Overlap over which all forces set in [m]; ``None`` where they are whole at once."""
    return None if smooth is None else smooth.overlap


def check_smoothing(owner: str, smooth: object) -> None:
    """Raise ``TypeError`` unless ``smooth`` is a ``Smoothing`` or ``None``."""
    if smooth is not None and not isinstance(smooth, Smoothing):
        raise TypeError(
            f"{owner}: smooth = {smooth!r} is not a Smoothing. Give "
            "jc.Smoothing(overlap=..., speed=..., share=...), or None for the documented form."
        )


def gated(smooth: Smoothing | None, overlap: Real, *parts: jax.Array) -> tuple[jax.Array, ...]:
    """Forces and torques that act at ``overlap`` [m], each ``(..., k)`` or ``(...)``: as they are
    without ``smooth``, else behind its gate.
    """
    if smooth is None:
        return parts
    gate = smooth.gate(overlap)
    return tuple(
        part * (gate if jnp.ndim(part) == jnp.ndim(gate) else gate[..., None]) for part in parts
    )
