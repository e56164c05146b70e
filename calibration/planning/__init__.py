"""What to measure next: candidate experiments, their expected information, their ranking."""
