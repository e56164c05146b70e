"""Real tosses of an acrylic cube, simulated from the measured state at release.

The tosses are those of Pfrommer, Halm and Posa, ContactNets (CoRL 2020, arXiv 2009.11193). ``python
-m experiments.cube_tosses DIRECTORY`` prints and writes the errors, beside those that other
simulators reached; see ``docs/cube_tosses.md``.
"""
