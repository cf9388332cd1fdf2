"""Pages, and what a model at a local endpoint says of them: what the tests of the LLM mapper share."""

import json
from typing import Any

from core.llm import Endpoint
from core.spending import Budget, Meter
from graders.metrics import catalogue
from mapping.evidence import texts_of
from mapping.llm.reader import Asking, LlmReader, Replies
from mapping.llm.settlement import ModelOrigin, SettledTask, Settlement, read_replies, settle
from mapping.mapper import map_task
from mapping.proof import false_evidence, unproven_fields
from schema.capture import PageKind
from schema.competition import Competition
from schema.page import Page
from tests.mapping_model import MappingModel
from tests.openai_server import Answerer, OpenAiServer, openai_server

CATALOGUE = catalogue()


COMPETITION = Competition("kaggle", "bell-tower", "https://example.org", "Bell tower")


PLAIN = """# Overview

## What it is about
Each evening the keeper notes how long the **great bell** rings. Tell from the recording how long, in seconds.

## How you are ranked
The figure that counts is how far off you are on the average day. Less is better.

## Do not forget
Solutions run for two hours and reach no network.

Entries close on 3 May 2024, at noon.
"""


FULL = """## Evaluation
Submissions are evaluated on root mean squared error.

```
id,seconds
1,0.5
```
"""


QUICK = Asking(wait=0.01, attempts=3)


GOAL = "Tell from the recording how long, in seconds."


LIMIT = "Solutions run for two hours and reach no network."


def pages_of(text: str) -> list[Page]:
    return [Page(PageKind.OVERVIEW, "https://example.org", text)]


async def replies_of(
    answerer: Answerer, text: str = PLAIN, asking: Asking = QUICK, budget: Budget | None = None
) -> tuple[Replies, Meter, OpenAiServer, LlmReader]:
    meter = Meter()
    with openai_server(answerer) as server:
        endpoint = Endpoint(server.url, "scripted", timeout=300)
        reader = LlmReader(endpoint, CATALOGUE, asking, budget or Budget())
        replies = await reader.read(pages_of(text), meter)
    return replies, meter, server, reader


async def mapped(
    said: dict[str, Any],
    text: str = PLAIN,
    competition: Competition = COMPETITION,
    asking: Asking = QUICK,
) -> SettledTask:
    """The task of a page that a model said this about."""
    replies, _, _, reader = await replies_of(MappingModel(said), text, asking)
    origin = ModelOrigin("scripted", reader.prompt_id, asking.part)
    rules = map_task(pages_of(text), competition, CATALOGUE)
    reading = read_replies(pages_of(text), replies, CATALOGUE, origin)
    settled = settle(rules, reading, CATALOGUE, origin)
    assert false_evidence(settled.task, texts_of(pages_of(text), competition)) == ()
    assert set(unproven_fields(settled.task)) <= set(unproven_fields(rules))
    return settled


def of(settled: SettledTask, field: str) -> Settlement:
    (found,) = [one for one in settled.settlements if one.field == field]
    return found


def with_fields(text: str, **changed: object) -> str:
    record = {**json.loads(text), **changed}
    return json.dumps({name: value for name, value in record.items() if value != "absent"})
