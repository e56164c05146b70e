"""Force laws: pure functions of overlap, overlap rate, slip and named parameters, and the parameter models composed of them."""

# Importing a module enters its laws into the catalogue.
from jaxcontact.laws import damping, elastic, friction, normal, restitution

__all__ = ["damping", "elastic", "friction", "normal", "restitution"]
