"""The models of the errors that a study can name. A new one is an entry here, or in a module that
a study names in its extensions.
"""

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

import calibration.noise as noise
from calibration.runtime.registry import Registry
from calibration.studies.choices.named_tables import Choice
from calibration.studies.option import FLAG, POSITIVE, Option, number_above

if TYPE_CHECKING:
    from calibration.noise import NoiseModel

AUTOMATIC = "automatic"
"""Name of the model that holds where none is named."""

STUDENT_T = "student t"
"""Name of the model of errors with heavy tails."""


@dataclasses.dataclass(frozen=True)
class NoiseChoice(Choice):
    """A noise model as a study names it.

    Attributes:
        name: in study files and on the command line.
        make: the model, from its values as keyword arguments.
        values: that it takes, by key.
        needs: keys that must be given.

    Example:
        >>> import calibration as cal
        >>> robust = cal.studies.NoiseChoice(name="robust", make=lambda: cal.noise.Huber(1.5))
        >>> robust.make().threshold
        1.5
    """

    make: Callable[..., "NoiseModel"]


NOISE_MODELS: Registry[NoiseChoice] = Registry(NoiseChoice, "noise model")
"""By name; study files choose one with ``noise``.

Example:
    >>> import calibration as cal
    >>> cal.studies.NOISE_MODELS["student t"].make(degrees=5.0)
    StudentT(degrees=5.0, estimated=None)
"""

_ESTIMATED = Option(
    "whether the size is found from the residuals; where no sigma is stated when left out", FLAG
)

# Each class is looked up when it is made: it imports JAX, for which help texts do not wait.
NOISE_MODELS.register(NoiseChoice(AUTOMATIC, lambda: noise.Automatic()))
NOISE_MODELS.register(NoiseChoice("known", lambda: noise.Known()))
NOISE_MODELS.register(NoiseChoice("estimated", lambda: noise.Estimated()))
NOISE_MODELS.register(
    NoiseChoice(
        STUDENT_T,
        lambda **given: noise.StudentT(**given),
        {
            "degrees": Option(
                "degrees of freedom [-]", number_above(1, included=True), default=4.0
            ),
            "estimated": _ESTIMATED,
        },
    )
)
NOISE_MODELS.register(
    NoiseChoice(
        "huber",
        lambda **given: noise.Huber(**given),
        {
            "threshold": Option(
                "standard deviations from which on errors weigh linearly [-]",
                POSITIVE,
                default=1.345,
            ),
            "estimated": _ESTIMATED,
        },
    )
)
NOISE_MODELS.register(
    NoiseChoice(
        "correlated",
        lambda **given: noise.Correlated(**given),
        {
            "time": Option("correlation time [s]; found when left out", POSITIVE),
            "estimated": _ESTIMATED,
        },
    )
)
