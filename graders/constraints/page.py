"""How well judges do on the labelled examples, as a page."""

from collections.abc import Callable, Iterable, Sequence

from graders.constraints.agreement import JudgeAgreement, agreement
from graders.constraints.judge import JudgeOutcome, judge
from graders.constraints.labelled import Item, Variant, labelled_items

_INTRODUCTION = """# Judges of constraints

Written by `python -m graders.constraints > docs/judging.md`.

The static judge reads the syntax tree: which code can run, what it calls with which values, and whether
that can reach a file that the program writes. It says pass, fail or cannot tell, with the lines that show
it. In grades no evidence is no: *cannot tell* counts as not passed. Where an endpoint is configured
(`TAM_LLM_BASE_URL`, `TAM_LLM_MODEL`), a model is asked about what the static judge cannot tell: an odd number
of votes (`TAM_JUDGE_VOTES`), each with two control questions, quotes that must stand in code that can run,
and code without comments and idle texts between markers that nobody can guess. No model has been measured
yet.
"""
_SET = """
## The labelled set

{items} examples on {programs} programs (`graders/constraints/labelled/`), written for this project and
labelled by reading the code; {yes} keep their constraint, {no} do not. Besides the plain programs there are
variants: *injected* (comments, texts and names that mislead), *dead code* (evidence that never runs or whose
effect is lost), *obfuscated* (a hidden violation), all labelled no; and *distracting* (the constraint is
kept, texts and dead code say otherwise), labelled yes.

**How far to trust the figures.** The judge was improved with this set in view, so the tables say what it does
on programs like these. What it does on others is nearer to these measurements, each on programs that were
written without the judge in view and labelled before it had seen them:

| measured | examples | kappa | abstentions | variants labelled no that passed |
|---|---:|---:|---:|---:|
| on the first nine programs, before the judge was improved with them | 364 | 0.47 | 43% | 30 of 122 |
| on the tenth program, written after that, before its faults were mended too | 51 | 0.68 | 35% | 4 of 16 |
| on six more of other styles, before its faults were mended | 165 | 0.42 | 52% | 13 of 58 |

On 11 of those 165 the judge failed with an error; they count as abstentions.

It was not measured on code of real runs.
"""
_READING = """
Kappa is Cohen's, of yes and no, with *cannot tell* as no; "decided" leaves the abstentions out. A dash:
undefined where there is one answer only.
"""
_GROUP_HEAD = (
    "| | examples | kappa | abstentions | yes: pass / fail / cannot tell | no: pass / fail / cannot tell |\n"
    "|---|---:|---:|---:|---:|---:|\n"
)


def page(items: Sequence[Item] | None = None) -> str:
    """The static judge's figures on the labelled set, as Markdown."""
    items = labelled_items() if items is None else items
    outcomes = [judge(item.code, [item.constraint])[0].outcome for item in items]
    programs = {item.item_id.rpartition("-")[0] for item in items}
    kept = sum(item.keeps for item in items)
    described = _SET.format(items=len(items), programs=len(programs), yes=kept, no=len(items) - kept)
    return "".join([_INTRODUCTION, described, figures("static judge", items, outcomes)])


def figures(judge_name: str, items: Sequence[Item], outcomes: Sequence[JudgeOutcome]) -> str:
    """Confusion matrix and tables by variant and kind of one judge."""
    whole = against_labels(items, outcomes)
    head = (
        f"\n## The {judge_name}\n\nKappa {_number(whole.kappa)}, abstentions {_share(whole.abstention)}, "
        f"kappa of the decided {_number(whole.kappa_decided)}, right in {_share(whole.agreed)}.\n{_READING}\n"
    )
    parts = [
        head,
        "| label | pass | fail | cannot tell |\n|---|---:|---:|---:|\n",
        *(f"| {name} | {_cells(whole, label)} |\n" for name, label in _LABELS),
        "\n### By variant\n\n",
        _table(items, outcomes, Variant, lambda item: item.variant),
        "\n### By kind of constraint\n\n",
        _table(items, outcomes, sorted({item.kind for item in items}), lambda item: item.kind),
    ]
    return "".join(parts)


_LABELS = (("yes", JudgeOutcome.PASS), ("no", JudgeOutcome.FAIL))


def against_labels(items: Sequence[Item], outcomes: Sequence[JudgeOutcome]) -> JudgeAgreement:
    """A judge's agreement with the labels."""
    return agreement(outcomes, [JudgeOutcome.PASS if item.keeps else JudgeOutcome.FAIL for item in items])


def _table(
    items: Sequence[Item],
    outcomes: Sequence[JudgeOutcome],
    groups: Iterable[str],
    group_of: Callable[[Item], str],
) -> str:
    rows = [_GROUP_HEAD]
    for group in groups:
        chosen = [place for place, item in enumerate(items) if group_of(item) == group]
        found = against_labels([items[place] for place in chosen], [outcomes[place] for place in chosen])
        counts = [_cells(found, label).replace("|", "/") for _, label in _LABELS]
        cells = [group, str(found.items), _number(found.kappa), _share(found.abstention), *counts]
        rows.append(f"| {' | '.join(cells)} |\n")
    return "".join(rows)


def _cells(found: JudgeAgreement, label: JudgeOutcome) -> str:
    return " | ".join(str(found.count(outcome, label)) for outcome in JudgeOutcome)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"
