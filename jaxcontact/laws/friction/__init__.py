"""Tangential forces, rolling and spinning resistance."""
