"""The prepared data of a task, read from the disk."""

from pathlib import Path

from pydantic import ValidationError

from core.errors import TaskError
from preparation.files import sha256_of
from schema.prepared import ANSWERS, RECORD, Prepared, SplitRecord


def load_prepared(folder: Path) -> Prepared:
    """The prepared data in `<lake>/prepared/<task_id>`; the answers are checked against their checksum.

    Raises:
        TaskError: the folder is no prepared data, or its answers have changed.
    """
    try:
        record = SplitRecord.model_validate_json((folder / RECORD).read_bytes())
        found = sha256_of(folder / ANSWERS)
    except (OSError, ValidationError) as error:
        raise TaskError(f"{folder} holds no prepared data ({error}). Run `tam prepare`.") from error
    if record.files.get(ANSWERS) != found:
        raise TaskError(
            f"The answers of {record.task_id} are not those that were prepared. Prepare it again."
        )
    return Prepared(folder, record)
