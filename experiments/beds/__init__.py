"""Bulk tests of granular matter, simulated: what users of the discrete element method calibrate
against, each with its checks and a picture. ``python -m experiments.beds``.
"""
