"""Forward or reverse mode: whichever costs less for the numbers of inputs and outputs.

Costs in units of one simulation, all directions in one batch, measured with twelve bounces of one
sphere on two cores. Forward: 5 with 8 inputs, 16 with 32, 18 with 64. Reverse: 14 with 1 output and
with 16, 50 with 100, 260 with 400. A misfit, which is one output, therefore takes reverse mode from
34 inputs on.
"""

from typing import Any

from jaxcontact.parameters import nearest

MODES = ("forward", "reverse")

FORWARD = (1.0, 0.35)
"""Cost of forward mode: of the simulation, and of each input."""

REVERSE = (12.0, 0.6)
"""Cost of reverse mode: of the simulation there and back, and of each output."""


def check_mode(owner: str, mode: Any) -> None:
    """Raise ``ValueError`` unless ``mode`` is one of ``MODES`` or ``None``."""
    if mode is not None and mode not in MODES:
        raise ValueError(
            f"{owner}: mode = {mode!r} is not known.{nearest(str(mode), MODES)} None takes "
            "the one that costs less."
        )


def cheaper_mode(inputs: int, outputs: int) -> str:
    """``"forward"`` where it costs at most as much as ``"reverse"``."""
    forward, reverse = (
        once + each * count for (once, each), count in ((FORWARD, inputs), (REVERSE, outputs))
    )
    return "forward" if forward <= reverse else "reverse"
