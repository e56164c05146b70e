"""Quantities of the measurement that a fit must find beside the material constants; one file for
each.
"""
