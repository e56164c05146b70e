"""What a fit can find (parameters, priors) and what a trial is (samples, camera, clock, state)."""
