"""Columns, ids and the order of rows that tell the target."""

import re
from collections.abc import Iterator

from preparation.leaks.leak import Leak, LeakKind
from preparation.leaks.parts import Parts, picked
from preparation.leaks.skill import order_skill
from preparation.leaks.views import Told, best_alone
from schema.prepared import TEST, TRAIN, Strategy


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
    """Features each of which predicts a target nearly alone, by its value or by a view of it."""
    record = parts.record
    known = [record.time_column] if record.strategy is Strategy.TIME else []
    names = [name for name in parts.features if name not in known]
    for name in names:
        told = _told_by_column(parts, name, len(names))
        if told is not None and told.is_leak(threshold):
            yield _telling(LeakKind.TELLING_COLUMN, f"column {name!r} of {TEST}", name, told)


def _told_by_column(parts: Parts, name: str, tried: int) -> Told | None:
    test = picked(parts.test, name, parts.test_rows)
    if name not in parts.train.names:
        return best_alone(parts.truths, test, tried=tried)
    return parts.best((picked(parts.train, name, parts.train_rows), test), tried=tried)


def _telling(kind: LeakKind, place: str, column: str, told: Told) -> Leak:
    return Leak(kind=kind, file=TEST, column=column, figure=round(told.skill, 6), said=told.sentence(place))


def telling_ids(parts: Parts, threshold: float) -> Iterator[Leak]:
    """Ids whose number, letters or digits predict a target."""
    ids = parts.record.id_columns
    for name in ids:
        cells = picked(parts.train, name, parts.train_rows), picked(parts.test, name, parts.test_rows)
        told = parts.best(cells, tried=len(ids), names=True)
        if told is not None and told.is_leak(threshold):
            yield _telling(LeakKind.TELLING_ID, f"id {name!r} in {TEST}", name, told)


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
