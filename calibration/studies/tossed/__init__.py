"""Rigid bodies with orientations that are tossed onto a surface."""
