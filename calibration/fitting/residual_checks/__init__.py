"""Checks of the residuals of a fit, each against residuals of the same fit to white noise."""
