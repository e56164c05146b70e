"""Errors of measurements: models of noise, robust losses, whitening."""
