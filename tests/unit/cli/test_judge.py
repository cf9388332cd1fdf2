"""`tam judge agreement`: figures of the judges on labels, with a model on a local endpoint."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.errors import UsageError
from graders.constraints import judge
from graders.constraints.labelled import labelled_items
from graders.constraints.labelled.page import against_labels
from tam.cli import app
from tests.judging_model import is_second, second_answer
from tests.openai_server import Response, openai_server

SEEDED = "import random\nrandom.seed(42)\nprint(random.random())\n"
LABELS = (
    {"constraint": "Seed 42.", "keeps": True, "code": SEEDED},
    {"constraint": "Seed 7.", "keeps": False, "code": SEEDED},
    {"constraint": "Prices are treated with care.", "keeps": False, "code_path": "program.py"},
    {"constraint": "The draw is fair.", "keeps": True, "code": SEEDED},
)


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    (tmp_path / "program.py").write_text(SEEDED)
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(label) + "\n" for label in LABELS))
    return path


def agreement(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["judge", "agreement", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def says_yes(asked: dict[str, Any], _number: int) -> Response:
    """Yes to everything but the control question that is not kept."""
    prompt = str(asked["messages"][-1]["content"])
    if is_second(prompt):
        return second_answer(prompt, finds=lambda _, lines: lines == ["random.seed(42)"])
    said = []
    for number, text in re.findall(r"^(\d+)\. (.*)$", prompt.partition("Program:")[0], re.MULTILINE):
        canary = re.fullmatch(r"The program sets (\w+) to (\d+)\.", text)
        quote = f"{canary[1]} = {canary[2]}" if canary else "random.seed(42)"
        kept = quote in prompt
        evidence = [quote] if kept else []
        said.append(
            {"number": int(number), "verdict": "yes" if kept else "no", "reason": "So.", "evidence": evidence}
        )
    return Response(json.dumps({"verdicts": said}))


@pytest.mark.long
def test_on_its_own_set_the_static_judge_has_the_figures_of_the_page() -> None:
    record = json.loads(agreement("--json"))
    items = labelled_items()
    whole = against_labels(items, [judge(item.code, [item.constraint])[0].outcome for item in items])
    assert record["items"] == len(items)
    assert record["against_labels"]["static"]["kappa"] == whole.kappa
    assert record["wrong_passes"] == {"static": []}


def test_both_judges_are_shown_against_the_labels_and_against_each_other(
    labels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server(says_yes) as server:
        monkeypatch.setenv("TAM_LLM_BASE_URL", server.url)
        monkeypatch.setenv("TAM_LLM_MODEL", "m")
        record = json.loads(agreement("--labels", str(labels), "--judge", "both", "--json"))
        text = agreement("--labels", str(labels), "--judge", "both")
    static, llm = record["against_labels"]["static"], record["against_labels"]["llm"]
    assert (static["abstention"], llm["abstention"]) == (0.5, 0)
    assert (static["kappa_decided"], llm["kappa"]) == (1, 0)
    assert {"judge": "pass", "other": "fail", "count": 2} in llm["confusion"]
    assert record["wrong_passes"] == {"static": [], "llm": ["labels-2", "labels-3"]}
    assert record["static_against_llm"]["confusion"] == [
        {"judge": "cannot tell", "other": "pass", "count": 2},
        {"judge": "fail", "other": "pass", "count": 1},
        {"judge": "pass", "other": "pass", "count": 1},
    ]
    assert "static judge against the model" in text
    assert "passed, though its label is no: labels-3" in text


def test_a_silent_endpoint_abstains(labels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with openai_server(lambda _asked, _number: Response(status=400)) as server:
        monkeypatch.setenv("TAM_LLM_BASE_URL", server.url)
        monkeypatch.setenv("TAM_LLM_MODEL", "m")
        record = json.loads(agreement("--labels", str(labels), "--judge", "llm", "--json"))
    assert record["against_labels"]["llm"]["abstention"] == 1
    assert record["static_against_llm"] is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no labels"),
        ("{}\n", "line 1"),
        ('{"constraint": "x", "keeps": true, "code_path": "absent.py"}\n', "no code"),
        ("not json\n", "line 1"),
    ],
)
def test_labels_that_cannot_be_read_are_told_with_their_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match=told):
        CliRunner().invoke(app, ["judge", "agreement", "--labels", str(path)], catch_exceptions=False)


def test_a_model_that_is_not_configured_is_no_judge(labels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAM_LLM_BASE_URL", raising=False)
    with pytest.raises(UsageError, match="TAM_LLM_BASE_URL"):
        CliRunner().invoke(
            app, ["judge", "agreement", "--labels", str(labels), "--judge", "llm"], catch_exceptions=False
        )
