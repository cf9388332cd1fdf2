"""Columns, ids and the order of rows that tell the target."""

import re
from collections.abc import Iterator, Sequence

from preparation.leaks.leak import Leak, LeakKind
from preparation.leaks.parts import Parts, picked
from preparation.leaks.skill import Truth, order_skill, repeats, telling
from schema.prepared import TEST, TRAIN, Strategy

_ID_VIEWS = 10


def answer_columns(parts: Parts) -> Iterator[Leak]:
    """Columns of the public test part that are called like the target."""
    hidden = {_plain(name) for name in (*parts.hidden, *parts.record.target_columns)}
    for name in parts.test.names:
        if _plain(name) in hidden and name not in parts.record.id_columns:
            said = f"{TEST} has the answers' column {name!r} ({parts.test.rows:,} rows)."
            yield Leak(kind=LeakKind.ANSWER_COLUMN, file=TEST, column=name, figure=parts.test.rows, said=said)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


def overlapping_ids(parts: Parts) -> Iterator[Leak]:
    """Ids of the answers that the training part has too."""
    ids = parts.record.id_columns
    known, asked = (
        set(zip(*(table.texts(name) for name in ids), strict=True)) for table in (parts.train, parts.answers)
    )
    both = len(known & asked)
    if both:
        said = f"{TRAIN} holds {both:,} of the {len(asked):,} ids that are asked for."
        yield Leak(kind=LeakKind.ID_OVERLAP, file=TRAIN, column=", ".join(ids), figure=both, said=said)


def telling_columns(parts: Parts, threshold: float) -> Iterator[Leak]:
    """Features each of which predicts a target nearly alone."""
    record = parts.record
    known = [record.time_column] if record.strategy is Strategy.TIME else []
    names = [name for name in parts.features if name not in known]
    for name in names:
        test = picked(parts.test, name, parts.test_rows)
        there = name in parts.train.names
        train = picked(parts.train, name, parts.train_rows) if there else []
        for truth in parts.truths:
            skill: float | None = float(repeats(truth, test, tried=len(names)))
            if there and skill == 0:
                skill = telling(truth, train, test, tried=len(names), pooled=parts.pooled)
            if skill is not None and skill >= threshold:
                yield _telling(LeakKind.TELLING_COLUMN, TEST, name, truth, skill)
                break


def _telling(kind: LeakKind, file: str, name: str, truth: Truth, skill: float) -> Leak:
    said = (
        f"Column {name!r} of {file} alone predicts {truth.name!r} with a skill of {skill:.3f} (1 is certain)."
    )
    return Leak(kind=kind, file=file, column=name, figure=round(skill, 6), said=said)


def telling_ids(parts: Parts, threshold: float) -> Iterator[Leak]:
    """Ids whose number, letters or digits predict a target."""
    ids = parts.record.id_columns
    for name in ids:
        train, test = picked(parts.train, name, parts.train_rows), picked(parts.test, name, parts.test_rows)
        if found := best_view(parts, train, test, tried=_ID_VIEWS * len(ids)):
            truth, view, skill = found
            if skill >= threshold:
                said = (
                    f"The {view} of id {name!r} in {TEST} predicts {truth.name!r} "
                    f"with a skill of {skill:.3f} (1 is certain)."
                )
                figure = round(skill, 6)
                yield Leak(kind=LeakKind.TELLING_ID, file=TEST, column=name, figure=figure, said=said)


def best_view(
    parts: Parts, train: Sequence[str], test: Sequence[str], *, tried: int
) -> tuple[Truth, str, float] | None:
    """The view of some names that tells a target best: their number, letters, last digit and so on."""
    fit, check = views(train), views(test)
    found = [
        (truth, view, skill)
        for truth in parts.truths
        for view in fit
        if (skill := telling(truth, fit[view], check[view], tried=tried, pooled=parts.pooled)) is not None
    ]
    return max(found, key=lambda one: one[2], default=None)


def views(names: Sequence[str]) -> dict[str, list[str]]:
    """What a name can be read for."""
    numbers = [re.findall(r"\d{1,15}", name) for name in names]
    words = [re.split(r"[\s_\-./:]+", name) for name in names]
    return {
        "number": [found[-1] if found else "" for found in numbers],
        "first letters": [(re.match(r"\D*", name) or [""])[0] for name in names],
        "last letters": [(re.search(r"\D*$", name) or [""])[0] for name in names],
        "last digit": [f"d{found[-1][-1]}" if found else "" for found in numbers],
        "parity": ["" if not found else ("odd" if int(found[-1][-1]) % 2 else "even") for found in numbers],
        "letters": [re.sub(r"\d+", "#", name) for name in names],
        "first word": [found[0] for found in words],
        "second word": [found[1] if len(found) > 1 else "" for found in words],
        "last word": [found[-1] for found in words],
        "whole": list(names),
    }


def telling_order(parts: Parts, threshold: float) -> Iterator[Leak]:
    """The order of the test part's rows, where time does not order them anyway."""
    if parts.record.strategy is Strategy.TIME:
        return
    for truth in parts.truths:
        skill = order_skill(truth)
        if skill is not None and skill >= threshold:
            said = f"The order of the rows in {TEST} tells {truth.name!r} with a skill of {skill:.3f}."
            yield Leak(kind=LeakKind.ROW_ORDER, file=TEST, figure=round(skill, 6), said=said)
            return
