"""The authors of a change, and the independence of its reviewers from them."""

import re
from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field

from sparring.schema.base import Record


class AuthorSource(StrEnum):
    """Source from which the author of a change is known."""

    DECLARED = "declared"
    HOST = "host"
    TRAILER = "trailer"


class Author(Record):
    """A model family that wrote the change, or a part of it.

    Attributes:
        model: The model, as far as it is known.
        source: The user named it, it is the host's model, or a commit names it.
    """

    family: str = Field(min_length=1)
    model: str = ""
    source: AuthorSource = AuthorSource.DECLARED


class Independence(StrEnum):
    """Independence of a reviewer from the author.

    INDEPENDENT: it is of a family that did not write the change. OTHER_MODEL: it is of the author's family, with
    another model, which is weaker. SAME: it may be the same model, and does not count.
    """

    INDEPENDENT = "independent"
    OTHER_MODEL = "other_model"
    SAME = "same"


def independence(family: str, model: str | None, authors: Iterable[Author], *, is_named: bool) -> Independence:
    """Return whether a reviewer of that family is independent of the ``authors``.

    Args:
        family: The reviewer's model family.
        model: The reviewer's model, as far as it is known.
        authors: The authors of the change; if empty, none is known and every reviewer is independent.
        is_named: Whether the user has chosen that model; it then differs from an author's model that is unknown.
    """
    own = [each for each in authors if each.family == family]
    if not own:
        return Independence.INDEPENDENT
    if model is None:
        return Independence.SAME
    is_other = all(not _may_be_one(each.model, model) if each.model else is_named for each in own)
    return Independence.OTHER_MODEL if is_other else Independence.SAME


def _may_be_one(one: str, other: str) -> bool:
    """Return whether two names may mean the same model; one of them may leave something out, such as a date."""
    first, second = (_words(each) for each in (one, other))
    return first <= second or second <= first


def _words(model: str) -> set[str]:
    words = re.findall(r"[a-z]+|[0-9]+", model.lower())
    return {word for word in words if not (word.isdigit() and len(word) >= _DATE)}


_DATE = 6
"""Digits of a date, which some names of a model have and others leave out."""
