"""The published schema of ``evaluation.json`` is that of its record; `--renew` writes it anew."""

import json
from pathlib import Path

import pytest

from sparring.schema.evaluation import Evaluation

SCHEMA = Path(__file__).parents[2] / "docs" / "evaluation.schema.json"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.usefixtures("golden")  # else it would not run with `--renew`
def test_the_published_schema_is_that_of_the_record(pytestconfig: pytest.Config) -> None:
    schema = {"$schema": DRAFT, **Evaluation.model_json_schema()}
    if pytestconfig.getoption("--renew"):
        SCHEMA.write_text(json.dumps(schema, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == schema
