"""`python -m schema` writes the JSON Schemas in `docs/` anew."""

from pathlib import Path

from schema.json_schema import PUBLISHED_SCHEMAS, json_schema
from tam.files import write_atomically

for name, record in PUBLISHED_SCHEMAS.items():
    write_atomically(Path(__file__).parents[1] / name, json_schema(record))
