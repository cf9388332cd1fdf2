"""One side of the comparison in a process of its own: prints seconds, peak memory and boards as JSON.

python -P benchmarks/difficulty_sides.py mean|features FOLDER
"""

import json
import resource
import sys
import time

import duckdb

from difficulty.features_query import features_query

_MEAN = "SELECT board_id, avg(score) FROM {rows} GROUP BY board_id"
_FACTS = (
    "(SELECT board_id, 'maximize' AS direction, 0.0 AS low, 1.0 AS high FROM '{folder}/boards/*.parquet')"
)


def main(side: str, folder: str) -> None:
    """Run one query over the files in `folder`."""
    rows = f"read_parquet('{folder}/*.parquet')"
    query = _MEAN.format(rows=rows) if side == "mean" else features_query(rows, _FACTS.format(folder=folder))
    started = time.perf_counter()
    boards = duckdb.sql(query).to_arrow_table().num_rows
    seconds = time.perf_counter() - started
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "megabytes": megabytes, "boards": boards}))


if __name__ == "__main__":
    main(*sys.argv[1:])
