"""Long computations: checkpoints, progress, compilation, chunks."""
