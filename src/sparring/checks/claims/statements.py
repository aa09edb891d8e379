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


_Results = dict[tuple[int, int], tuple[bool, StatedValue, _KeyClaim]]
"""Results of entries by their source and start: true if the entry makes the claim true, the entry, the claim."""


class Stated(Struct, frozen=True):
    """The statement that decides a claim, if there is one, and the malformed parts of sources, with their index."""

    statement: KeyStatement | None = None
    malformed: Sequence[tuple[int, Malformed]] = ()


def compare(claim: ParsedText, sources: Sequence[ParsedText]) -> Stated:
    """Return the statement of ``sources`` that decides ``claim``, if there is one."""
    text = claim.plain.plain
    telling = _telling(claim.language)
    if "used to" in text:  # the evidence states the present
        return Stated()
    written = text.lower().split()
    if len(written) > _MOST_WORDS or sum(word not in telling for word in written) > _MOST_OTHERS:
        return Stated()
    malformed = [(index, part) for index, source in enumerate(sources) for part in source.reading.malformed]
    if not any(source.reading.entries for source in sources):
        return Stated(malformed=malformed)
    chunks = _chunks(text)
    words = frozenset(word for chunk in chunks for word in chunk.words)
    statements: list[tuple[_KeyClaim, StatedValue, int]] = []
    for index, source in enumerate(sources):
        for entry in source.reading.entries:
            if words.isdisjoint(entry.first_words):
                continue
            claimed = _read_claim(entry, text, chunks, telling)
            if claimed:
                statements.append((claimed, entry, index))
    return Stated(_decisive(statements), malformed)


def _decisive(statements: "Sequence[tuple[_KeyClaim, StatedValue, int]]") -> KeyStatement | None:
    """Return the common result of all statements about the most exactly named key; None if they disagree."""
    deepest = max((claimed.depth for claimed, *_ in statements), default=0)
    stated = _results_at(deepest, statements)
    if not stated and deepest < 2:  # one part of a path is hardly more exact than another name of the key
        stated = _results_at(0, statements)
    if len({holds for holds, *_ in stated.values()}) != 1 or _is_ambiguous(list(stated.values())):
        return None
    (index, _), (holds, entry, claimed) = next(iter(stated.items()))
    return KeyStatement(holds, entry, index, claimed.start, claimed.end)


def _results_at(depth: int, statements: "Sequence[tuple[_KeyClaim, StatedValue, int]]") -> _Results:
    """Return which entries make the claim true or false, of those whose key is named with so many parts.

    An entry that can be read in two ways counts as true if it is in one of them.
    """
    results: _Results = {}
    for claimed, entry, index in statements:
        if claimed.depth != depth:
            continue
        holds = _holds(claimed, entry)
        place = index, entry.start
        if holds is not None and not (place in results and results[place][0]):
            results[place] = holds, entry, claimed
    return results


@cache
def _telling(language: Language) -> frozenset[str]:
    return lexicon(Language.ENGLISH).telling | lexicon(language).telling | {_BY_DEFAULT}


def _is_ambiguous(stated: Sequence[tuple[bool, StatedValue, _KeyClaim]]) -> bool:
    """Report whether the key has several values, none of which is the claim's: it may have several meanings."""
    if stated[0][0]:
        return False
    values_of = {(entry.aspect, values.readings(entry.value, entry.unit)) for _, entry, _ in stated}
    return len(values_of) > len({which for which, _ in values_of})


# -- read the claim


def _chunks(text: str) -> list[_Chunk]:
    chunks: list[_Chunk] = []
    plain = _NUMBER_OF.sub(lambda match: " " * len(match[0]), _UNSET.sub(_masked, text))
    last = len(text.rstrip())
    for match in _CHUNK.finditer(plain):
        written = match[0]
        if match.end() >= last:  # the end of the sentence
            written = written.rstrip(".!")
        if not written:
            continue
        bare = written.removesuffix("'s").strip("`\"'").rstrip(":")
        end = match.start() + len(written)
        chunks.append(_Chunk(written, bare, bare.lower(), match.start(), end, name_words(bare)))
    return chunks


