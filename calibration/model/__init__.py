"""Parameters, priors and samples: what a fit can find, and what a trial is."""
