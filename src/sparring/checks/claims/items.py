"""A sentence as items: units that are compared one by one, whatever their spelling.

An item is a value, a name of code as it is written (``a.b_c``, ``--x``), or a word. Marks between words are skipped,
and a phrase is replaced by the usual one with the same meaning.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sparring.checks.claims.parsing.lexicon import Lexicon, Phrase
from sparring.checks.claims.parsing.tokens import MARKS, Tokens, is_digits
from sparring.checks.claims.values.value import Value

_JOINTS = frozenset("-_./\\@:=&+~")
_LEADING = frozenset("-_$./@~")
_SINGLE = MARKS - _LEADING


class Item(NamedTuple):
    """One item: the key for its comparison, its tokens, and the value if it is one."""

    key: str
    begin: int
    end: int
    value: Value | None = None
    is_code: bool = False


def items_of(tokens: Tokens, values: Sequence[Value], words: Lexicon) -> list[Item]:
    """Return the items of a sentence in order."""
    value_at = {value.begin: value for value in values}
    phrases, lowered = words.first_words, tokens.lowered
    items: list[Item] = []
    at, last = 0, len(lowered)
    while at < last:
        word = lowered[at]
        if value := value_at.get(at):
            items.append(Item(value.key, at, value.end, value))
            at = value.end
            continue
        following = lowered[at + 1] if at + 1 < last else ""
        if word.isalpha() and following.isalpha() and word not in phrases and lowered[at - 1] != "`":
            items.append(Item(word, at, at + 1))  # the usual case: a plain word
            at += 1
            continue
        has_digit = word[0] <= "9" or "0" <= following[:1] <= "9"
        may_be_joined = following in _JOINTS or word in _LEADING or has_digit
        end = _chunk_end(tokens, at, value_at) if may_be_joined and word not in _SINGLE else at + 1
        is_ticked = (at > 0 and lowered[at - 1] == "`") or (end < last and lowered[end] == "`")
        phrase = _phrase_at(lowered, at, phrases[word]) if end == at + 1 and word in phrases else None
        if end > at + 1:
            items.append(_chunk(tokens, at, end, is_ticked=is_ticked))
        elif phrase:
            end = at + len(phrase)
            items += [Item(key, at, end) for key in words.phrases[phrase]]
        elif word not in MARKS:
            items.append(Item(word, at, end, is_code=is_ticked))
        at = end
    return items


def _phrase_at(lowered: Sequence[str], at: int, phrases: Sequence[Phrase]) -> Phrase | None:
    for phrase in phrases:
        if tuple(lowered[at : at + len(phrase)]) == phrase:
            return phrase
    return None


def _chunk_end(tokens: Tokens, at: int, value_at: Mapping[int, Value]) -> int:
    """Return the token after those that marks join, without a space, to the token at ``at``.

    No value is a part of it: ``limit=5`` is a name, a mark and a value.
    """
    written, end = tokens.written, at + 1
    if written[at] in _LEADING:  # ``--name``, ``../name``
        while end < len(written) and written[end] in _LEADING and tokens.is_glued(end):
            end += 1
        if not _is_next_part(tokens, end, value_at):
            return at + 1
        end += 1
    elif not written[at][0].isalnum():
        return end
    while end < len(written) and tokens.is_glued(end):
        joint_end = end
        while tokens.word(joint_end) in _JOINTS and tokens.is_glued(joint_end):
            joint_end += 1
        # Without a joint only digits divide a name: ``utf8``, ``3d``.
        is_digit_joint = joint_end == end and (is_digits(written[end]) or is_digits(written[end - 1]))
        if not _is_next_part(tokens, joint_end, value_at) or not (joint_end > end or is_digit_joint):
            break
        end = joint_end + 1
    return end


def _is_next_part(tokens: Tokens, at: int, value_at: Mapping[int, Value]) -> bool:
    """Report whether the token at ``at`` continues the name that ends there, without a space."""
    return tokens.word(at)[:1].isalnum() and tokens.is_glued(at) and at not in value_at


def _chunk(tokens: Tokens, begin: int, end: int, *, is_ticked: bool) -> Item:
    start, stop = tokens.place(begin, end)
    written = tokens.text[start - tokens.start : stop - tokens.start]
    is_hyphenated = all(part.isalpha() for part in written.split("-"))  # "read-only": a word of any text
    key = written.lower() if is_hyphenated else written
    return Item(key, begin, end, is_code=is_ticked or not is_hyphenated)
