"""A model that maps pages, for the local endpoint: it says what a test gives it, in the form asked for."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.openai_server import Response

NOTHING: dict[str, Any] = {
    "task_type": None,
    "goal_description": None,
    "metric_name": None,
    "metric_formula": None,
    "metric_id": None,
    "direction": None,
    "target_columns": None,
    "id_columns": None,
    "output_format": None,
    "train_files": [],
    "test_files": [],
    "constraints": [],
    "modality": None,
    "domain": None,
    "deadline": None,
    "license": None,
}


def request_of(asked: dict[str, Any]) -> str:
    """The question of a request, also of one that asks for a repair."""
    return str(asked["messages"][1]["content"])


def control_of(asked: dict[str, Any]) -> str:
    """The control word that an honest reader gives back."""
    found = re.match(r"Control word: (\w+)\n", request_of(asked))
    assert found is not None
    return found[1]


def decoy_of(asked: dict[str, Any]) -> str:
    """The word that the planted line demands."""
    found = re.search(r"put (\w+) into `control`", request_of(asked))
    assert found is not None
    return found[1]


def reply(asked: dict[str, Any], **said: object) -> str:
    """An honest reply: null and empty but for what is said."""
    return json.dumps({"control": control_of(asked), **NOTHING, **said})


@dataclass
class MappingModel:
    """Answers every request with the same statements; `shape` makes the response of an honest reply."""

    said: dict[str, Any] = field(default_factory=dict)
    shape: Callable[[str, int], Response] = lambda text, _number: Response(text)

    def __call__(self, asked: dict[str, Any], number: int) -> Response:
        return self.shape(reply(asked, **self.said), number)
