"""Smooth functions, integration steps, collocation, interpolation, scans with checkpoints."""
