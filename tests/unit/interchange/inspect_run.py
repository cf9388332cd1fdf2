"""Run an exported task with Inspect AI's mock model, and print what its log says as JSON.

A process of its own: Inspect AI takes seconds to import and warns of its dependencies.

    python inspect_run.py FOLDER TASK_ID COMMAND
"""

import json
import os
import sys
from pathlib import Path

from inspect_ai import eval as run_eval
from inspect_ai import list_tasks
from inspect_ai.model import ModelOutput, get_model


def main(folder: str, task_id: str, command: str) -> None:
    os.chdir(folder)
    found = [f"{task.file}@{task.name}" for task in list_tasks(root_dir=Path.cwd())]
    calls = [("bash", {"cmd": command}), ("submit", {"answer": "done"})]
    outputs = [ModelOutput.for_tool_call("mockllm/model", name, arguments) for name, arguments in calls]
    (log,) = run_eval(
        task_id,
        model=get_model("mockllm/model", custom_outputs=outputs),
        sandbox="local",
        display="none",
        log_dir="_logs",
    )
    (sample,) = log.samples or []
    score = (sample.scores or {})["tam_grader"]
    print(  # noqa: T201 — its only output
        json.dumps(
            {
                "tasks": found,
                "status": log.status,
                "name": log.eval.task,
                "metadata": sample.metadata,
                "prompt": sample.input,
                "means": {one.name: one.metrics["mean"].value for one in log.results.scores},
                "score": score.value,
                "grade": (score.metadata or {})["grade"],
                "explanation": score.explanation,
            },
            default=str,
        )
    )


main(*sys.argv[1:])
