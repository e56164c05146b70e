"""Bounces found in recordings before anything is fitted."""
