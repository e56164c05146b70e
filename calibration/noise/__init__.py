"""Models of errors."""
