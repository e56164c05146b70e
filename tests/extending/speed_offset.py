"""A nuisance written outside the packages: what a light gate shows when nothing moves."""

import dataclasses

import calibration as cal


@dataclasses.dataclass(frozen=True)
class SpeedOffset(cal.nuisances.Nuisance):
    """Constant to be added to a true speed to get the shown one, for all trials.

    Args:
        quantity: name under which the measurement asks for it.
        prior: what is known of it beforehand.
    """

    shared = True
    quantity: str = "light_gate_offset"
    prior: cal.Normal | None = None

    def parameters(self, axes):
        """The offset."""
        return (
            cal.nuisances.nuisance_parameter(
                "speed_offset",
                unit="m/s",
                label="shown minus true speed",
                symbol="d_v",
                prior=self.prior,
            ),
        )

    def apply(self, trial_state, values, axes):
        """Let the light gate know the offset."""
        return trial_state.with_quantity(self.quantity, values[0])
