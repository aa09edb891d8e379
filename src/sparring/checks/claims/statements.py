"""Compare a claim about a key with the statements that structured parts of the evidence make about it.

A claim counts as one about a key only if it consists of the key, words that state its property ("defaults to",
"was added in", "is optional"), and one value. All statements about that key have to agree; otherwise the claim
is open.
"""

import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct

from sparring.checks.claims.document import ParsedText
from sparring.checks.claims.parsing.language import Language
from sparring.checks.claims.parsing.lexicon import lexicon, statement_words
from sparring.checks.claims.structured import values
from sparring.checks.claims.structured.entries import Aspect, Malformed, StatedValue, name_words, without_unit

_NUMBER_OF = re.compile(r"\bnumber of\b", re.IGNORECASE)
_CHUNK = re.compile(r"`[^`\n]+`(?:'s)?|\"[^\"\n]*\"|[<>=~!^]+|[$€£]?[^\s,;()`\"$€£<>=]+(?:,\d{3})*")
_DONE = "set|given|specified|provided|defined|configured|stated|passed|present|overridden|changed|told"
_UNSET = re.compile(
    r"\b(?P<lead>if|when|where|unless|as long as)\s+(?P<subject>[^,;]{0,80}?)\s*\b"
    rf"(?P<rest>(?:is|are|was|were|has been)?\s*(?:not (?:{_DONE})|unset|omitted|left (?:out|unset|empty|alone)|missing"
    rf"|absent|undefined|(?:{_DONE}) otherwise|otherwise (?:{_DONE})))\b"
    r"|\b(?:if (?:nothing|no value|none)(?: else)? is \w+|without (?:any |further )?(?:configuration|settings?)"
    r"|out of the box)\b",
    re.IGNORECASE,
)
"""A clause that means "by default"; a key in it is kept."""

_BY_DEFAULT = "\1"
_NAMED_BY_WORDS = (Aspect.DEPRECATED, Aspect.REMOVED, Aspect.RETURNS, Aspect.TYPE, Aspect.ADDED, Aspect.DEFAULT)
_CHANGES = frozenset((Aspect.DEPRECATED, Aspect.REMOVED, Aspect.ADDED))
_MOST_WORDS, _MOST_OTHERS, _MOST_LEFT, _LONGEST_KEY = 20, 7, 5, 8


class KeyStatement(Struct, frozen=True):
    """An entry that decides a claim; ``start`` and ``end`` are the place of the claimed value in the claim."""

    holds: bool
    entry: StatedValue
    index: int
    start: int
    end: int


class _Chunk(Struct, frozen=True):
    """A word, number, or quoted text of the claim."""

    text: str
    bare: str
    lower: str
    start: int
    end: int
    words: tuple[str, ...]

    @property
    def is_marked(self) -> bool:
        return self.text[:1] in {"`", '"'}


class _KeyClaim(Struct, frozen=True):
    """The parts of a claim about an entry's key.

    Attributes:
        depth: Number of parts of the entry's path that the claim names.
        value: The text as written; None for a claim without a version, such as that something was deprecated.
        is_implied: Whether a word such as "optional" implies the value.
        is_code: Whether the key is written as code in the claim.
        context: The other words of the claim.
    """

    depth: int
    aspect: Aspect
    value: str | None
    start: int
    end: int
    context: frozenset[str]
    is_denied: bool
    is_implied: bool = False
    is_code: bool = False


class StatementResult(Struct, frozen=True):
    """The statement that decides a claim, if there is one, and the malformed parts of sources, with their index."""

    statement: KeyStatement | None = None
    malformed: Sequence[tuple[int, Malformed]] = ()


class _Candidate(Struct, frozen=True):
    """An entry whose key the claim names, the number of its source, and the claim as one about that key."""

    claimed: _KeyClaim
    entry: StatedValue
    index: int


def compare(claim: ParsedText, sources: Sequence[ParsedText]) -> StatementResult:
    """Return the statement of ``sources`` that decides ``claim``, if there is one."""
    text = claim.plain.plain
    if "used to" in text:  # the evidence states the present, not the past
        return StatementResult()
    telling = _informative_words(claim.language)
    written = text.lower().split()
    others = sum(word not in telling for word in written)
    # A claim about one key is short. For every other claim, reading the formats of the evidence would be in vain.
    if len(written) > _MOST_WORDS or others > _MOST_OTHERS:
        return StatementResult()
    malformed = [(index, part) for index, source in enumerate(sources) for part in source.reading.malformed]
    if not any(source.reading.entries for source in sources):
        return StatementResult(malformed=malformed)
    chunks = _chunks(text)
    words = frozenset(word for chunk in chunks for word in chunk.words)
    candidates: list[_Candidate] = []
    for index, source in enumerate(sources):
        for entry in source.reading.entries:
            if words.isdisjoint(entry.first_words):
                continue  # most entries of a large file have another key
            claimed = _read_claim(entry, text, chunks, telling)
            if claimed is not None:
                candidates.append(_Candidate(claimed, entry, index))
    return StatementResult(_decisive(candidates), malformed)


