"""Published task files: their dirt is read, what is written is exact."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import TaskError
from mapping.published import from_published, modality_named, read_published, to_published, write_published
from schema.task import Modality, Task

SHARED = Path(__file__).parents[3] / "../shared/data/competitions"
PUBLISHED = sorted(SHARED.glob("*/*/reference_task.json"))

DIRTY = r"""```json
{"task_type": "classification", "goal_description": null,
 "metric": "Log loss", "target_col": ["a", "b"],
 "data_information": {"data_type": "Texxt", "train": "train.csv",
   "test": {"data_location": ["x.csv", "y.csv"]},
   "inference": {"data_location": "N/A", "data_description": "N/A"},},
 "output_format": "id,a\\n1,0\\netc.", "special_instructions": "1. Use one core.\n2. Seed 42."}
```"""


def test_known_dirt_is_read(tmp_path: Path) -> None:
    path = tmp_path / "task.txt"
    path.write_text("\ufeff" + DIRTY, encoding="utf-8")
    task = read_published(path, platform="kaggle", competition="x")
    assert task.modality is Modality.TEXT
    assert task.data_information.data_type == "Text"
    assert task.metric.metric_name == "Log loss"
    assert task.target_col == "a, b"
    assert task.data_information.train.data_location == "train.csv"
    assert task.data_information.test.data_location == "x.csv, y.csv"
    assert task.data_information.inference.data_location == ""
    assert task.output_format == "id,a\n1,0\netc."
    assert task.constraints == ("Use one core.", "Seed 42.")
    assert task.goal_description == ""


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("Tabular", Modality.TABULAR),
        ("Texxt", Modality.TEXT),
        ("Multi-Modal", Modality.MULTIMODAL),
        ("multi modal", Modality.MULTIMODAL),
        ("Imgae", Modality.IMAGE),
        ("", None),
        ("spreadsheet", None),
    ],
)
def test_a_data_type_names_a_modality_even_misspelt(text: str, modality: Modality | None) -> None:
    assert modality_named(text) is modality


@pytest.mark.parametrize("content", ["", "no json", "{", "[1, 2]", '{"a": }', "}{"])
def test_a_file_without_a_task_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "task.json"
    path.write_text(content)
    with pytest.raises(TaskError, match=r"task\.json"):
        read_published(path, platform="kaggle", competition="x")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"none\.json"):
        read_published(tmp_path / "none.json", platform="kaggle", competition="x")


def test_names_and_nesting_are_the_published_ones() -> None:
    written = to_published(Task(task_id="a-b", platform="a", competition="b", constraints=("One.", "Two.")))
    assert list(written) == [
        "task_type",
        "goal_description",
        "metric",
        "target_col",
        "data_information",
        "output_format",
        "special_instructions",
    ]
    assert list(written["metric"]) == ["metric_name", "metric_formula"]
    assert list(written["data_information"]) == ["data_type", "train", "test", "inference"]
    assert all(
        list(written["data_information"][part]) == ["data_location", "data_description"]
        for part in ("train", "test", "inference")
    )
    assert written["special_instructions"] == "1. One. 2. Two."


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = ["task_type", "metric", "target_col", "data_information", "output_format", "special_instructions"]


@given(st.dictionaries(st.sampled_from(FIELDS), VALUES))
def test_any_json_value_in_a_field_gives_a_task(data: dict[str, object]) -> None:
    assert from_published(data, platform="a", competition="b").task_id == "a-b"


@pytest.mark.skipif(not PUBLISHED, reason="the published task files are not beside the checkout")
@pytest.mark.parametrize("path", PUBLISHED, ids=[path.parent.name for path in PUBLISHED])
def test_published_tasks_load_and_come_back_the_same(path: Path, tmp_path: Path) -> None:
    platform, competition = path.parts[-3:-1]
    task = read_published(path, platform=platform, competition=competition)
    assert task.modality is not None
    assert task.constraints
    write_published(task, tmp_path / "task.json")
    assert read_published(tmp_path / "task.json", platform=platform, competition=competition) == task
