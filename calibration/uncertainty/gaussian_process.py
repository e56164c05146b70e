"""A curve through scattered numbers that knows no mechanics, with its own uncertainty: Gaussian
process regression, by scikit-learn.
"""

import dataclasses
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sklearn.gaussian_process import GaussianProcessRegressor

Floats = NDArray[np.float64]

LENGTHS, SIZES, NOISES = (0.1, 30.0), (1e-3, 1e3), (1e-6, 10.0)
"""Bounds of the hyperparameters: lengths in ranges of inputs, variances in that of the output."""
LENGTH, SIZE, NOISE = (1.0, 0.7), (1.0, 2.0), (0.03, 2.0)
"""Where they are expected, and the standard deviation of their logarithms about that. Some dozens
of outputs can be joined by a curve of short waves without any scatter as well as by a smooth one
with it: without an expectation either may win by chance.
"""


@dataclasses.dataclass(frozen=True, eq=False)
class GaussianProcess:
    """A plane of unknown slopes, a smooth curve about it (Matern's kernel of order 5/2, a length
    for each input) and a scatter of the same size everywhere; sizes, lengths and scatter maximise
    the marginal likelihood times what is expected of them. Source: Rasmussen and Williams,
    *Gaussian processes for machine learning* (2006).

    Attributes:
        fitted: what scikit-learn found.
        lowest, range: of the inputs (k,), by which they are scaled.
        outputs: (n,) that it was fitted to.

    Example:
        >>> at = np.linspace(0.0, 3.0, 12)[:, None]
        >>> process = GaussianProcess.of(at, np.sin(at[:, 0]))
        >>> mean, sd = process.predict(np.array([[1.1]]))
        >>> abs(float(mean[0]) - np.sin(1.1)) < 1e-2
        True
    """

    fitted: "GaussianProcessRegressor"
    lowest: Floats
    range: Floats
    outputs: Floats

    @classmethod
    def of(cls, inputs: Floats, outputs: Floats) -> "GaussianProcess":
        """Fitted.

        Args:
            inputs: (n, k).
            outputs: (n,).
        """
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, Matern, WhiteKernel

        lowest = np.min(inputs, axis=0)
        width = np.ptp(inputs, axis=0)
        width = np.where(width > 0.0, width, 1.0)
        curve = ConstantKernel(1.0, SIZES) * Matern([1.0] * inputs.shape[1], LENGTHS, nu=2.5)
        plane = ConstantKernel(1.0, SIZES) * DotProduct(1.0, "fixed")
        fitted = _regressor(inputs.shape[1])(
            plane + curve + WhiteKernel(0.1, NOISES),
            normalize_y=True,
            n_restarts_optimizer=2,
            random_state=0,
        )
        with warnings.catch_warnings():
            # A length or a scatter at its bound: the curve is a plane along that input, or exact.
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted.fit((inputs - lowest) / width, outputs)
        return cls(fitted, lowest, width, np.asarray(outputs, dtype=float))

    @property
    def scatter(self) -> float:
        """Standard deviation of an output about the curve, in its unit."""
        return float(np.sqrt(self.fitted.kernel_.k2.noise_level)) * self._unit

    @property
    def _unit(self) -> float:
        """By which outputs were divided: their standard deviation, or 1 where they are all one."""
        return float(np.std(self.outputs)) or 1.0

    def predict(self, at: Floats) -> tuple[Floats, Floats]:
        """The curve and its standard deviation, without the scatter of single outputs.

        Args:
            at: inputs (m, k).
        """
        mean, sd = self.fitted.predict((at - self.lowest) / self.range, return_std=True)
        return mean, np.sqrt(np.maximum(sd**2 - self.scatter**2, 0.0))

    def left_out(self) -> tuple[Floats, Floats]:
        """What the others say of each output, and the standard deviation of a single one there
        (Rasmussen and Williams, equation 5.12): sizes and lengths stay those of all.
        """
        precision = np.linalg.inv(self.fitted.kernel_(self.fitted.X_train_))
        normed = (self.outputs - np.mean(self.outputs)) / self._unit
        variance = 1.0 / np.diag(precision)
        return self.outputs - self._unit * variance * (precision @ normed), self._unit * np.sqrt(
            variance
        )


def _regressor(inputs: int) -> "type[GaussianProcessRegressor]":
    """That of scikit-learn, whose likelihood knows what is expected of the hyperparameters."""
    from sklearn.gaussian_process import GaussianProcessRegressor

    centre, spread = np.array([SIZE, SIZE, *[LENGTH] * inputs, NOISE]).T

    class Held(GaussianProcessRegressor):
        """Plane, curve with its lengths, scatter, in this order."""

        def log_marginal_likelihood(
            self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True
        ) -> Any:
            found = super().log_marginal_likelihood(theta, eval_gradient, clone_kernel)
            if theta is None:  # what was found, once more
                return found
            off = (theta - np.log(centre)) / spread
            if not eval_gradient:
                return found - 0.5 * off @ off
            return found[0] - 0.5 * off @ off, found[1] - off / spread

    return Held
