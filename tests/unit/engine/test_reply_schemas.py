"""The schema of a form: what a server is sent, and nothing that it would refuse or that is not for a model."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from sparring.engine.lenient import EACH, SHARE, WHOLE
from sparring.engine.replies import Entries, ReadEntry, ReplyForm
from sparring.engine.reply_schemas import NULLABLE, requested, schema_of
from sparring.schema.forms import Dialect


class Label(StrEnum):
    """Not for a model."""

    FOR = "for"
    AGAINST = "against"


class Reason(ReplyForm):
    """Not for a model, either."""

    deciding = ("words",)

    words: Annotated[str | None, NULLABLE] = None
    side: Literal["A", "B"]


class Vote(ReplyForm):
    """Nor is this."""

    form = "test_vote"
    deciding = ("label",)
    unasked = frozenset({"old"})

    reasons: Annotated[tuple[ReadEntry[Reason], ...], Entries(Reason, 7)] = ()
    notes: Annotated[tuple[str, ...], EACH, Field(min_length=1, max_length=30)] = ()
    score: Annotated[int, Field(ge=1, le=5), WHOLE] = 1
    line: Annotated[int, Field(ge=1, le=1000)] = 1
    confidence: Annotated[Annotated[float, Field(ge=0, le=1)] | None, SHARE] = None
    is_sure: bool = Field(default=False, alias="sure", description="Whether you are sure.")
    old: str = ""
    label: Annotated[Label, Field(json_schema_extra={"description": "Your vote."})]


REASON: dict[str, Any] = {
    "type": "object",
    "properties": {
        "words": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "side": {"type": "string", "enum": ["A", "B"]},
    },
    "required": ["words", "side"],
    "additionalProperties": False,
}
VOTE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reasons": {"type": "array", "items": REASON, "maxItems": 7},
        "notes": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 30},
        "score": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
        "line": {"type": "integer", "minimum": 1, "maximum": 1000},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "sure": {"type": "boolean", "description": "Whether you are sure."},
        "label": {"type": "string", "enum": ["for", "against"], "description": "Your vote."},
    },
    "required": ["reasons", "notes", "score", "line", "confidence", "sure", "label"],
    "additionalProperties": False,
}


def test_a_schema_has_exactly_the_fields_of_the_form_in_order() -> None:
    assert requested(Vote).json_schema == VOTE
    assert list(requested(Vote).json_schema["properties"]) == VOTE["required"]
    assert requested(Vote).name == "sparring_test_vote"


def test_an_enum_is_narrowed_to_the_values_that_a_question_allows() -> None:
    assert schema_of(Vote, label=["against"])["properties"]["label"]["enum"] == ["against"]
    assert schema_of(Vote)["properties"]["label"]["enum"] == ["for", "against"]


def test_a_dialect_is_sent_the_bounds_that_it_takes() -> None:
    assert schema_of(Vote, Dialect.OPENAI) == VOTE
    assert "maxItems" not in schema_of(Vote, Dialect.COMMON)["properties"]["reasons"]
