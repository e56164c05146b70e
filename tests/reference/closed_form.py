"""Closed-form solutions, one module for each format."""

from tests.reference import (
    analytic_solutions,
    gradient_cases,
    restitution_table,
    triangle_geometry,
    viscoelastic_tables,
)

FILE_KINDS = (
    *analytic_solutions.FILE_KINDS,
    *gradient_cases.FILE_KINDS,
    *restitution_table.FILE_KINDS,
    *triangle_geometry.FILE_KINDS,
    *viscoelastic_tables.FILE_KINDS,
)
