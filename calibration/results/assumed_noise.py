"""What was assumed of the errors of a measurement, and how much of it took part in the fit."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class AssumedNoise:
    """Noise of one measured quantity.

    Attributes:
        quantity: what was measured, with its unit.
        model: name of the noise model.
        about: what that model assumes, one sentence.
        origin: where the standard deviations come from: ``"stated"`` with the data, ``"found"``
            from them, ``"finest"`` where they scatter by less than any instrument errs, or
            ``"guessed"``.
        sigma: smallest and largest standard deviation that was used, in the unit of the quantity;
            NaN where no number was used.
        used: how many numbers took part in the fit.
        given: how many were measured.

    Example:
        >>> import calibration as cal
        >>> noise = cal.results.AssumedNoise(
        ...     quantity="z [m]",
        ...     model="Automatic",
        ...     about="Believe stated standard deviations until the residuals contradict them.",
        ...     origin="found",
        ...     sigma=(4e-4, 5e-4),
        ...     used=443,
        ...     given=448,
        ... )
        >>> f"{noise.share:.1%}"
        '98.9%'
    """

    quantity: str
    model: str
    about: str
    origin: str
    sigma: tuple[float, float]
    used: int
    given: int

    @property
    def share(self) -> float:
        """Part of the numbers that took part, in [0, 1]."""
        return self.used / self.given if self.given else 0.0
