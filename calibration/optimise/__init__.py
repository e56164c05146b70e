"""Minimisation of sums of squares, and the information that is left at a minimum."""
