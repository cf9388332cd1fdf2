"""The metric library: one decorated function per metric, discovered from the modules of this folder."""

from graders.metrics.registry import Layout, Metric, PredictionKind, catalogue, get, metrics

__all__ = ["Layout", "Metric", "PredictionKind", "catalogue", "get", "metrics"]
