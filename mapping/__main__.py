"""`python -m mapping` writes the JSON Schemas in `docs/` anew."""

from pathlib import Path

from core.files import write_atomically
from mapping.json_schema import PUBLISHED_SCHEMAS, json_schema

for name, record in PUBLISHED_SCHEMAS.items():
    write_atomically(Path(__file__).parents[1] / name, json_schema(record))
