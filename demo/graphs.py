"""Graphs for the invented data sets: like seeks like, and some nodes have more links than others."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from demo.columns import Cells, Floats
from demo.specs import ColumnSpec, GraphSpec

_LINKS = 3
"""Links that every node starts with; popular nodes get more from the others."""


@dataclass(frozen=True, slots=True)
class Graph:
    """What a graph adds to a data set."""

    hidden: Floats
    """Of the rows, which are nodes or edges."""
    ends: Cells
    """The columns that name an edge's ends; none where rows are nodes."""
    edges: Cells
    """The file of known links."""
    nodes: list[str]
    """Names of the nodes that the rows are; empty where rows are edges."""

    def ids(self, style: str) -> list[str]:
        """One id per row: the node's name, or a numbered edge."""
        return self.nodes or [style.format(place) for place in range(1, len(self.hidden) + 1)]

    def degrees(self, column: ColumnSpec) -> Cells:
        """How many links of the file touch the row's node, or the two ends of its edge."""
        counts = Counter(name for side in self.edges.values() for name in side)
        names = [[node] for node in self.nodes] or [
            list(pair) for pair in zip(*self.ends.values(), strict=True)
        ]
        return {column.name: [str(sum(counts[name] for name in row)) for row in names]}


def draw(spec: GraphSpec, hidden: Floats, rng: Generator) -> Graph:
    """A graph whose rows have the given hidden values (nodes), or values from both their ends (edges)."""
    if spec.level == "node":
        names = [f"{spec.prefix}{place:04d}" for place in range(len(hidden))]
        return Graph(hidden, {}, _links(spec, names, hidden, rng), names)
    names = [f"{spec.prefix}{place:03d}" for place in range(spec.nodes)]
    of_nodes = rng.standard_normal((spec.nodes, hidden.shape[1]))
    first = rng.integers(spec.nodes, size=len(hidden))
    second = (first + rng.integers(1, spec.nodes, size=len(hidden))) % spec.nodes
    ends = {spec.ends[0]: [names[n] for n in first], spec.ends[1]: [names[n] for n in second]}
    of_edges = (of_nodes[first] + of_nodes[second]) / np.sqrt(2)
    return Graph(of_edges, ends, _links(spec, names, of_nodes, rng), [])


def _links(spec: GraphSpec, names: list[str], hidden: Floats, rng: Generator) -> Cells:
    """Every node links to a few others that are near in the first hidden value or high in the second."""
    pairs = set()
    for node, values in enumerate(hidden):
        likely = np.exp(-np.abs(hidden[:, 0] - values[0]) * 2 + 0.8 * hidden[:, 1])
        likely[node] = 0
        for other in rng.choice(len(names), size=_LINKS, replace=False, p=likely / likely.sum()):
            pairs.add((min(node, int(other)), max(node, int(other))))
    chosen = sorted(pairs)
    return {spec.ends[0]: [names[a] for a, _ in chosen], spec.ends[1]: [names[b] for _, b in chosen]}
