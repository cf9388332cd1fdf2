"""A report of invented records, with strangers' text in it that tries to break out of the pages."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from report.changes import Changes, MovedShown, SiteChange
from report.records import PlatformRead, Report, SubsetCut
from report.runs import Figure, Lead, RunGroup, RunShown
from report.site import pages
from report.tasks import BoardShown, GradeShown, Judged, Proof, Rating, Screened, TaskRecord
from report.validation import AgentOrder, LabelSet, Measured, ScorerAgreement, Validation
from schema.difficulty import Level
from schema.metric import Direction
from schema.screening import Rule
from schema.task import Domain, Modality

NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)
PLATFORMS = ("kaggle", "aicrowd", "biendata")
ATTACK = '"><img src="http://127.0.0.1:9/x.png" onerror="alert(1)"><script>alert(2)</script>\u202etxet'
"""Put wherever a stranger's text may stand."""
DESCRIPTION = f"""# The roses
{ATTACK}

Read [the rules](javascript:alert(3)) and ![a rose](http://127.0.0.1:9/rose.png "rose") or <http://127.0.0.1:9/>.

<iframe src="http://127.0.0.1:9/frame"></iframe>
<style>@import url(http://127.0.0.1:9/style.css);</style>

#### Columns
| id | petals |
|---|---|
| 1 | 5 |

```js
fetch("http://127.0.0.1:9/fetch")
```
"""
_MODALITIES, _LEVELS, _DOMAINS, _RULES = (list(kind) for kind in (Modality, Level, Domain, Rule))


def sample_task(number: int) -> TaskRecord:
    """One task; every third is rejected, every seventh has no board, no modality and no level."""
    bare, platform = number % 7 == 6, PLATFORMS[number % 3]
    level = None if bare else _LEVELS[number % 3]
    scores = np.random.default_rng(number).beta(5, 2, size=20 + number % 180)
    chance = (0.7, 0.2, 0.1)
    failed = {_RULES[number // 3 % len(_RULES)]} if number % 3 == 2 else set()
    slug = f"rose-garden-{number:04}"
    return TaskRecord(
        task_id=f"{platform}-{slug}",
        title=f"Rose Garden {number} {ATTACK if number == 0 else ''}",
        platform=platform,
        competition=slug,
        url=f"https://roses.invalid/{slug}",
        modality=None if bare else _MODALITIES[number % 6],
        domain=_DOMAINS[number % len(_DOMAINS)] if number % 2 else None,
        deadline=NOON,
        license=None,
        metric="area under the ROC curve",
        metric_id="roc_auc",
        direction=Direction.MAXIMIZE if number % 2 else Direction.MINIMIZE,
        target="petals",
        output_format="id,petals\n1,5",
        goal=f"Count petals. {ATTACK}",
        constraints=("Fix the random seed at 42.", ATTACK),
        mapper="rules",
        description=DESCRIPTION,
        board=None
        if bare
        else BoardShown("private", scores, Direction.MAXIMIZE, number % 5 > 0, "dom", NOON),
        ratings=(
            Rating("formula", None if bare else 0.3 + 0.3 * (number % 3), level, None, False, None),
            Rating(
                "calibrated", None if bare else 0.9, level, None if bare else chance, number % 4 == 0, None
            ),
        ),
        proofs=(
            Proof("target_col", "petals", ATTACK, "overview", 3, 90, "words of the page", number % 2 == 0),
        ),
        unproven=("license",) if bare else (),
        screened=tuple(Screened(rule, rule not in failed, f"Since it is so: {ATTACK}") for rule in _RULES),
    )


def _grade(task: TaskRecord, run: str, number: int) -> GradeShown:
    valid = number % 4 > 0
    judged = tuple(
        Judged(
            index,
            text,
            (index + number) % 2 == 0,
            "The code shows it.",
            (f"12: seed({index})  # {ATTACK}",),
            "static",
        )
        for index, text in enumerate(task.constraints)
    )
    return GradeShown(
        run=run,
        seed=0,
        task_id=task.task_id,
        made=True,
        valid=valid,
        fault=None if valid else "missing_id",
        message="" if valid else "3 ids are missing.",
        score=0.7 if valid else None,
        rank=number + 1 if valid else None,
        participants=200 if valid else None,
        rank_pct=(number % 20 + 1) / 200 if valid else 1.0,
        medal="gold" if valid and number < 3 else None,
        notes=() if valid else (f"missing_id: {ATTACK}",),
        judged=judged,
    )


def _run(name: str, rank: float, tasks: tuple[TaskRecord, ...]) -> RunShown:
    share = Figure(0.75, 0.6, 0.9, len(tasks))
    return RunShown(
        name=name,
        seeds=1,
        tasks=len(tasks),
        rank=Figure(rank, rank - 0.1, rank + 0.1, len(tasks)),
        rank_only_valid=share,
        shares=dict.fromkeys(
            (
                "made a submission",
                "valid submission",
                "constraints decided by the judge",
                "constraints kept, of the decided",
                "constraints kept, undecided as failed",
            ),
            share,
        ),
        by_modality={modality: Figure(rank, None, None, 3) for modality in _MODALITIES[:5]},
        by_level={level: Figure(rank, None, None, 6) for level in _LEVELS},
        grades=tuple(_grade(task, name, number) for number, task in enumerate(tasks)),
    )


def sample_report(count: int = 30, graded: int = 18) -> Report:
    """A report of `count` tasks, two runs over the first `graded` of them."""
    plain = tuple(sorted(map(sample_task, range(count)), key=lambda task: task.task_id))
    subject = tuple(task for task in plain if task.kept)[:graded]
    runs = (_run("thorough", 0.2, subject), _run(f"hasty {ATTACK}", 0.5, subject))
    given = {task.task_id: pair for task, *pair in zip(subject, *(run.grades for run in runs), strict=True)}
    cells = {(task.modality, task.level): (task.task_id,) for task in subject if task.modality and task.level}
    return Report(
        made_at=NOON,
        version="0.1.0",
        release=None,
        platforms=tuple(PlatformRead(name, 10, 9, 1, 0, 12_345, NOON) for name in PLATFORMS),
        tasks=tuple(replace(task, grades=tuple(given.get(task.task_id, ()))) for task in plain),
        subsets=(SubsetCut("lite", None, "formula", 0, 1, cells),),
        run_groups=(RunGroup("lite", None, runs, Lead(-0.3, -0.4, -0.2, 10, 3, 5)),),
        validation=_validation(),
        changes=Changes(
            "2026-04",
            NOON,
            MovedShown(added=tuple(task.task_id for task in plain[:1]), removed=("kaggle-gone",)),
            MovedShown(changed=("kaggle/roses/private",)),
            (SiteChange(NOON, "kaggle", "roses", "description", f"title: {ATTACK}"),),
        ),
    )


def _validation() -> Validation:
    figure = Measured(0.7, 0.6, 0.8)
    counts = ((5.0, 2.0, 0.0), (1.0, 6.5, 2.0), (0.0, 1.0, 4.0))
    agreements = tuple(
        ScorerAgreement(name, figure, figure, figure, counts) for name in ("calibrated", "formula")
    )
    orders = (AgentOrder("formula", dict.fromkeys(Level, 0.4), True, 0.5, 18, 2),)
    return Validation("a test", (LabelSet("known levels", 22, agreements),), orders)


def write_site(report: Report, folder: Path) -> Path:
    """Write every file of the report; returns the folder."""
    for page in pages(report):
        path = folder / page.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page.text, encoding="utf-8")
    return folder