def _decisive(candidates: Sequence[_Candidate]) -> KeyStatement | None:
    """Return the common result of all statements about the most exactly named key; None if they disagree."""
    deepest = max((each.claimed.depth for each in candidates), default=0)
    decided = _decided(candidates, deepest)
    if not decided and deepest == 1:
        decided = _decided(candidates, 0)  # keys that the claim names by an alias
    if len({each.holds for each in decided}) != 1:
        return None
    first = decided[0]
    if not first.holds and _has_several_values([each.entry for each in decided]):
        return None
    return first


def _decided(candidates: Sequence[_Candidate], depth: int) -> Sequence[KeyStatement]:
    """Return the results of the entries whose path is named to ``depth``, one for each place of a value.

    Several formats may read the same place, in different ways: one reading that agrees with the claim is enough.
    """
    results: dict[tuple[int, int], KeyStatement] = {}
    for each in candidates:
        holds = _holds(each.claimed, each.entry) if each.claimed.depth == depth else None
        if holds is None:
            continue
        place = each.index, each.entry.start
        earlier = results.get(place)
        if earlier is None or not earlier.holds:
            results[place] = KeyStatement(holds, each.entry, each.index, each.claimed.start, each.claimed.end)
    return list(results.values())


@cache
def _informative_words(language: Language) -> frozenset[str]:
    return lexicon(Language.ENGLISH).telling | lexicon(language).telling | {_BY_DEFAULT}


def _has_several_values(entries: Sequence[StatedValue]) -> bool:
    """Report whether an aspect of the key has several values: the name may then have several meanings."""
    stated = {(entry.aspect, values.readings(entry.value, entry.unit)) for entry in entries}
    aspects = {aspect for aspect, _ in stated}
    return len(stated) > len(aspects)


# -- read the claim


def _chunks(text: str) -> list[_Chunk]:
    # Both substitutions keep the places of all other characters.
    masked = _UNSET.sub(_masked, text)
    masked = _NUMBER_OF.sub(lambda match: " " * len(match[0]), masked)
    text_end = len(text.rstrip())
    chunks: list[_Chunk] = []
    for match in _CHUNK.finditer(masked):
        written = match[0].rstrip(".!") if match.end() >= text_end else match[0]
        if written:
            bare = written.removesuffix("'s").strip("`\"'").rstrip(":")
            end = match.start() + len(written)
            chunks.append(_Chunk(written, bare, bare.lower(), match.start(), end, name_words(bare)))
    return chunks


def _masked(match: re.Match[str]) -> str:
    """Return the mark for "by default" in the place of a clause with that meaning, and the key in the clause."""
    if match["lead"]:
        rest = match["rest"].lower()
        is_set = "otherwise" in rest or "overridden" in rest
        is_unless = match["lead"].lower() == "unless"
        if is_unless != is_set:
            return match[0]  # "unless it is unset" and "if it is overridden" have the opposite meaning
    length = len(match[0])
    subject = match["subject"] or ""
    if not subject or subject.lower().removesuffix(" is") in statement_words("pronouns"):
        return _BY_DEFAULT.ljust(length)
    subject_start = match.start("subject") - match.start()
    return (_BY_DEFAULT.ljust(subject_start) + subject).ljust(length)


class _NamedKey(Struct, frozen=True):
    """The parts of an entry's path that a claim names: their number, and the chunks that name them."""

    depth: int
    chunks: frozenset[int]


