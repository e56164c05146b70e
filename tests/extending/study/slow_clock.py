"""A nuisance that a study can name, from outside the packages."""

import calibration as cal


def make_slow_clock():
    """The drift of the clock of the gate, which its maker says is below a thousandth."""
    return cal.nuisances.ClockDrift("microphone", prior=cal.Normal(0.0, 1e-3))


cal.studies.NUISANCES.register(cal.studies.NuisanceChoice(name="slow clock", make=make_slow_clock))
