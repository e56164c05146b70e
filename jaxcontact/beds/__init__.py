"""Beds of many spheres, in time steps of one length, as the discrete element method has them."""
