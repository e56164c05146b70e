"""Minimisation."""
