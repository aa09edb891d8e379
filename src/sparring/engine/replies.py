"""Reading the JSON object that somebody was asked for. What it has to hold, each format knows for itself."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from sparring.schema.base import Record
from sparring.text.extraction import json_object

_Said = TypeVar("_Said", bound=Record)


class UnusableReplyError(ValueError):
    """A reply does not hold what was asked for; the message is the one that whoever gave it is shown."""


def read_object(reply: str) -> dict[str, Any]:
    """The object in ``reply``.

    Raises:
        UnusableReplyError: There is none.
    """
    found = json_object(reply)
    if found is None:
        raise UnusableReplyError("There is no JSON object in the reply.")
    return found


def as_record(found: Mapping[str, Any], kind: type[_Said]) -> _Said:
    """``found`` as a record. Fields that we do not know are ignored, missing ones are not made up.

    Raises:
        UnusableReplyError: A field is missing, or has no value that it may have.
    """
    try:
        return kind.model_validate(found, extra="ignore")
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()]
        raise UnusableReplyError("\n".join(problems)) from error
