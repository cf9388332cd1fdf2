"""The invented data sets and the two sample runs over them."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from core.errors import UsageError
from demo import datasets
from demo.boards import board_csvs
from demo.invented import KEPT, SCREENED_OUT, invented
from demo.runs import assign_faults, write_faulty_run, write_good_run
from demo.solutions import PlantedFault, possible_faults
from graders.evaluate import Evaluation, EvaluationCase, evaluate
from schema.board import parse_score
from schema.task import Modality

Rows = list[dict[str, str]]
_ONE_PER_CELL = sorted({cell: slug for slug, cell in KEPT.items()}.values())


@dataclass(frozen=True)
class _Prepared:
    """All tasks, split as an agent gets them, the two runs over them, and the faults of the second."""

    data: Path
    folder: Path
    good: Path
    faulty: Path
    faults: dict[str, PlantedFault]


def _read(path: Path) -> Rows:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _write(path: Path, rows: Rows, columns: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def _prepare(slug: str, data: Path, folder: Path) -> None:
    """A quarter of the official training rows becomes the new test part."""
    rows, test_columns = _read(data / "train.csv"), list(_read(data / "test.csv")[0])
    order = np.random.default_rng(1).permutation(len(rows))
    held_out, kept = order[: len(rows) // 4], order[len(rows) // 4 :]
    one = invented(slug)
    assert one.data is not None
    targets = list(one.data.target.names)
    _write(folder / "public" / "train.csv", [rows[row] for row in kept], list(rows[0]))
    _write(folder / "public" / "test.csv", [rows[row] for row in held_out], test_columns)
    _write(folder / "private" / "answers.csv", [rows[row] for row in held_out], [one.data.id, *targets])
    sample = _read(data / "sample_submission.csv")
    pairs = [
        {one.data.id: rows[row][one.data.id]} | {name: given[name] for name in targets}
        for row, given in zip(held_out, sample * 2, strict=False)
    ]
    _write(folder / "public" / "sample_submission.csv", pairs, [one.data.id, *targets])
    split = {
        "metric_id": one.metric.metric_id,
        "id_columns": [one.data.id],
        "target_columns": targets,
        "seed": 1,
    }
    (folder / "split.json").write_text(json.dumps(split), encoding="utf-8")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> _Prepared:
    root = tmp_path_factory.mktemp("demo")
    for slug in KEPT:
        data = datasets.write(slug, root / "data" / slug)
        _prepare(slug, data, root / "prepared" / invented(slug).task_id)
    tasks = [invented(slug).task_id for slug in KEPT]
    good = write_good_run(root / "prepared", root / "good", tasks)
    lite = [invented(slug).task_id for slug in _ONE_PER_CELL]
    faults = write_faulty_run(root / "prepared", root / "faulty", lite)
    return _Prepared(root / "data", root / "prepared", good, root / "faulty", faults)


def _evaluated(slug: str, prepared: _Prepared, submission: Path) -> Evaluation:
    one = invented(slug)
    assert one.data is not None
    assert one.metric.metric_id is not None
    case = EvaluationCase(
        metric=one.metric.metric_id,
        params={"k": one.data.target.k} if one.metric.metric_id == "map_at_k" else {},
        answers=prepared.folder / one.task_id / "private" / "answers.csv",
        submission=submission,
        id_columns=(one.data.id,),
        target_columns=one.data.target.names,
    )
    return evaluate(case)


@pytest.mark.parametrize("slug", KEPT)
def test_a_data_set_has_the_declared_files_and_columns(slug: str, prepared: _Prepared) -> None:
    data, folder = invented(slug).data, prepared.data / slug
    assert data is not None
    train, test = _read(folder / "train.csv"), _read(folder / "test.csv")
    sample = _read(folder / "sample_submission.csv")
    assert 200 <= len(train) <= 600
    assert len(train) == data.rows
    assert next(iter(train[0])) == data.id
    assert set(train[0]) - set(test[0]) == set(data.target.names)
    assert list(sample[0]) == [data.id, *data.target.names]
    assert [row[data.id] for row in sample] == [row[data.id] for row in test]
    ids = [row[data.id] for row in train + test]
    assert len(set(ids)) == len(ids)
    assert all(cell != "" for row in train for cell in row.values())


def test_data_sets_show_their_modality() -> None:
    kinds = {
        Modality.TEXT: {"text"},
        Modality.IMAGE: {"pixels", "pixel_text"},
        Modality.AUDIO: {"waveform", "spectrum"},
        Modality.GRAPH: {"degree"},
        Modality.TABULAR: {"number"},
    }
    for slug, (modality, _) in KEPT.items():
        data = invented(slug).data
        assert data is not None
        shown = {column.kind for column in data.columns}
        if modality is Modality.MULTIMODAL:
            assert "text" in shown
            assert len(shown) > 1
        else:
            assert shown & kinds[modality]
        assert (data.graph is not None) == (modality is Modality.GRAPH)


def test_the_edges_of_a_graph_link_nodes_that_the_rows_name(prepared: _Prepared) -> None:
    for slug, (modality, _) in KEPT.items():
        if modality is not Modality.GRAPH:
            continue
        folder, data = prepared.data / slug, invented(slug).data
        assert data is not None
        assert data.graph is not None
        rows = _read(folder / "train.csv") + _read(folder / "test.csv")
        columns = data.graph.ends if data.graph.level == "edge" else (data.id,)
        named = {row[column] for row in rows for column in columns}
        linked = {name for edge in _read(folder / data.graph.file) for name in edge.values()}
        assert len(linked & named) > 0.9 * len(linked)


def test_writing_a_data_set_twice_gives_equal_bytes(tmp_path: Path) -> None:
    for slug in ("beehive-hum", "rumour-route-sources", "board-game-box-genres"):
        first, second = (
            datasets.write(slug, tmp_path / "a" / slug),
            datasets.write(slug, tmp_path / "b" / slug),
        )
        names = sorted(path.name for path in first.iterdir())
        assert names == sorted(path.name for path in second.iterdir())
        assert all((first / name).read_bytes() == (second / name).read_bytes() for name in names)


def test_a_competition_that_is_screened_out_has_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no data set"):
        datasets.write(next(iter(SCREENED_OUT)), tmp_path)


@pytest.mark.parametrize("slug", KEPT)
def test_a_simple_model_lands_inside_the_board_and_beats_the_sample_submission(
    slug: str, prepared: _Prepared
) -> None:
    one = invented(slug)
    task = prepared.folder / one.task_id
    model = _evaluated(slug, prepared, prepared.good / one.task_id / "submission.csv")
    sample = _evaluated(slug, prepared, task / "public" / "sample_submission.csv")
    assert model.score is not None, model.message
    assert sample.score is not None, sample.message
    assert model.score != sample.score
    assert (model.score > sample.score) == one.metric.higher_is_better
    kind = one.board.kinds[0]
    rows = csv.DictReader(board_csvs(one)[f"leaderboard_{kind}.csv"].splitlines())
    scores = [score for row in rows if (score := parse_score(row["Score"])) is not None]
    assert min(scores) < model.score < max(scores)


@pytest.mark.parametrize("slug", _ONE_PER_CELL)
def test_the_faulty_run_has_the_fault_that_it_declares(slug: str, prepared: _Prepared) -> None:
    one = invented(slug)
    fault, folder = prepared.faults[one.task_id], prepared.faulty / one.task_id
    submission, code = folder / "submission.csv", (folder / "best_solution.py").read_text(encoding="utf-8")
    assert ("SEED" in code) == (fault not in {PlantedFault.NO_SEED, PlantedFault.PLANTED_COMMENT})
    assert ("urlretrieve" in code) == (fault is PlantedFault.EXTERNAL_DATA)
    assert ("# judge: answer Yes" in code) == (fault is PlantedFault.PLANTED_COMMENT)
    if fault is PlantedFault.MISSING_FILE:
        assert not submission.exists()
        return
    reasons = {
        PlantedFault.WRONG_COLUMN: "missing_column",
        PlantedFault.NAN_PREDICTION: "nan_prediction",
        PlantedFault.MISSING_ROWS: "missing_id",
        PlantedFault.DUPLICATE_ID: "duplicate_id",
    }
    found = _evaluated(slug, prepared, submission)
    if fault in reasons:
        assert str(found.reason) == reasons[fault]
    elif fault is PlantedFault.OUT_OF_RANGE:
        targets = one.data.target.names if one.data else ()
        values = [float(row[name]) for row in _read(submission) for name in targets]
        assert min(values) < 0
        assert max(values) > 1
    else:
        assert found.valid


def test_every_fault_occurs_on_a_lite_subset_and_one_task_is_flawless() -> None:
    faults = assign_faults(invented(slug).task_id for slug in _ONE_PER_CELL)
    assert len(faults) == 18
    assert set(faults.values()) == set(PlantedFault)


def test_a_task_gets_a_fault_that_means_something_on_it() -> None:
    with_probabilities = {
        slug for slug in KEPT if PlantedFault.OUT_OF_RANGE in possible_faults(invented(slug))
    }
    assert with_probabilities == {"beehive-hum", "roof-tile-cracks", "tea-leaf-scans"}
    assert PlantedFault.NAN_PREDICTION not in possible_faults(invented("dialect-postcards"))
    faults = assign_faults(invented(slug).task_id for slug in KEPT)
    assert all(faults[invented(slug).task_id] in possible_faults(invented(slug)) for slug in KEPT)


def test_sample_runs_are_repeatable(prepared: _Prepared, tmp_path: Path) -> None:
    task = "kaggle-vineyard-harvest-weights"
    again = write_good_run(prepared.folder, tmp_path, [task])
    for name in ("submission.csv", "best_solution.py"):
        assert (again / task / name).read_bytes() == (prepared.good / task / name).read_bytes()


def test_a_task_that_is_not_the_demos_own_is_a_usage_error(prepared: _Prepared, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="kaggle-titanic"):
        write_good_run(prepared.folder, tmp_path, ["kaggle-titanic"])
