"""Conformance checks for laws and surfaces of your own: what every one of the library must keep,
run on yours.

They need double precision (``jax.config.update("jax_enable_x64", True)``) and raise
``AssertionError``, with the law or surface, the property and the point in its text.

Example:
    >>> from jaxcontact import testing
    >>> testing.check_surface(jc.Plane())  # it says nothing, so all is well
"""

from jaxcontact.testing.laws import check_law
from jaxcontact.testing.surfaces import check_surface

__all__ = ["check_law", "check_surface"]
