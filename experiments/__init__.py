"""Studies on recordings, benchmarks, and the data that they use."""
