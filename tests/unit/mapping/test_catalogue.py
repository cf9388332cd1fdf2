"""The paper's tasks, and levels from files."""

from collections import Counter
from pathlib import Path

import pytest

from core.errors import UsageError
from mapping.catalogue import key_of, published_task, published_tasks, read_levels
from schema.difficulty import Level
from schema.task import Modality


def test_the_catalogue_holds_the_papers_150_tasks() -> None:
    tasks = published_tasks().values()
    assert len(tasks) == 150
    assert {task.modality for task in tasks} == set(Modality)
    assert {task.level for task in tasks} == set(Level)


def test_what_is_known_of_the_papers_lite_fills_a_cell_once_each() -> None:
    cells = Counter((task.modality, task.level) for task in published_tasks().values() if task.lite)
    assert len(cells) == 16
    assert set(cells.values()) == {1}


def test_a_task_is_found_however_its_name_is_written() -> None:
    assert key_of("WhoIsWho-IND") == key_of("whoiswho_ind")
    task = published_task("WHOISWHO-ind")
    assert task is not None
    assert task.level is Level.EASY
    assert published_task("no-such-competition") is None


@pytest.mark.parametrize("header", ["competition,level", "task_id,complexity", "name,difficulty"])
def test_levels_are_read_under_either_name(tmp_path: Path, header: str) -> None:
    path = tmp_path / "levels.csv"
    path.write_text(f"{header}\nOne-Task,low\nother,hard\nempty,\n")
    assert read_levels(path) == {"onetask": Level.EASY, "other": Level.HARD}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("competition\na\n", "level"),
        ("competition,level\na,brutal\n", "'brutal' is no level"),
        ("", "no rows"),
    ],
)
def test_a_file_that_is_no_list_of_levels_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "levels.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=said):
        read_levels(path)
