"""Designs found by the gradient through contact: a shot, a buffer, a bumper."""
