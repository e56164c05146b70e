"""Which model."""
