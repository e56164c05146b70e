"""Fits from 200 random starts: stiffness over four decades, restitution 0.05 to 0.98, friction 0 to
0.8.

Oblique throws of a spinning ball onto a plane, compliant contacts (Hunt and Crossley) with
regularised Coulomb friction, known initial states, positions at 500 pictures per second. A fit
either ends in the global minimum or says that it did not converge.
"""
