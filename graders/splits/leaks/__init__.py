"""Do public files give answers away? Every way that is known is tried on the files as they lie there."""

from graders.splits.leaks import columns, copies, files, tables
from graders.splits.leaks.found import Leak, LeakError, LeakKind
from graders.splits.leaks.parts import Parts
from graders.splits.prepared import Prepared
from graders.splits.spec import LEAK_SKILL

__all__ = ["Leak", "LeakError", "LeakKind", "find_leaks"]


def find_leaks(prepared: Prepared, *, threshold: float = LEAK_SKILL) -> tuple[Leak, ...]:
    """Every leak of a prepared task, whether accepted or not.

    `threshold` is the skill (0 chance, 1 certain) from which one column, id or path counts as telling.
    """
    parts = Parts(prepared.folder, prepared.record)
    found = [
        *columns.answer_columns(parts),
        *columns.overlapping_ids(parts),
        *columns.telling_columns(parts, threshold),
        *columns.telling_ids(parts, threshold),
        *columns.telling_order(parts, threshold),
        *files.telling_names(parts, threshold),
        *files.answer_files(parts),
        *files.telling_times(parts, threshold),
        *files.duplicate_files(parts),
        *copies.duplicate_rows(parts),
        *copies.near_texts(parts),
        *copies.near_numbers(parts),
        *tables.side_tables(parts, threshold),
        *tables.answer_lines(parts),
    ]
    return tuple(found)
