"""Which model: information criteria, evidence, cross-validation."""
