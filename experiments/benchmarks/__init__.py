"""Benchmarks: workloads, independent reference solutions, timings."""
