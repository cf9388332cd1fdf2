"""Prints which planted leaks are named, and what clean data sets are accused of.

`python scripts/measure_leaks.py [WORD…]` takes only cases that hold a word.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from preparation.leaks.leak import LeakError
from preparation.prepare import prepare
from preparation.spec import SplitSpec
from tests.data_sets import Files, write_files
from tests.planted_leaks import PLANTED, clean_sets


def findings(files: Files, spec: SplitSpec) -> Sequence[str]:
    """The sentences with which a data set is refused; none where it is prepared."""
    with tempfile.TemporaryDirectory() as folder:
        data = write_files(files, Path(folder) / "data")
        try:
            prepare(data, spec, Path(folder) / "out")
        except LeakError as refused:
            return [f"[{leak.kind}] {leak.said}" for leak in refused.leaks]
    return []


def main() -> None:
    """Print a line for each case and the sums."""
    words = sys.argv[1:]
    planted = {
        name: case for name, case in PLANTED.items() if not words or any(word in name for word in words)
    }
    named = 0
    for name, (make, spec, said) in planted.items():
        start = time.perf_counter()
        found = findings(make(), spec)
        hits = [one for one in found if said in one]
        named += bool(hits)
        seconds, sentence = time.perf_counter() - start, (hits or found or ["nothing is found"])[0]
        print(f"{'named ' if hits else 'MISSED'} {name} ({seconds:.1f} s): {sentence}")
    clean = [case for case in clean_sets() if not words or any(word in case[0] for word in words)]
    accused = {name: found for name, files, spec in clean if (found := findings(files, spec))}
    for name, found in accused.items():
        print(f"ACCUSED {name}: {found[0]}")
    print(f"{named} of {len(planted)} planted leaks named, {len(accused)} of {len(clean)} clean sets accused")


if __name__ == "__main__":
    main()
