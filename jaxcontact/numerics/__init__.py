"""Numerical methods: smooth functions, integration steps, collocation, interpolation, scans with
checkpoints.
"""