def _read_claim(entry: StatedValue, text: str, chunks: Sequence[_Chunk], telling: frozenset[str]) -> _KeyClaim | None:
    """Return the claim as one about the entry's key; None if it contains anything else."""
    key = _named(entry, chunks)
    if key is None or (not entry.also and _is_verb(key, chunks, telling)):
        return None
    rest = [at for at in range(len(chunks)) if at not in key.chunks]
    context = frozenset(chunks[at].lower for at in rest if not chunks[at].is_marked)
    aspect = _aspect(context, entry)
    if context & {"was", "were", "had"} and not entry.also and aspect not in _CHANGES:
        return None  # the evidence states the present, not the past
    # All other chunks must be the value.
    left = [at for at in rest if not _is_informative(chunks, at, telling, entry.also)]
    negations = sum(chunks[at].lower in statement_words("negations") for at in rest if at not in left)
    if not left:
        return _without_value(entry, key, chunks, aspect, context, negations)
    # The words of one value stand side by side, but for "=" and the words of a record.
    between = [chunks[at] for at in range(left[0], left[-1]) if at not in left]
    is_split = any(chunk.text != "=" and chunk.lower not in entry.also for chunk in between)
    if len(left) > _MOST_LEFT or is_split:
        return None
    start, end = chunks[left[0]].start, chunks[left[-1]].end
    is_code = len(key.chunks) == 1 and _is_code(chunks[min(key.chunks)])
    is_denied = negations % 2 == 1
    return _KeyClaim(key.depth, aspect, text[start:end], start, end, context, is_denied, is_code=is_code)


def _is_verb(key: _NamedKey, chunks: Sequence[_Chunk], telling: frozenset[str]) -> bool:
    """Report whether the only word of the key is the verb of the claim: "is not set to 3" is about no key ``set``."""
    first = min(key.chunks)
    if len(key.chunks) > 1 or chunks[first].is_marked or chunks[first].lower not in telling:
        return False
    before = {chunk.lower for chunk in chunks[:first]}
    return bool(before & (statement_words("switched") | statement_words("negations")))


def _without_value(
    entry: StatedValue,
    key: _NamedKey,
    chunks: Sequence[_Chunk],
    aspect: Aspect,
    context: frozenset[str],
    negations: int,
) -> _KeyClaim | None:
    """Return a claim without a written value: a word implies one ("is optional"), or a change ("was removed")."""
    behind = {chunk.lower for chunk in chunks[max(key.chunks) + 1 :]}
    is_last = behind <= {"by", "default", _BY_DEFAULT}
    value = _implied(entry, context, is_affirmed=key.depth > 1 and is_last and not entry.aliases)
    is_change = entry.aspect is aspect and aspect in _CHANGES
    if negations > 1 or (value is None and not is_change):
        return None
    is_denied = negations == 1 and value != "0"  # the negation of "no tests" is the value
    start, end = chunks[0].start, chunks[-1].end
    return _KeyClaim(key.depth, aspect, value, start, end, context, is_denied, is_implied=True)


def _named(entry: StatedValue, chunks: Sequence[_Chunk]) -> _NamedKey | None:
    """Return the parts of the path that the claim names; None if it names no key."""
    place = None
    depth = len(entry.path)
    while depth and place is None:
        place = _place_of(".".join(entry.path[-depth:]), chunks, is_any_order=depth > 1)
        if place is None:
            depth -= 1
    if place is None:
        # Depth 0 is less exact than the key itself: "takes" may mean each column of a benchmark.
        for name in (*entry.aliases, without_unit(entry.key)):
            place = place or _place_of(name, chunks)
    if place is None:
        return None
    used = {*range(*place)}
    # The rest of the path may stand anywhere else: "the port of the server".
    for part in entry.path[: -max(1, depth)]:
        if other := _place_of(part, chunks):
            used.update(range(*other))
            depth += 1
    return _NamedKey(depth, frozenset(used))


def _place_of(name: str, chunks: Sequence[_Chunk], *, is_any_order: bool = False) -> tuple[int, int] | None:
    """Return the chunks that name a key, however its words are joined; None if there are none.

    ``is_any_order``: the words may be reordered, as in "the maximum upload size" for ``upload.max_size``.
    """
    wanted = name_words(name)
    if not wanted:
        return None
    exact = name_words(name, is_exact=True)
    sought = sorted(wanted) if is_any_order else list(wanted)
    is_letter = len(name.strip("-")) == 1
    for begin, chunk in enumerate(chunks):
        first = chunk.words[:1]
        if first != wanted[:1] and not (is_any_order and first and first[0] in wanted):
            continue
        if is_letter and chunk.text.strip("`\"'") != name:
            continue  # the article "a" is not the option ``-a``
        if chunk.lower in statement_words("negations"):
            continue
        words: list[str] = []
        for end in range(begin, min(len(chunks), begin + _LONGEST_KEY)):
            if _is_code(chunks[end]) and not {*name_words(chunks[end].bare, is_exact=True)}.issubset(exact):
                break  # code is not inflected: ``timeouts`` is not ``timeout``
            words += chunks[end].words
            if (sorted(words) if is_any_order else words) == sought:
                return begin, end + 1
            if len(words) >= len(wanted):
                break
    return None


