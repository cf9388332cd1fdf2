"""Do public files give answers away? Every way that is known is tried on the files as they lie there."""

from preparation.leaks import columns, copies, files, media, tables
from preparation.leaks.leak import Leak
from preparation.leaks.parts import Parts
from schema.prepared import Prepared


def find_leaks(prepared: Prepared) -> tuple[Leak, ...]:
    """Every leak of a prepared task, whether accepted or not.

    From the record's `leak_skill` on (0 chance, 1 certain) one column, id or path counts as telling.
    """
    threshold = prepared.record.leak_skill
    parts = Parts(prepared.folder, prepared.record)
    found = [
        *columns.answer_columns(parts),
        *columns.overlapping_ids(parts),
        *columns.telling_columns(parts, threshold),
        *columns.telling_ids(parts, threshold),
        *columns.telling_order(parts, threshold),
        *files.telling_names(parts, threshold),
        *media.telling_features(parts, threshold),
        *files.answer_files(parts),
        *files.telling_times(parts, threshold),
        *files.duplicate_files(parts),
        *copies.duplicate_rows(parts),
        *copies.near_texts(parts),
        *copies.near_numbers(parts),
        *copies.near_media(parts),
        *tables.side_files(parts, threshold),
    ]
    return tuple(found)
