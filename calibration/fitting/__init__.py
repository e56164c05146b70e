"""From a problem to a fit."""
