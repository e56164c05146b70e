"""What to measure."""
