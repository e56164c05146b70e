"""All benchmarks: ``python -m experiments.benchmarks``."""

from experiments.benchmarks.bounce import main

main()
