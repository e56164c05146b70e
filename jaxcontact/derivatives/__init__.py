"""Derivatives of simulations: the mode that costs less, second derivatives, and a report on whether
they can be trusted.
"""

from jaxcontact.derivatives.check_gradients import check_gradients
from jaxcontact.derivatives.gradient_report import GradientReport
from jaxcontact.derivatives.jacobian import hessian, jacobian, value_and_jacobian

__all__ = ["GradientReport", "check_gradients", "hessian", "jacobian", "value_and_jacobian"]
