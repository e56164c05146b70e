"""The engine for any number of bodies, with contacts that overlap in time."""
