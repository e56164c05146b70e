"""Checkpoints, progress, compilation."""
