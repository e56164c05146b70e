"""An exporter written outside the packages: the determined parameters as one line."""

import calibration as cal


class MaterialCard(cal.report.Exporter):
    """The determined parameters as comma-separated values."""

    name = "material card"
    filename = "material.csv"
    about = "the determined parameters as comma-separated values"

    def write(self, fit, path, *, context):
        """Names in the first line, values in the second."""
        known = [
            estimate
            for estimate in fit.parameters.values()
            if estimate.status is cal.Determination.DETERMINED
        ]
        names = ",".join(estimate.name for estimate in known)
        values = ",".join(f"{estimate.value:.6g}" for estimate in known)
        path.write_text(f"{names}\n{values}\n")


cal.report.EXPORTERS.register(MaterialCard())
