"""Schedules: Prefect deployments, the worker that runs them, and what becomes of lost and missed runs."""