def _masked(match: re.Match[str]) -> str:
    """Return the mark for "by default" in the place of a clause with that meaning, and the key in the clause."""
    whole, lead, subject = match[0], match["lead"], match["subject"] or ""
    if lead:
        rest = match["rest"].lower()
        is_otherwise = "otherwise" in rest or "overridden" in rest
        if is_otherwise != (lead.lower() == "unless"):  # "unless it is unset" means the contrary
            return whole
    masked = _BY_DEFAULT
    is_pronoun = subject.lower().removesuffix(" is") in statement_words("pronouns")
    if subject and not is_pronoun:
        start = match.start("subject") - match.start()
        masked = _BY_DEFAULT.ljust(start) + subject
    return masked.ljust(len(whole))  # so that all places stay


def _read_claim(entry: StatedValue, text: str, chunks: Sequence[_Chunk], telling: frozenset[str]) -> _KeyClaim | None:
    """Return the claim as one about the entry's key; None if it contains anything else."""
    named = _named(entry, chunks)
    if named is None:
        return None
    depth, used = named
    first = chunks[min(used)]
    if not first.is_marked and first.lower in telling and len(used) == 1 and not entry.also:
        before = {chunk.lower for chunk in chunks[: min(used)]}
        if before & (statement_words("switched") | statement_words("negations")):
            return None  # "is not set to 3" is about no key named ``set``
    rest = [at for at in range(len(chunks)) if at not in used]
    context = frozenset(chunks[at].lower for at in rest if not chunks[at].is_marked)
    left = [at for at in rest if not _is_telling(chunks, at, telling, entry.also)]
    negations = sum(chunks[at].lower in statement_words("negations") for at in rest if at not in left)
    which = _aspect(context, entry)
    if context & {"was", "were", "had"} and not entry.also and which not in _CHANGES:
        return None  # the evidence states the present, not the past
    if not left:
        is_last = {chunk.lower for chunk in chunks[max(used) + 1 :]} <= {"by", "default", _BY_DEFAULT}
        value = _implied(entry, context, is_affirmed=depth > 1 and is_last and not entry.aliases)
        is_denied = negations == 1 and value != "0"
        is_whole = value is not None or (entry.aspect is which and which in _CHANGES)
        start, end = chunks[0].start, chunks[-1].end
        implied = _KeyClaim(depth, which, value, start, end, context, is_denied, is_implied=True)
        return implied if is_whole and negations < 2 else None
    # What is left is the value: one stretch, which may have words of the record's kind within it.
    between = [chunks[at] for at in range(left[0], left[-1]) if at not in left]
    if len(left) > _MOST_LEFT or any(chunk.text != "=" and chunk.lower not in entry.also for chunk in between):
        return None
    start, end = chunks[left[0]].start, chunks[left[-1]].end
    is_code = len(used) == 1 and _is_code(chunks[min(used)])
    return _KeyClaim(depth, which, text[start:end], start, end, context, negations % 2 == 1, is_code=is_code)


def _named(entry: StatedValue, chunks: Sequence[_Chunk]) -> tuple[int, set[int]] | None:
    """Return how many parts of the path the claim names, and by which chunks; None if it names no key."""
    place = None
    depth = len(entry.path)
    while depth and not place:
        place = _place_of(".".join(entry.path[-depth:]), chunks, is_any_order=depth > 1)
        if not place:
            depth -= 1
    if not place:  # less exact than the key itself: "takes" may mean each column of a benchmark
        for name in (*entry.aliases, without_unit(entry.key)):
            place = place or _place_of(name, chunks)
    if not place:
        return None
    used = set(range(*place))
    for part in entry.path[: -max(1, depth)]:  # the first parts may be named apart from the last ones
        other = _place_of(part, chunks)
        if other:
            used.update(range(*other))
            depth += 1
    return depth, used


