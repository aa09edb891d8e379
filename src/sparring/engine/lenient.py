"""Validators that read a field of a reply form in every way in which models write it."""

import re
from collections.abc import Iterable
from typing import cast

from pydantic import BeforeValidator, ValidationError, ValidationInfo, ValidatorFunctionWrapHandler, WrapValidator

from sparring.schema.base import LIST_LIMIT, REASON_LIMIT
from sparring.text.words import PART

_NOTHING = frozenset({"", "-", "n/a", "none", "nothing", "null"})


def _listed(value: object) -> object:
    if value is None:
        return ()
    entries = cast("list[object]", value) if isinstance(value, list | tuple) else [value]
    return [each for each in entries if not (isinstance(each, str) and each.strip(" \t\n.").casefold() in _NOTHING)]


LISTED = BeforeValidator(_listed)
"""Reads one entry as a list of one, null as an empty list, and leaves out entries such as "None"."""


ONE_OR_MORE = BeforeValidator(lambda value: [value] if isinstance(value, dict | str) else value)
"""Reads one entry as a list of one. Null is no list."""


def _each_by_itself(entries: object, read: ValidatorFunctionWrapHandler, info: ValidationInfo) -> tuple[object, ...]:
    kept, lost = list[object](), 0
    for each in cast("Iterable[object]", _listed(entries)):
        try:
            kept += read([each])
        except ValidationError:
            lost += 1
    left_out = cast("dict[str, None] | None", info.context)
    if (lost or len(kept) > LIST_LIMIT) and left_out is not None and info.field_name:
        left_out[info.field_name] = None
    return tuple(kept[:LIST_LIMIT])


EACH = WrapValidator(_each_by_itself)
"""Reads a list as ``LISTED`` does, without the entries that cannot be read; that there were some is reported."""


def _as_text(value: object) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    texts = cast("list[object]", value if isinstance(value, list) else [value])
    if not all(isinstance(each, str) for each in texts):
        return cast("object", value)
    return "\n".join(cast("list[str]", texts)).strip()[:REASON_LIMIT]


TEXT = BeforeValidator(_as_text)
"""Reads free text of a model: a number and several texts as one, cut at its limit."""


def _share(value: object) -> object:
    """A number from 0 to 1, of ``0.9``, ``"0.9"``, ``"90 %"`` and ``90``; anything else as it is."""
    number = _number(value)
    if number is None:
        return None if isinstance(value, bool) else value
    is_percentage = number >= _FEWEST_PERCENT or (isinstance(value, str) and value.rstrip().endswith("%"))
    return number / 100 if is_percentage else number


_FEWEST_PERCENT = 2
"""A number between 1 and this is neither a share nor meant as per cent."""


_NUMBER = re.compile(r"\s*([+-]?\d{1,12}(?:[.,]\d{1,12})?)\s*%?\s*")


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    return float(match[1].replace(",", ".")) if match else None


SHARE = BeforeValidator(_share)


def _plain_number(value: object) -> object:
    number = _number(value)
    return value if number is None else number


NUMBER = BeforeValidator(_plain_number)
"""Reads a number that stands between quotation marks."""


def _whole(value: object) -> object:
    of = _OF.fullmatch(value) if isinstance(value, str) else None
    number = _number(of[1] if of else value)
    return value if number is None or abs(number) > _LARGEST else int(number + 0.5)


_LARGEST = 1e9
_OF = re.compile(r"\s*(\d{1,2}(?:[.,]\d{1,3})?)\s*(?:/|out of|of)\s*\d{1,3}\s*")

WHOLE = BeforeValidator(_whole)
"""Reads a whole number as ``NUMBER`` does, ``4/5`` as 4, and one between two as the nearer."""


def plain_name(name: object) -> str:
    """Return a name or label in lower case, its words joined by underscores."""
    return "_".join(PART.findall(str(name).casefold()))


def _word(value: object) -> object:
    """A label without emphasis, in lower case, its words joined by underscores."""
    return plain_name(value) if isinstance(value, str) else value


WORD = BeforeValidator(_word)
"""Reads a label in any spelling: ``**Partially faithful**`` is ``partially_faithful``."""
