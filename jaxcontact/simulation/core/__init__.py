"""Two engines, and what both share."""
