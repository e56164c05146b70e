"""Numbers with their uncertainty, rounded to what the uncertainty allows."""

import math
from collections.abc import Sequence

from calibration.results.estimate import Determination, Estimate

_FIXED_NOTATION = (
    1e-3,
    1e5,
)  # outside of this a common power of ten is taken out: (4.00 +- 0.12)e7
_MAX_DECIMALS = 9


MOST_NAMED = 4
"""Names that are listed in a sentence."""


def value_and_sd(value: float, sd: float, *, plus_minus: str = "+-") -> str:
    """``0.9263 +- 0.0041``: the standard deviation with two significant digits, the value rounded
    to the same digit.

    A standard deviation that is zero, infinite or NaN is left out, and the value has five
    significant digits; ``-`` stands for no value.

    Args:
        value: the best estimate.
        sd: in the unit of ``value``.
        plus_minus: the sign between the two.
    """
    if not (math.isfinite(value) and math.isfinite(sd) and sd > 0):
        return plain(value)
    digit = _last_digit(sd)
    scale = max(abs(round(value, -digit)), sd)
    power = 0 if _FIXED_NOTATION[0] <= scale < _FIXED_NOTATION[1] else math.floor(math.log10(scale))
    decimals = max(power - digit, 0)
    if decimals > _MAX_DECIMALS:
        return f"{value:.{_MAX_DECIMALS + 1}g} {plus_minus} {sd:.1e}"
    # Rounding to the digit first makes 12345 +- 560 read 12340 +- 560; dividing by 10^power
    # afterwards only moves the point.
    numbers = (
        f"{_shifted(value, digit, power):.{decimals}f} {plus_minus} "
        f"{_shifted(sd, digit, power):.{decimals}f}"
    )
    return numbers if power == 0 else f"({numbers})e{power}"


def rounded_like(value: float, sd: float) -> str:
    """The value alone, rounded as `value_and_sd` rounds it."""
    if not (math.isfinite(value) and math.isfinite(sd) and sd > 0):
        return plain(value)
    digit = _last_digit(sd)
    if not _FIXED_NOTATION[0] <= max(abs(value), sd) < _FIXED_NOTATION[1]:
        return plain(round(value, -digit))
    return f"{_shifted(value, digit, 0):.{min(max(-digit, 0), _MAX_DECIMALS)}f}"


def plain(value: float) -> str:
    """Five significant digits, ``4e7`` for large and small numbers, ``-`` for no number."""
    if not math.isfinite(value):
        return "-"
    mantissa, _, power = f"{value:.5g}".partition("e")
    return f"{mantissa}e{int(power)}" if power else mantissa


def relative_error(estimate: Estimate) -> str:
    """The standard error relative to the value; ``-`` where there is none, or where the value
    agrees with zero.
    """
    if not has_interval(estimate) or agrees_with_zero(estimate):
        return "-"
    return percent(estimate.value, estimate.sd)


def percent(value: float, sd: float) -> str:
    """The relative standard deviation with two significant digits, ``-`` where there is none."""
    if not (math.isfinite(value) and math.isfinite(sd) and sd > 0 and value != 0):
        return "-"
    ratio = 100 * sd / abs(value)
    if ratio >= 999.5:
        return ">999 %"
    return f"{ratio:.0f} %" if ratio >= 9.95 else f"{ratio:.2g} %" if ratio >= 0.001 else "<0.001 %"


def has_interval(estimate: Estimate) -> bool:
    """Whether ``value +- sd`` is what the data say: not for something undetermined, at a bound, or
    not moved.
    """
    return (
        estimate.status is Determination.DETERMINED
        and math.isfinite(estimate.value)
        and math.isfinite(estimate.sd)
        and estimate.sd > 0
    )


def agrees_with_zero(estimate: Estimate) -> bool:
    """Whether zero is in the interval of what was found: then its size relative to the value says
    nothing.
    """
    low, high = estimate.interval()
    return has_interval(estimate) and low <= 0 <= high


def found(estimate: Estimate, *, plus_minus: str = "+-") -> str:
    """What may be printed as the value: ``value +- sd``, the value alone where an interval would
    mislead, three digits and a question mark where the model does not explain the data, ``-`` where
    there is none.
    """
    if estimate.vanished:
        return "next to 0"
    if has_interval(estimate):
        return value_and_sd(estimate.value, estimate.sd, plus_minus=plus_minus)
    if estimate.status is Determination.NOT_EXPLAINED and math.isfinite(estimate.value):
        return f"{plain(float(f'{estimate.value:.3g}'))} ?"
    nothing = estimate.status is Determination.NOT_DETERMINED or estimate.status.withdrawn
    return "-" if nothing else plain(estimate.value)


def known_within(estimate: Estimate) -> float:
    """The factor within which a positive quantity is known that two standard errors would take to
    zero, where it cannot be; else 1.

    Its interval is ``value / factor`` to ``value factor`` (95 %), or about that.
    """
    low, high = estimate.interval()
    if not (has_interval(estimate) and low > 0 and estimate.value <= 2 * estimate.sd):
        return 1.0
    return math.sqrt(high / low)


def short_status(estimate: Estimate) -> str:
    """``determined``, ``within a factor of 3``, ``agrees with 0``, ``not determined``, ``at a
    bound``, ``never moved``, ``fixed``, or the doubt about the whole fit.
    """
    if estimate.status is Determination.DETERMINED and not has_interval(estimate):
        return "no sd"
    if agrees_with_zero(estimate):
        return "agrees with 0"
    factor = known_within(estimate)
    if factor > 1:
        return f"within a factor of {factor:.{1 if factor < 10 else 0}f}"
    return estimate.status.value.removesuffix(" by these data")


def unit_of(estimate: Estimate) -> str:
    """The unit, empty for a pure number."""
    return "" if estimate.unit == "-" else estimate.unit


def _last_digit(sd: float) -> int:
    """Power of ten of the second significant digit of ``sd``, after rounding (0.0996 is 0.10)."""
    return int(f"{sd:.1e}".partition("e")[2]) - 1


def _shifted(value: float, digit: int, power: int) -> float:
    number = round(value, -digit) / 10.0**power
    return number + 0.0  # no minus zero


def describe_interval(label: str, unit: str, low: float, high: float, remark: str) -> str:
    """``"Restitution: 0.79 to 0.81 (95 %)."``, with as many digits as the width deserves.

    Args:
        label: of the parameter.
        unit: ``"-"`` for none.
        low: lower end, finite.
        high: upper end, finite.
        remark: in brackets.
    """
    width = (high - low) / 4
    ends = f"{rounded_like(low, width)} to {rounded_like(high, width)}"
    return f"{capitalise(label)}: {ends}{'' if unit == '-' else f' {unit}'} ({remark})."


def capitalise(label: str) -> str:
    """The label at the beginning of a sentence; symbols in it stay as they are."""
    return label[0].upper() + label[1:]


def listed(names: Sequence[str]) -> str:
    """``a, b, c and 5 more``: names in a sentence."""
    return (
        ", ".join(names)
        if len(names) <= MOST_NAMED
        else f"{', '.join(names[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1} more"
    )
