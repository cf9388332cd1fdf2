"""A model's verdicts in the grades of a run."""

import json
import re
from pathlib import Path

import pytest

from core.errors import UsageError
from core.settings import load_settings
from flows.grading.batch import model_judge, second_opinions
from graders.constraints import judge
from graders.report import TaskGrade
from graders.runs import Entry
from tests.judging_model import is_second, second_answer
from tests.openai_server import Response, openai_server

CONSTRAINTS = ["Seed 42.", "Prices are treated with care."]


def entry_with_code(folder: Path) -> tuple[Entry, TaskGrade]:
    code = folder / "best_solution.py"
    code.write_text("import random\nrandom.seed(42)\nprice = max(0, random.random())\nprint(price)\n")
    verdicts = judge(code.read_text(), CONSTRAINTS)
    return Entry("t", 0, folder, None, code), TaskGrade("t", 0, verdicts=verdicts)


def answer(asked: dict[str, list[dict[str, str]]], _number: int) -> Response:
    prompt = asked["messages"][-1]["content"]
    if is_second(prompt):
        return second_answer(prompt, finds=lambda _, lines: lines == ["price = max(0, random.random())"])
    found = []
    for number, text in re.findall(r"^(\d+)\. (.*)$", prompt.split("Program:")[0], re.MULTILINE):
        canary = re.fullmatch(r"The program sets (\w+) to (\d+)\.", text)
        quote = f"{canary[1]} = {canary[2]}" if canary else "price = max(0, random.random())"
        said = "yes" if quote in prompt else "no"
        evidence = [quote] if said == "yes" else []
        found.append({"number": int(number), "verdict": said, "reason": "So.", "evidence": evidence})
    return Response(json.dumps({"verdicts": found}))


async def test_a_configured_model_is_asked_what_the_static_judge_cannot_tell(tmp_path: Path) -> None:
    entry, grade = entry_with_code(tmp_path)
    with openai_server(answer) as server:
        settings = load_settings(llm_base_url=server.url, llm_model="m")
        (judged,) = await second_opinions(model_judge(settings), [entry], [grade])
    assert [(verdict.judge, verdict.passed) for verdict in judged.verdicts] == [
        ("static", True),
        ("llm", True),
    ]
    assert judged.verdicts[1].tokens_in == 400


async def test_without_an_endpoint_grades_stay_as_they_are(tmp_path: Path) -> None:
    entry, grade = entry_with_code(tmp_path)
    assert await second_opinions(model_judge(load_settings()), [entry], [grade]) == [grade]


async def test_who_judges_is_chosen_and_what_it_took_is_known(tmp_path: Path) -> None:
    entry, grade = entry_with_code(tmp_path)
    with openai_server(answer) as server:
        settings = load_settings(llm_base_url=server.url, llm_model="m", llm_price_in=2.0, llm_price_out=10.0)
        assert model_judge(settings, "static") is None
        llm = model_judge(settings, "llm", max_cost=1.0)
        assert llm is not None
        (judged,) = await second_opinions(llm, [entry], [grade], every=True)
    assert {verdict.judge for verdict in judged.verdicts} == {"llm"}
    assert llm.budget.meter.calls == 4  # three votes on both, and the second question
    assert llm.budget.cost == pytest.approx((400 * 2 + 40 * 10) / 1e6)
    with pytest.raises(UsageError, match="TAM_LLM_BASE_URL"):
        model_judge(load_settings(), "llm")
    with pytest.raises(UsageError, match="prices"):
        model_judge(load_settings(llm_base_url="http://127.0.0.1:9/v1", llm_model="m"), max_cost=1.0)
