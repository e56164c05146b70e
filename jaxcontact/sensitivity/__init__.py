"""Derivatives of simulations: the mode that costs less, second derivatives, and a report on whether
they can be trusted.
"""

from jaxcontact.sensitivity.check_gradients import check_gradients
from jaxcontact.sensitivity.jacobian import hessian, jacobian, value_and_jacobian
from jaxcontact.sensitivity.report import GradientReport

__all__ = ["GradientReport", "check_gradients", "hessian", "jacobian", "value_and_jacobian"]
