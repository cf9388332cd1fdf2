"""No file takes the grader down: whatever a decoder makes of it, there is a table or a reason code."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from graders.submission import GradeReason, RefusedError, SubmissionTable, load_json, load_table
from graders.submission.confined import reader_process
from tests.hostile_files import BOMBS, MAKERS, write_hostile_file

_GIGABYTE = 1_000_000_000
_TRIED = """
import json, resource, sys
from pathlib import Path
from graders.submission import RefusedError, load_json, load_table

found = []
for load in (load_table, load_json):
    try:
        load(Path(sys.argv[1]))
        found.append("read")
    except RefusedError as refused:
        found.append(str(refused.problems[0].code))
    if ".json" not in sys.argv[1]:
        break
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
used = int(status["VmHWM"].split()[0])  # the resource module counts what the caller had before this began
from graders.submission.confined import reader_process
reader_process().close()
used = max(used, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
print(json.dumps([found, used * 1024]))
"""


def _outcome(path: Path) -> SubmissionTable | GradeReason:
    try:
        return load_table(path)
    except RefusedError as refused:
        return refused.problems[0].code


@pytest.mark.parametrize("name", sorted(MAKERS.keys() - BOMBS))
def test_a_malformed_file_is_a_table_or_a_reason(name: str, tmp_path: Path) -> None:
    found = _outcome(write_hostile_file(tmp_path, name))
    assert isinstance(found, GradeReason) or found.rows >= 1


def test_a_small_file_that_takes_all_memory_is_too_large_and_the_next_one_is_read(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"more than .* GB of memory") as refused:
        load_table(write_hostile_file(tmp_path, "huge-list.parquet"))
    assert refused.value.problems[0].code is GradeReason.TOO_LARGE
    assert load_table(write_hostile_file(tmp_path, "decimals.parquet")).rows == 3


def test_a_large_document_is_tried_before_it_is_read(tmp_path: Path) -> None:
    large = tmp_path / "submission.json"
    large.write_text(json.dumps({str(number): [0.5, "text"] for number in range(60_000)}))
    found = load_json(large)
    assert isinstance(found, dict)
    assert (len(found), found["59999"]) == (60_000, [0.5, "text"])
    large.write_text(large.read_text()[:-1])
    with pytest.raises(RefusedError, match="not valid JSON"):
        load_json(large)


def test_where_the_process_has_ended_another_one_follows(tmp_path: Path) -> None:
    path = write_hostile_file(tmp_path, "decimals.parquet")
    load_table(path)
    running = reader_process()
    running.close()
    assert load_table(path).rows == 3
    assert reader_process() is not running


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(BOMBS))
def test_no_file_takes_more_than_two_gigabytes(name: str, tmp_path: Path) -> None:
    path = write_hostile_file(tmp_path, name)
    command = [sys.executable, "-c", _TRIED, str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    outcomes, used = json.loads(ended.stdout)
    assert used < 2 * _GIGABYTE, (name, outcomes, used)
    assert set(outcomes) <= {"read", *GradeReason}
