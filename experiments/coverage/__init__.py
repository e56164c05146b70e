"""Coverage of the intervals of a fit: ``python -m experiments.coverage``.

Synthetic recordings with known truth, made by closed forms that share no code with the simulator,
are fitted with one noise model each. How often the 95 % intervals of the covariance, of the profile
and of the bootstrap contain the truth is the table of ``docs/coverage.md``.
"""
