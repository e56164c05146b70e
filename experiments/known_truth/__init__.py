"""Recordings of a bouncing ball whose every parameter is known, made with numpy and scipy alone."""

from experiments.known_truth.rigid import random_recording

__all__ = ["random_recording"]