def _place_of(name: str, chunks: Sequence[_Chunk], *, is_any_order: bool = False) -> tuple[int, int] | None:
    """Return the chunks that name a key, however its words are joined; None if there are none.

    ``is_any_order``: the words may be reordered, as in "the maximum upload size" for ``upload.max_size``.
    """
    wanted, exact = name_words(name), name_words(name, is_exact=True)
    if not wanted:
        return None
    sought = sorted(wanted) if is_any_order else list(wanted)
    for begin, chunk in enumerate(chunks):
        is_first = chunk.words[:1] == wanted[:1] or (is_any_order and chunk.words and chunk.words[0] in wanted)
        is_letter = len(name.strip("-")) == 1 and chunk.text.strip("`\"'") != name
        if not is_first or is_letter or chunk.lower in statement_words("negations"):
            continue
        words: tuple[str, ...] = ()
        for end in range(begin, min(len(chunks), begin + _LONGEST_KEY)):
            if _is_code(chunks[end]) and not set(name_words(chunks[end].bare, is_exact=True)) <= set(exact):
                break
            words += chunks[end].words
            if (sorted(words) if is_any_order else list(words)) == sought:
                return begin, end + 1
            if len(words) >= len(wanted):
                break
    return None


def _is_telling(chunks: Sequence[_Chunk], at: int, telling: frozenset[str], also: frozenset[str]) -> bool:
    """Report whether a chunk only joins key and value: not a value, not quoted text, not the "on" of "is on"."""
    chunk = chunks[at]
    is_last = at == len(chunks) - 1
    is_switched = at > 0 and chunks[at - 1].lower in statement_words("switched")
    if chunk.is_marked or (is_switched and chunk.lower in {"on", "off"}):
        return False
    if is_last and (chunk.lower == "no" or values.is_type(chunk.lower)):
        return False
    return chunk.lower in telling or chunk.lower in also or chunk.lower in statement_words("negations")


def _aspect(context: frozenset[str], entry: StatedValue) -> Aspect:
    is_record = bool(entry.also) and entry.unit != "version"  # "38 lines were removed", "it takes 3 ms"
    for which in (Aspect.RETURNS, *_CHANGES) if is_record else _NAMED_BY_WORDS:
        is_near = context & statement_words(which) or (which is Aspect.DEFAULT and _BY_DEFAULT in context)
        if is_near:
            return which
    if entry.aspect is Aspect.REQUIRED and context & statement_words("required"):
        return Aspect.REQUIRED
    return Aspect.ADDED if entry.aspect is Aspect.ADDED and context & statement_words("had") else Aspect.VALUE


def _implied(entry: StatedValue, context: frozenset[str], *, is_affirmed: bool) -> str | None:
    """Return the value that words of the claim imply ("is optional", "is unique", "no tests"); else None.

    ``is_affirmed``: the claim names the whole path, so that its last part may be the predicate ("SSL is enabled").
    """
    kinds = {kind for kind, _ in values.readings(entry.value)}
    if entry.aspect is Aspect.REQUIRED:
        may_be_left_out = context & {"may", "can", "must", "cannot", "can't"} and context & statement_words("left_out")
        if context & {"optional", "nullable"} or may_be_left_out:
            return "optional"
        must_be_given = "must" in context and context & statement_words("given")
        return "required" if context & statement_words("needed") or must_be_given else None
    if context & {"no", "none"} and kinds == {values.COUNT}:
        return "0"
    return "true" if is_affirmed and entry.aspect is Aspect.VALUE and kinds == {values.SWITCH} else None


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
    if entry.aspect in {Aspect.ADDED, Aspect.DEPRECATED, Aspect.REMOVED}:
        if claimed.is_denied:
            return None
        # "Python 3.12 has it" holds for every release from that on; "3.12 was the first to have it" for one.
        has_it = entry.aspect is Aspect.ADDED and bool(claimed.context & statement_words("had"))
        or_later = has_it and not claimed.context & statement_words("first")
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
    is_type = values.is_type(claimed.value or "") or (claimed.value or "").lower() == entry.value.lower()
    return entry.aspect is Aspect.TYPE and claimed.aspect is Aspect.VALUE and is_type