def _is_informative(chunks: Sequence[_Chunk], at: int, telling: frozenset[str], also: frozenset[str]) -> bool:
    """Report whether a chunk only joins key and value."""
    chunk = chunks[at]
    if chunk.is_marked:
        return False
    if chunk.lower in {"on", "off"} and at and chunks[at - 1].lower in statement_words("switched"):
        return False  # "is on" has a value, "on startup" has none
    is_last = at == len(chunks) - 1
    if is_last and (chunk.lower == "no" or values.is_type(chunk.lower)):
        return False  # "is a list" has a value, "the list of" has none
    return chunk.lower in telling or chunk.lower in also or chunk.lower in statement_words("negations")


def _aspect(context: frozenset[str], entry: StatedValue) -> Aspect:
    """Return the property of the key that the other words of the claim name."""
    # In records, words of the other aspects are verbs of the sentence: "38 lines were removed", "it takes 3 ms".
    is_record = bool(entry.also) and entry.unit != "version"
    for aspect in (Aspect.RETURNS, *_CHANGES) if is_record else _NAMED_BY_WORDS:
        if context & statement_words(aspect) or (aspect is Aspect.DEFAULT and _BY_DEFAULT in context):
            return aspect
    if entry.aspect is Aspect.REQUIRED and context & statement_words("required"):
        return Aspect.REQUIRED
    if entry.aspect is Aspect.ADDED and context & statement_words("had"):
        return Aspect.ADDED
    return Aspect.VALUE


def _implied(entry: StatedValue, context: frozenset[str], *, is_affirmed: bool) -> str | None:
    """Return the value that words of the claim imply ("is optional", "is unique", "no tests"); else None.

    ``is_affirmed``: the claim names the whole path, so that its last part may be the predicate ("SSL is enabled").
    """
    if entry.aspect is Aspect.REQUIRED:
        return _implied_need(context)
    kinds = {kind for kind, _ in values.readings(entry.value)}
    if context & {"no", "none"} and kinds == {values.COUNT}:
        return "0"
    is_switch = entry.aspect is Aspect.VALUE and kinds == {values.SWITCH}
    return "true" if is_affirmed and is_switch else None


def _implied_need(context: frozenset[str]) -> str | None:
    may_be_left_out = context & {"may", "can", "must", "cannot", "can't"} and context & statement_words("left_out")
    if context & {"optional", "nullable"} or may_be_left_out:
        return "optional"  # "must not be omitted" is optional, denied
    must_be_given = "must" in context and context & statement_words("given")
    if context & statement_words("needed") or must_be_given:
        return "required"
    return None


def _is_code(chunk: _Chunk) -> bool:
    """Report whether a key is written as code: in backticks, with marks, or in capitals."""
    text = chunk.text.strip(".")
    return chunk.is_marked or bool(re.search(r"[_.\-]|[a-z][A-Z]", text)) or (text.isupper() and len(text) > 1)


# -- compare the values


def _holds(claimed: _KeyClaim, entry: StatedValue) -> bool | None:
    """Return whether the entry makes the claim true; None if it does not decide that."""
    if claimed.value is None:
        return None if claimed.is_denied else True
    if not _is_about(claimed, entry):
        return None
    if entry.aspect in _CHANGES:
        if claimed.is_denied:
            return None
        # "3.2 has it" is true of an addition in 3.1; "was added in 3.2" and "first had it in 3.2" are not.
        is_had = claimed.context & statement_words("had") and not claimed.context & statement_words("first")
        or_later = entry.aspect is Aspect.ADDED and bool(is_had)
        return values.same_release(claimed.value, entry.value, or_later=or_later)
    if entry.aspect in {Aspect.TYPE, Aspect.RETURNS}:
        holds = values.same_type(claimed.value, entry.value)
    elif entry.unit == "licence":
        holds = values.same_licence(claimed.value, entry.value)
    elif entry.unit == "version":
        holds = values.same_versions(claimed.value, entry.value, claimed.context)
    else:
        holds = _same_value(claimed, claimed.value, entry)
    return None if holds is None else holds is not claimed.is_denied


