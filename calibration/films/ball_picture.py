r"""The picture of a ball in front of a known background, and its derivatives.

In linear light, with :math:`c` the centre, :math:`R` the radius and :math:`s` the blur,

.. math::

    I = (1 - A) B + g S, \qquad
    A = \frac1T \int \Phi\Big(\frac{R - |x - c(t)|}{s}\Big) dt, \qquad
    S = \frac1T \int \Phi\, F\Big(\frac{x - c(t)}{R}\Big) dt,

where :math:`c(t)` moves during the exposure :math:`T`, :math:`F` is the light of the ball,
:math:`B` that of the background. The film shows :math:`255 I^{1/2.2}`.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

GAMMA = 2.2
"""Tone curve of films: brightness is light to the power of 1/2.2, nearly, for sRGB and BT.709."""

DARKEST = 1e-4
"""Least light: the tone curve is infinitely steep at none."""

POWERS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
"""Powers of the coordinates on the ball in its light."""

MOST_MOMENTS, SPACING = 12, 1.4
"""Instants of an exposure, and how far the ball moves between two, in standard deviations of the
blur."""

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Ball:
    """How the ball looks.

    Attributes:
        radius: [pixels].
        blur: standard deviation of the edge [pixels].
        light: factors of ``POWERS`` of the coordinates on it, which are 1 at its edge.
        exposure: how long light is gathered [s].
    """

    radius: float
    blur: float
    light: Array = field(repr=False)
    exposure: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """Some pixels of a picture and their derivatives, all in linear light.

    Attributes:
        cover: the share of the exposure in which the ball covers each pixel.
        light: of each pixel.
        derivatives: by column and row of the centre, gain, radius, blur and exposure (6, pixels).
    """

    cover: Array = field(repr=False)
    light: Array = field(repr=False)
    derivatives: Array = field(repr=False)


def to_light(grey: NDArray[np.float32] | NDArray[np.uint8], *, full_range: bool) -> Array:
    """Linear light of brightness as the film has it."""
    black, white = (0, 255) if full_range else (16, 235)
    share = (np.asarray(grey, float) - black) / (white - black)
    return np.maximum(share, DARKEST ** (1 / GAMMA)) ** GAMMA


def to_grey(light: Array, *, full_range: bool) -> tuple[Array, Array]:
    """Brightness of linear light, and its derivative."""
    black, white = (0, 255) if full_range else (16, 235)
    share = np.maximum(light, DARKEST) ** (1 / GAMMA)
    slope = (white - black) / GAMMA * share / np.maximum(light, DARKEST)
    return black + (white - black) * share, np.where(light > DARKEST, slope, 0.0)


def render(
    ball: Ball, background: Array, along: Array, down: Array, *, velocity: Array, gain: float
) -> Rendered:
    """The ball in front of the background.

    Args:
        ball: how it looks.
        background: light of some pixels without the ball (n,).
        along: their columns from its centre at the middle of the exposure (n,).
        down: their rows from there (n,).
        velocity: of the ball [pixels/s].
        gain: factor of its light.
    """
    length = float(np.hypot(*velocity)) * ball.exposure
    count = int(np.clip(np.ceil(length / (SPACING * ball.blur)), 1, MOST_MOMENTS))
    shares = (np.arange(count) + 0.5) / count - 0.5
    cover, shine = np.zeros_like(background), np.zeros_like(background)
    derivatives = np.zeros((6, background.size))
    for share in shares:
        x = along - share * ball.exposure * velocity[0]
        y = down - share * ball.exposure * velocity[1]
        distance = np.maximum(np.hypot(x, y), 1e-9)
        inner = (ball.radius - distance) / ball.blur
        inside = ndtr(inner)
        edge = np.exp(-0.5 * inner**2) / (np.sqrt(2 * np.pi) * ball.blur)
        light, by_u, by_v = _light(ball.light, x / ball.radius, y / ball.radius)
        step = edge * (gain * light - background)
        turned = gain / ball.radius * inside
        by_column = step * x / distance - turned * by_u
        by_row = step * y / distance - turned * by_v
        cover += inside
        shine += inside * light
        derivatives[0] += by_column
        derivatives[1] += by_row
        derivatives[3] += step
        derivatives[4] -= step * inner
        if count > 1:
            derivatives[5] += share * (by_column * velocity[0] + by_row * velocity[1])
    cover, shine, derivatives = cover / count, shine / count, derivatives / count
    derivatives[2] = shine
    return Rendered(
        cover=cover, light=(1 - cover) * background + gain * shine, derivatives=derivatives
    )


def _light(factors: Array, u: Array, v: Array) -> tuple[Array, Array, Array]:
    """The light of the ball and its derivatives; beyond its edge as at its edge."""
    beyond = np.maximum(np.hypot(u, v), 1.0)
    u, v = u / beyond, v / beyond
    f = factors
    light = f[0] + f[1] * u + f[2] * v + f[3] * u**2 + f[4] * u * v + f[5] * v**2
    inside = beyond <= 1
    by_u = np.where(inside, f[1] + 2 * f[3] * u + f[4] * v, 0.0)
    by_v = np.where(inside, f[2] + f[4] * u + 2 * f[5] * v, 0.0)
    return np.maximum(light, DARKEST), by_u, by_v


def powers_of(u: Array, v: Array) -> Array:
    """The ``POWERS`` of the coordinates on the ball, as columns."""
    return np.stack([u**a * v**b for a, b in POWERS], axis=-1)
