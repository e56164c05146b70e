"""What is fitted."""
