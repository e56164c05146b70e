"""A recording that moves the result more than the others allow."""

import dataclasses

from calibration.results.numbers import rounded_like, value_and_sd


@dataclasses.dataclass(frozen=True)
class OutlyingTrial:
    """What leaving out one trial does to the parameter that it moves most, to first order.

    Attributes:
        trial: name of the recording, or other trial.
        parameter: name of the parameter.
        label: of the parameter.
        value: with all trials.
        without: value without this one.
        sd: standard error without this one.
        deviations: the move over its standard error, were the trial like the others.

    Example:
        >>> import calibration as cal
        >>> odd = cal.results.OutlyingTrial(
        ...     trial="drop 7",
        ...     parameter="contact.normal.restitution",
        ...     label="restitution",
        ...     value=0.83,
        ...     without=0.78,
        ...     sd=0.004,
        ...     deviations=12.0,
        ... )
        >>> print(odd.sentence.split(":")[0])
        drop 7 does not agree with the others
    """

    trial: str
    parameter: str
    label: str
    value: float
    without: float
    sd: float
    deviations: float

    @property
    def sentence(self) -> str:
        """What a person is told."""
        return (
            f"{self.trial} does not agree with the others: without it {self.label} is "
            f"{value_and_sd(self.without, self.sd)}, not {rounded_like(self.value, self.sd)} "
            f"({self.deviations:.2g} standard deviations). Look at it, or leave it out of the "
            f"study: --file '{self.trial}.*: left_out=\"why\"'."
        )
