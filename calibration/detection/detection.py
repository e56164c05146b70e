"""What the measurements of a trial show of its motion before any fit."""

from calibration.detection.bounces import DetectedBounces
from calibration.detection.impacts import DetectedImpacts

Detection = DetectedBounces | DetectedImpacts
"""A first guess of a motion: from positions (``DetectedBounces``), or from impacts alone
(``DetectedImpacts``). Both have ``bounces``, ``numbers``, ``first_impact``, ``since_release``,
``speed``, ``restitution``, ``height`` and ``remarks``.
"""