def _is_about(claimed: _KeyClaim, entry: StatedValue) -> bool:
    """Report whether claim and entry are about the same property of the key."""
    if entry.aspect is claimed.aspect or {entry.aspect, claimed.aspect} == {Aspect.DEFAULT, Aspect.VALUE}:
        return True
    if entry.aspect is Aspect.REQUIRED:
        return claimed.aspect in {Aspect.VALUE, Aspect.TYPE}
    if entry.aspect is Aspect.TYPE and claimed.aspect is Aspect.VALUE:  # "`port` is an integer"
        value = claimed.value or ""
        return values.is_type(value) or value.lower() == entry.value.lower()
    return False


def _same_value(claimed: _KeyClaim, value: str, entry: StatedValue) -> bool | None:
    has_rate = "/" in entry.unit and value.lower().endswith(entry.unit)  # "412 ns/op"
    ours = values.readings(value[: -len(entry.unit)] if has_rate else value)
    theirs = values.readings(entry.value, entry.unit)
    our_kinds, their_kinds = {kind for kind, _ in ours}, {kind for kind, _ in theirs}
    is_needed = entry.aspect is Aspect.REQUIRED
    # "at most 5" may bound the value, and not be it.
    is_bounding = not is_needed and not claimed.is_implied and claimed.context & statement_words("bounding")
    is_of_need = is_needed or values.NEED in their_kinds
    if is_bounding or (values.NEED in our_kinds) != is_of_need:
        return None
    if ours & theirs:
        return True
    if not entry.unit and values.differ_in_unit_alone(value, entry.value):
        return None
    if values.TEXT in our_kinds | their_kinds:
        return _same_text(claimed, value, entry, are_words=our_kinds == their_kinds)
    if our_kinds & their_kinds:
        return False
    has_switch = {values.SWITCH, values.NONE} & (our_kinds | their_kinds)
    return values.same_switch(ours, theirs) if has_switch else None


_ADJECTIVE = re.compile(r"(?:able|ible|ed|ive|al|ant|(?<!m)ent|ful|ous|ary|ing|less|ic|y)$")
"""Endings of words that, after "is", describe a key more often than they name its value."""


def _same_text(claimed: _KeyClaim, value: str, entry: StatedValue, *, are_words: bool) -> bool | None:
    """Compare texts; a different one refutes only if it is surely meant as a value, not as a word about the key."""
    ours, theirs = _bare_text(value), _bare_text(entry.value)
    lower, other = ours.lower(), theirs.lower()
    is_marked, is_record = values.is_marked(value), bool(entry.also)
    if ours == theirs or (lower == other and not is_marked):
        return True
    name, _, tag = lower.partition(" ")
    image, _, stated_tag = other.partition(":")
    if is_record and tag and name == image:  # "alpine 3.19" is ``alpine:3.19``, and may be ``alpine:3.19.1``
        if tag == stated_tag:
            return True
        is_other_version = stated_tag and tag[0].isdigit() and not stated_tag.startswith(tag)
        return False if is_other_version else None
    is_beginning = other.startswith((f"{lower};", f"{lower},"))
    is_other_spelling = name_words(ours) == name_words(theirs) and not is_marked
    if is_beginning or is_other_spelling:
        return None
    is_meant = is_marked or _is_same_value(claimed, ours, theirs, is_record=is_record, are_words=are_words)
    is_one_value = is_marked or is_record or " " not in theirs
    is_stated = is_record or _BY_DEFAULT in claimed.context or claimed.context & statement_words("stating")
    return False if is_meant and is_one_value and is_stated else None


def _bare_text(value: str) -> str:
    return value.strip("`'\" *").rstrip(".")


def _is_same_value(claimed: _KeyClaim, ours: str, theirs: str, *, is_record: bool, are_words: bool) -> bool:
    """Report whether an unquoted text is surely meant as a value."""
    words = ours.split()
    if len(words) == 1 and re.search(r"[\d_/\\.:@$-]", ours):
        return True
    are_names = all(word[0].isupper() or word[0].isdigit() for word in words)
    if is_record and theirs[:1].isalpha() and are_names:
        return True
    if len(words) > 1 or _ADJECTIVE.search(ours):
        return False
    if is_record and claimed.context & {"based", "from", "as"}:
        return True
    # "`title` is long" describes a title; "enabled" is a value only where its opposite is one.
    opposites = lexicon(Language.ENGLISH).opposites
    has_opposite = any(one == (ours,) for one, _ in opposites)
    if has_opposite and ((ours,), (theirs,)) not in opposites:
        return False
    return are_words and claimed.is_code and ours.isalpha() and theirs.isalpha()
