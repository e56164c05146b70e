"""All benchmarks: ``python -m experiments.benchmarks``."""

from experiments.benchmarks import bounce, methods, tilted_cube

bounce.main()
methods.main()
tilted_cube.main()
