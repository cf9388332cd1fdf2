"""What a scripted model answers to the judge's second question: statements with quoted lines."""

import json
import re
from collections.abc import Callable

from tests.openai_server import Response


def is_second(prompt: str) -> bool:
    """The first question shows the program."""
    return "Program:" not in prompt


def pairs(prompt: str) -> list[tuple[int, str, list[str]]]:
    """The numbered statements, each with its lines."""
    found = re.findall(r"^(\d+)\. (.*)\n((?:    .*\n?)+)", prompt, re.MULTILINE)
    return [(int(number), text, [one.strip() for one in lines.splitlines()]) for number, text, lines in found]


def second_answer(prompt: str, *, finds: Callable[[str, list[str]], bool]) -> Response:
    """Right about the statements whose truth is known, and what it `finds` in the others."""
    answers = []
    for number, text, lines in pairs(prompt):
        canary = re.fullmatch(r"The program sets (MARK_\w+) to (\d+)\.", text)
        shows = f"{canary[1]} = {canary[2]}" in lines if canary else finds(text, lines)
        answers.append({"number": number, "shows": "yes" if shows else "no"})
    return Response(json.dumps({"answers": answers}))