def _same_value(claimed: _KeyClaim, value: str, entry: StatedValue) -> bool | None:
    is_needed = entry.aspect is Aspect.REQUIRED
    bare = value
    if "/" in entry.unit and value.lower().endswith(entry.unit):  # a unit such as "ops/s", which the entry lacks
        bare = value[: -len(entry.unit)]
    one = values.readings(bare)
    other = values.readings(entry.value, entry.unit)
    kinds, others = {kind for kind, _ in one}, {kind for kind, _ in other}
    is_bounding = not is_needed and not claimed.is_implied and claimed.context & statement_words("bounding")
    if is_bounding or (values.NEED in kinds) != (is_needed or values.NEED in others):
        return None
    if one & other:
        return True
    if not entry.unit and values.differ_in_unit_alone(value, entry.value):
        return None
    if values.TEXT in kinds | others:
        return _same_text(claimed, value, entry, are_words=kinds == others)
    is_switch = {values.SWITCH, values.NONE} & (kinds | others)
    return False if kinds & others else values.switched_alike(one, other) if is_switch else None


_ADJECTIVE = re.compile(r"(?:able|ible|ed|ive|al|ant|(?<!m)ent|ful|ous|ary|ing|less|ic|y)$")
"""Endings of words that, after "is", describe a key more often than they name its value."""


def _same_text(claimed: _KeyClaim, value: str, entry: StatedValue, *, are_words: bool) -> bool | None:
    """Compare texts; a different one refutes only if it is surely meant as a value, not as a word about the key."""
    ours = value.strip("`'\" *").rstrip(".")
    theirs = entry.value.strip("`'\" *").rstrip(".")
    lower, other = ours.lower(), theirs.lower()
    is_marked, is_record = values.is_marked(value), bool(entry.also)
    if ours == theirs or (lower == other and not is_marked):
        return True
    name, _, tag = lower.partition(" ")
    image, _, stated = other.partition(":")
    if is_record and tag and name == image:  # "alpine 3.19" is ``alpine:3.19``
        if tag == stated:
            return True
        is_other = bool(stated) and tag[0].isdigit() and not stated.startswith(tag)
        return False if is_other else None
    is_beginning = other.startswith((f"{lower};", f"{lower},"))
    if is_beginning or (name_words(ours) == name_words(theirs) and not is_marked):
        return None
    is_meant = is_marked or _is_meant(claimed, ours, theirs, is_record=is_record, are_words=are_words)
    is_one = is_marked or is_record or " " not in theirs
    is_stated = is_record or _BY_DEFAULT in claimed.context or claimed.context & statement_words("stating")
    return False if is_meant and is_one and is_stated else None


def _is_meant(claimed: _KeyClaim, ours: str, theirs: str, *, is_record: bool, are_words: bool) -> bool:
    """Report whether an unquoted text is surely meant as a value."""
    words = ours.split()
    if len(words) == 1 and re.search(r"[\d_/\\.:@$-]", ours):
        return True
    if is_record and theirs[:1].isalpha() and all(word[0].isupper() or word[0].isdigit() for word in words):
        return True
    if len(words) > 1 or _ADJECTIVE.search(ours):
        return False
    if is_record and claimed.context & {"based", "from", "as"}:
        return True
    opposites = lexicon(Language.ENGLISH).opposites
    is_telling = all(one != (ours,) for one, _ in opposites) or ((ours,), (theirs,)) in opposites
    return is_telling and are_words and claimed.is_code and ours.isalpha() and theirs.isalpha()  # not "`title` is long"
