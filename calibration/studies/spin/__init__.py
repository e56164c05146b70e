"""Spin that was measured beside positions: how it enters a fit, and what it tells."""
