"""What a report shows of a fit beside its curves: impacts, noise, forces, sources."""
