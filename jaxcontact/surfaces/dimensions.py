"""Declarations that several surfaces share."""

from typing import Any

from numpy.typing import ArrayLike

from jaxcontact.parameters import parameter


def length(label: str, *, symbol: str = "l") -> Any:
    """A positive length [m]."""
    return parameter(unit="m", label=label, symbol=symbol, interval="(0, inf)", transform="log")


def point(label: str, *, symbol: str = "x", default: ArrayLike = (0.0, 0.0, 0.0)) -> Any:
    """A point [m], ``(3,)``."""
    return parameter(unit="m", label=label, symbol=symbol, shape=(3,), default=default)


def orientation() -> Any:
    """Rotation vector [rad], ``(3,)``, that turns the axes of the scene into those of the shape."""
    return parameter(
        unit="rad",
        label="rotation vector of the axes of the shape",
        symbol="theta",
        shape=(3,),
        default=(0.0, 0.0, 0.0),
    )
