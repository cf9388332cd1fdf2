"""Events in time series and videos: a detection is right if it is near enough to a true event of its kind."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from core.errors import GradingError
from graders.metrics.average_precision import step_average_precision
from graders.metrics.cells import Floats
from graders.metrics.frame import Frame
from graders.metrics.problems import UndefinedScoreError
from graders.metrics.registry import Layout, PredictionKind, metric
from schema.metric import Direction

Place = tuple[str, str]
"""Event class and series."""
Tolerances = Sequence[float] | Mapping[str, Sequence[float]]


@metric(
    "event_detection_ap",
    Direction.MAXIMIZE,
    bounds=(0, 1),
    kind=PredictionKind.BOXES,
    layout=Layout.OWN,
    aliases=(
        "event detection ap",
        "event detection average precision",
        "average precision of detected events",
        "average precision ... timestamp error tolerances",
    ),
)
def event_detection_ap(
    frame: Frame,
    *,
    tolerances: Tolerances = (12, 36, 60, 90, 120, 150, 180, 240, 300, 360),
    series_column: str = "series_id",
    time_column: str = "step",
    event_column: str = "event",
    score_column: str = "score",
) -> float:
    """Event detection average precision: AP per class and tolerance, mean over tolerances, then classes.

    A row of either side is one event: series, time, class; a detection has a score too. In falling order of
    scores (of equal ones the earlier first) a detection takes the nearest true event of its series and class
    that is still free and nearer than the tolerance. AP is the sum of (R_n - R_{n-1}) P_n over distinct
    scores, all series together. `tolerances` are one list, or one list per class. Detections in series or of
    classes without any true event at all are not scored. Source: Kaggle, Child Mind Institute - Detect Sleep
    States and DFL - Bundesliga Data Shootout.
    """
    names = (event_column, series_column)
    truth_times = frame.answer_numbers(time_column)
    truths = _by_place([frame.answer_texts(name) for name in names])
    if not truths:
        raise UndefinedScoreError("Event detection AP has no value: there is no true event.")
    times, scores = frame.predicted_numbers(time_column), frame.predicted_numbers(score_column)
    found = _by_place([frame.submission.texts(name) for name in names])
    order = np.lexsort((times, -scores))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    series = dict.fromkeys(series for _, series in truths)
    means = []
    for event in sorted({event for event, _ in truths}):
        places = [(event, one) for one in series]
        own = [
            (
                np.sort(truth_times[truths.get(place, [])]),
                np.array(sorted(found.get(place, ()), key=rank.__getitem__), dtype=np.int64),
            )
            for place in places
        ]
        precisions = [_precision(own, times, scores, limit) for limit in _of_class(tolerances, event)]
        means.append(np.mean(precisions))
    return float(np.mean(means))


def _by_place(columns: Sequence[Sequence[str]]) -> dict[Place, list[int]]:
    """The rows of every event class and series."""
    rows: dict[Place, list[int]] = defaultdict(list)
    for row, (event, series) in enumerate(zip(*columns, strict=True)):
        rows[event, series].append(row)
    return dict(rows)


def _of_class(tolerances: Tolerances, event: str) -> Sequence[float]:
    found = tolerances.get(event) if isinstance(tolerances, Mapping) else tolerances
    if not found:
        raise GradingError("The param tolerances has none for an event class of the answers.")
    return found


def _precision(
    own: Iterable[tuple[Floats, "np.ndarray[tuple[int], np.dtype[np.int64]]"]],
    times: Floats,
    scores: Floats,
    tolerance: float,
) -> float:
    """AP of one class under one tolerance: (true times, rows of detections in falling score) per series."""
    hits, rows, total = [], [], 0
    for truth, detections in own:
        hits.append(_matched(truth.tolist(), times[detections].tolist(), tolerance))
        rows.append(detections)
        total += len(truth)
    matched = np.array([hit for of_series in hits for hit in of_series], dtype=np.bool_)
    return step_average_precision(matched, scores[np.concatenate(rows)]) * int(matched.sum()) / total


def _matched(truth: list[float], times: list[float], tolerance: float) -> list[bool]:
    """Which detections take a true event; `truth` is sorted, `times` in the order of taking."""
    free = [True] * len(truth)
    hits = []
    for time in times:
        first, last = bisect_right(truth, time - tolerance), bisect_left(truth, time + tolerance)
        near = [place for place in range(first, last) if free[place]]
        if near:
            free[min(near, key=lambda place: abs(truth[place] - time))] = False
        hits.append(bool(near))
    return hits
