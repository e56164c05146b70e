"""Declarations that several surfaces share."""

from jaxcontact.numerics.smooth import Real, Vector
from jaxcontact.parameters import parameter


def length(label: str, *, symbol: str = "l") -> Real:
    """A positive length [m]."""
    return parameter(unit="m", label=label, symbol=symbol, interval="(0, inf)", transform="log")


def point(label: str, *, symbol: str = "x", default: Vector = (0.0, 0.0, 0.0)) -> Vector:
    """A point [m], ``(3,)``."""
    return parameter(unit="m", label=label, symbol=symbol, shape=(3,), default=default)


def orientation() -> Vector:
    """Rotation vector [rad], ``(3,)``, that turns the axes of the scene into those of the shape."""
    return parameter(
        unit="rad",
        label="rotation vector of the axes of the shape",
        symbol="theta",
        shape=(3,),
        default=(0.0, 0.0, 0.0),
    )
