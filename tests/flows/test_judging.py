"""A model's verdicts in the grades of a run."""

import json
import re
from pathlib import Path

from core.settings import load_settings
from flows.grading.batch import model_judge, second_opinions
from graders.constraints import judge
from graders.report import TaskGrade
from graders.runs import Entry
from tests.openai_server import Response, openai_server

CONSTRAINTS = ["Seed 42.", "Prices are treated with care."]


def entry_with_code(folder: Path) -> tuple[Entry, TaskGrade]:
    code = folder / "best_solution.py"
    code.write_text("import random\nrandom.seed(42)\nprice = max(0, random.random())\nprint(price)\n")
    verdicts = judge(code.read_text(), CONSTRAINTS)
    return Entry("t", 0, folder, None, code), TaskGrade("t", 0, verdicts=verdicts)


def answer(asked: dict[str, list[dict[str, str]]], _number: int) -> Response:
    prompt = asked["messages"][-1]["content"]
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
    assert judged.verdicts[1].tokens_in == 300


async def test_without_an_endpoint_grades_stay_as_they_are(tmp_path: Path) -> None:
    entry, grade = entry_with_code(tmp_path)
    assert await second_opinions(model_judge(load_settings()), [entry], [grade]) == [grade]
