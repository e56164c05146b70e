"""Coordinates in which a contact is smooth."""
