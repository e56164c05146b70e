"""All benchmarks: ``python -m experiments.benchmarks``."""

from experiments.benchmarks import bounce, methods

bounce.main()
methods.main()
