"""Features of all boards at once: one pass of DuckDB over their rows. Pure text: nothing is opened here."""

from itertools import starmap

from difficulty.features import EPSILON, LARGEST

_PLACES = {
    "gold": "gold_cut",
    "tenth": "1 + 0.1 * (participants - 1)",
    "half": "1 + 0.5 * (participants - 1)",
    "three_quarters": "1 + 0.75 * (participants - 1)",
}
"""Where the curve is read."""

_SKETCH = """
    SELECT board_id, count(*) AS participants, avg(score) AS mean, min(score) AS smallest,
           max(score) AS largest,
           list({{'place': position, 'score': score}}) FILTER (bit_count(position) <= 2) AS points
    FROM {rows} WHERE {counted} AND score BETWEEN -{largest} AND {largest} GROUP BY board_id"""

_QUERY = """
WITH ranked AS ({ranked}
), unranked AS ({unranked}
), boards AS (
    SELECT * REPLACE (list_sort(coalesce(points, [{{'place': 1, 'score': mean}}])) AS points),
           direction = 'maximize' AS ascending,
           coalesce(low <= smallest AND largest <= high, false) AS by_metric,
           greatest(1, CASE WHEN participants < 100 THEN participants * 10 // 100
                            WHEN participants < 250 THEN 10
                            ELSE 10 + participants * 2 // 1000 END) AS gold_cut
    FROM (FROM ranked UNION ALL FROM unranked ANTI JOIN ranked USING (board_id)) JOIN {facts} USING (board_id)
), neighbours AS (
    SELECT *, len(list_filter(points[2:], lambda point, i: point.score = points[i].score)) AS ties,
           {neighbours}
    FROM boards
), features AS (
    SELECT board_id, participants, mean, if(ascending, largest, smallest) AS best,
           if(ascending, smallest, largest) AS worst,
           if(by_metric, low, smallest) AS low, if(by_metric, high, largest) AS high,
           if(by_metric, 'metric', 'observed') AS range_policy,
           {between},
           ties / greatest(1, len(points) - 1) AS tie_share
    FROM neighbours
)
SELECT *, (mean - low) / (high - low + {epsilon}) AS norm_mean,
       (best - low) / (high - low + {epsilon}) AS norm_best,
       {gap_to_gold} AS gap_to_gold, {gap_to_tenth} AS gap_to_tenth, {gap_to_half} AS gap_to_half,
       1 - {crowded} AS crowdedness
FROM features"""


def features_query(rows: str, facts: str) -> str:
    """The SELECT that gives `board_id` and every one of `difficulty.features.NAMES`, one row per board.

    A row without a rank is a baseline and left out, unless the whole board prints none; rank 0 always is.

    Args:
        rows: a relation with the columns board_id, position, rank and score.
        facts: a relation with the columns board_id, direction, low and high: the boards wanted, one row each.
    """
    sketch = _SKETCH.format
    return _QUERY.format(
        ranked=sketch(rows=rows, counted="rank > 0", largest=LARGEST),
        unranked=sketch(rows=rows, counted="rank IS NULL", largest=LARGEST),
        facts=facts,
        epsilon=EPSILON,
        neighbours=",\n           ".join(starmap(_neighbours, _PLACES.items())),
        between=",\n           ".join(starmap(_between, _PLACES.items())),
        gap_to_gold=_share("best - gold", "best - three_quarters"),
        gap_to_tenth=_share("best - tenth", "best - three_quarters"),
        gap_to_half=_share("best - half", "best - three_quarters"),
        crowded=_share("tenth - half", "tenth - three_quarters"),
    )


def _neighbours(name: str, place: str) -> str:
    """How many points of the curve lie up to a place."""
    return f"len(list_filter(points, lambda point: point.place <= {place})) AS {name}_points"


def _between(name: str, place: str) -> str:
    """The score between the points around a place, on a straight line; beyond the curve its nearer end's."""
    start, end = f"points[{name}_points]", f"points[{name}_points + 1]"
    slope = f"({end}.score - {start}.score) / ({end}.place - {start}.place)"
    return (
        f"coalesce({start}.score + {slope} * ({place} - {start}.place), {start}.score, {end}.score) AS {name}"
    )


def _share(part: str, whole: str) -> str:
    """`part / whole` between 0 and 1; 0 where there is no whole."""
    return f"if({whole} = 0, 0, greatest(0, least(1, ({part}) / ({whole}))))"
