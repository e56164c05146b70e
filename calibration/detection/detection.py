"""What the measurements of a trial show of its motion before any fit."""

from calibration.detection.bounces import DetectedBounces
from calibration.detection.impacts import DetectedImpacts

Detection = DetectedBounces | DetectedImpacts
"""A first guess of a motion, from positions (``DetectedBounces``) or from impacts alone
(``DetectedImpacts``). Both have ``bounces``, ``numbers``, ``first_impact``, ``since_release``,
``speed``, ``restitution``, ``height`` and ``remarks``.

Example:
    >>> law = jc.NewtonRestitution(restitution=0.7)
    >>> scene = jc.Scene(
    ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
    ... )
    >>> detected = cal.measurements.BounceTimes([0.32, 0.75, 1.05]).detect(scene)
    >>> isinstance(detected, cal.detection.Detection)
    True
"""
