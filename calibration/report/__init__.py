"""Figures, pages and files that show a result."""
