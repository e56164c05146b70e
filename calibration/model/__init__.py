"""What a fit can find, and what a trial is."""
