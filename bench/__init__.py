"""Benchmarks: each compares us with Celery's own no-op in the same run, so the machine cancels out."""
