"""How well judges do on the labelled examples, as a page."""

from collections.abc import Callable, Iterable, Sequence

from graders.constraints.judge import JudgeOutcome, judge
from graders.constraints.labelled import Item, Variant, labelled_items, unseen_items
from graders.constraints.labelled.agreement import JudgeAgreement, agreement

_INTRODUCTION = """# Judges of constraints

Written by `python -m graders.constraints > docs/judging.md`.

A constraint is read word by word as a small claim: what is meant, required or forbidden, with which numbers.
A word that the static judge does not understand could change the sense, so the sentence is *cannot tell*.
What stands in the submission (columns, ranges, decimals, sums) is measured there. The rest is read off the
syntax tree: calls of libraries in code that can run, with the values of their arguments. Names that the
program chose itself are no evidence. It says pass, fail or cannot tell, with the lines that show it.

In grades *cannot tell* counts as not passed, so the pass rate is printed twice: of all, and of the decided,
with the share that was decided. Where an endpoint is configured (`TAM_LLM_BASE_URL`, `TAM_LLM_MODEL`), a
model is asked about what the static judge cannot tell: an odd number of votes (`TAM_JUDGE_VOTES`), each
with two control questions, quotes that must stand in code that can run, and code without comments and idle
texts between markers that nobody can guess. No model has been measured yet.

Limits: memory and the time of a whole run are not judged from code; nor is which rows something was fitted
on, what a loop of the program's own computes, or what a free sentence asks for. Names, byte strings and
texts in other languages than English reach a model as they are.
"""
_UNSEEN = """
## Programs that the judge was not made with

{items} examples on {programs} programs of other styles (`graders/constraints/labelled/unseen/`): five
constraints each, {yes} kept and {no} broken, most of these subtly. They were written and labelled before the
judge was written anew, and no rule was changed for one of them. The judge before passed 16 of the {no}
violations (kappa 0.19, abstentions 51%). The new one was measured once (no violation passed, kappa 0.43,
abstentions 56%); after it had learned more settings from the labelled set, it is:
"""
_SET = """
## The labelled set

{items} examples on {programs} programs (`graders/constraints/labelled/`), written for this project and
labelled by reading the code; {yes} keep their constraint, {no} do not. Besides the plain programs there are
variants: *injected* (comments, texts and names that mislead), *dead code* (evidence that never runs or whose
effect is lost), *obfuscated* (a hidden violation), all labelled no; and *distracting* (the constraint is
kept, texts and dead code say otherwise), labelled yes. The judge was improved with this set in view, so its
figures flatter: those above are nearer to what it does elsewhere. It was not measured on code of real runs.
"""
_READING = """
Kappa is Cohen's, of yes and no, with *cannot tell* as no; "decided" leaves the abstentions out. A dash:
undefined where there is one answer only.
"""
_GROUP_HEAD = (
    "| | examples | kappa | abstentions | yes: pass / fail / cannot tell | no: pass / fail / cannot tell |\n"
    "|---|---:|---:|---:|---:|---:|\n"
)


def page() -> str:
    """The static judge's figures on the unseen and the labelled set, as Markdown."""
    unseen, items = unseen_items(), labelled_items()
    return "".join(
        [
            _INTRODUCTION,
            _described(_UNSEEN, unseen),
            figures("static judge on unseen programs", unseen, _judged(unseen)),
            _described(_SET, items),
            figures("static judge on the labelled set", items, _judged(items)),
        ]
    )


def _described(text: str, items: Sequence[Item]) -> str:
    kept = sum(item.keeps for item in items)
    programs = {item.item_id.rpartition("-")[0] for item in items}
    return text.format(items=len(items), programs=len(programs), yes=kept, no=len(items) - kept)


def _judged(items: Sequence[Item]) -> list[JudgeOutcome]:
    return [judge(item.code, [item.constraint])[0].outcome for item in items]


def figures(judge_name: str, items: Sequence[Item], outcomes: Sequence[JudgeOutcome]) -> str:
    """Confusion matrix and tables by variant and kind of one judge."""
    whole = against_labels(items, outcomes)
    head = (
        f"\n### The {judge_name}\n\nKappa {_number(whole.kappa)}, abstentions {_share(whole.abstention)}, "
        f"kappa of the decided {_number(whole.kappa_decided)}, right in {_share(whole.agreed)}.\n{_READING}\n"
    )
    parts = [
        head,
        "| label | pass | fail | cannot tell |\n|---|---:|---:|---:|\n",
        *(f"| {name} | {_cells(whole, label)} |\n" for name, label in _LABELS),
        "\n#### By variant\n\n",
        _table(items, outcomes, Variant, lambda item: item.variant),
        "\n#### By kind of constraint\n\n",
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
