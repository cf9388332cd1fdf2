"""A subset as a Hugging Face data set: what `datasets` loads is what was written."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.errors import UsageError
from interchange.content import SubsetContent, TaskContent
from interchange.huggingface import SPLIT, write_huggingface
from schema.difficulty import Level
from schema.metric import Direction
from schema.task import Domain, Modality, StatedMetric, Task
from tests.hugging_face import load

KNOWN = Task(
    task_id="kaggle-cup",
    platform="kaggle",
    competition="cup",
    title="The | Cup\n---\nlicense: mit",
    goal_description="Predict é, 日本 and 😀.",
    metric=StatedMetric(metric_name="F1", metric_formula="2pr/(p+r)"),
    metric_id="f1",
    metric_params={"average": "macro"},
    direction=Direction.MAXIMIZE,
    metric_low=0,
    metric_high=1,
    domain=Domain.SPORTS_GAMES,
    constraints=("No internet.", "At most 100 trees."),
    target_columns=("won",),
    deadline=datetime(2026, 5, 17, 12, tzinfo=UTC),
    participants=12,
)
UNKNOWN = Task(task_id="kaggle-`odd`", platform="kaggle", competition="odd")


def content(task: Task, score: float | None = 0.25) -> TaskContent:
    return TaskContent(task, Modality.TEXT, Level.HARD, score, "the only one of its cell", "# Page\n\ntext")


@pytest.fixture
def subset() -> SubsetContent:
    return SubsetContent("lite", 3, "formula", "may", (content(KNOWN), content(UNKNOWN, None)))


@pytest.mark.long
def test_the_data_sets_library_loads_every_task(subset: SubsetContent, tmp_path: Path) -> None:
    write_huggingface(subset, tmp_path / "out")
    [known, unknown] = load(tmp_path / "out", tmp_path / "home", ["lite"], SPLIT)["lite"].to_pylist()
    assert known["description"] == "# Page\n\ntext"
    assert known["constraints"] == ["No internet.", "At most 100 trees."]
    assert (known["metric_id"], known["metric_params"]) == ("f1", '{"average": "macro"}')
    assert (known["metric_name"], known["direction"]) == ("F1", "maximize")
    assert (known["modality"], known["level"], known["difficulty"]) == ("text", "hard", 0.25)
    assert known["deadline"] == KNOWN.deadline
    for name in ("task_id", "title", "goal_description", "metric_low", "participants"):
        assert known[name] == getattr(KNOWN, name)
    assert unknown["task_id"] == UNKNOWN.task_id
    assert unknown["metric_id"] is unknown["difficulty"] is unknown["deadline"] is unknown["domain"] is None
    assert unknown["constraints"] == []


def test_the_card_says_what_the_subset_is_and_stays_a_card(subset: SubsetContent, tmp_path: Path) -> None:
    write_huggingface(subset, tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text()
    assert "seed 3, levels by the formula scorer" in card
    assert "release `may`" in card
    assert "| `kaggle-cup` | `text` | `hard` | `f1` |" in card
    assert "| `kaggle-'odd'` | `text` | `hard` |  |" in card
    assert card.count("\n---\n") == 1


def test_a_folder_that_holds_something_is_left_alone(subset: SubsetContent, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        write_huggingface(subset, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
