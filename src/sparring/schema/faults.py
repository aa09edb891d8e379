"""Sentences for validation errors: a validator's own are for programmers."""

from typing import Any, get_args

from pydantic_core import ErrorDetails, core_schema

_KINDS = {
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "date_from_datetime_parsing": "must be a date, as 2026-01-31",
    "date_parsing": "must be a date, as 2026-01-31",
    "dict_type": "must be a table of keys and values",
    "extra_forbidden": "is not known here",
    "finite_number": "must be a finite number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "frozen_set_type": "must be a list",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "json_type": "must be JSON",
    "list_type": "must be a list",
    "mapping_type": "must be a table of keys and values",
    "missing": "is missing",
    "missing_argument": "is missing",
    "missing_keyword_only_argument": "is missing",
    "model_attributes_type": "must be a table of keys and values",
    "model_type": "must be a table of keys and values",
    "string_pattern_mismatch": "contains or begins with characters that are not allowed",
    "string_type": "must be a text",
    "string_unicode": "is not UTF-8 text",
    "tuple_type": "must be a list",
    "union_tag_not_found": "must name its kind",
    "url_parsing": "must be a web address",
    "url_scheme": "must begin with http:// or https://",
}
_OF_RULES = frozenset({"value_error", "assertion_error"})
"""Faults that a rule of our own has found and words."""

_BOUNDS = {
    "json_invalid": "is not JSON: {error}",
    "greater_than": "must be more than {gt:,}",
    "greater_than_equal": "must be at least {ge:,}",
    "less_than": "must be less than {lt:,}",
    "less_than_equal": "must be at most {le:,}",
    "string_too_short": "must have at least {min_length:,} characters",
    "string_too_long": "must have at most {max_length:,} characters",
    "too_long": "must have at most {max_length:,} entries",
    "too_short": "must have at least {min_length:,} entries",
    "union_tag_invalid": "must be one of {expected_tags}",
}


def describe_fault(fault: ErrorDetails, place: str) -> str:
    """Describe a fault with its field: ``rounds must be at most 5``."""
    is_sentence = fault["type"] in _OF_RULES  # which need not be about the field
    return f"{place}{':' if is_sentence else ''} {in_words(fault)}".lstrip(": ")


def in_words(fault: ErrorDetails) -> str:
    """Describe a fault, as it follows the name of a field: ``must be at most 5``."""
    kind, context = fault["type"], fault.get("ctx", {})
    if kind in _KINDS:
        return _KINDS[kind]
    if kind == "too_long" and isinstance(fault.get("input"), str):
        kind = "string_too_long"
    if context.get("min_length") == 1:
        return "must not be empty"
    if kind in _BOUNDS:
        return _BOUNDS[kind].format(**{name: _plain(value) for name, value in context.items()})
    if kind in {"enum", "literal_error"}:
        return f"must be one of {_listed(str(context['expected']))}"
    if kind in _OF_RULES:
        return str(context.get("error") or fault["msg"].partition(", ")[2])
    return "cannot be used" if kind in get_args(core_schema.ErrorType) else fault["msg"]


def _plain(value: Any) -> Any:
    """A number as people write it; a list without the marks around its words."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return _listed(value) if isinstance(value, str) and "'" in value else value


def _listed(expected: str) -> str:
    return expected.replace("'", "").replace(" or ", ", ")
