"""What else the data allow."""
