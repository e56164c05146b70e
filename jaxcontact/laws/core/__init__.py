"""Rooms for normal forces, friction and coordinates."""
