"""Cut a text into sentences, and report when the context of a sentence keeps it from being asserted.

A line without a final full stop continues in the next one unless that begins with a marker (a bullet, a heading, a
table row, a fence), so that a condition on the next line is never cut off.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sparring.checks.claims.parsing.language import Language
from sparring.checks.claims.parsing.lexicon import lexicon
from sparring.text.prose import sentences

_BLOCK_END = re.compile(
    r"""\n[ \t]*(?=\n)
      | \n(?=[ \t]*(?:[-*+•][ \t]|\d{1,3}[.)][ \t]|\#{1,6}[ \t]|```|~~~|\||>|\[[ ]?[\w.-]+:|//|/\*|<!--|--[a-z]
        |={5}|-{5}))
      | \n(?=[ \t]*\S+[ \t]*\n) | (?<=\|)\n | (?<=```)\n | (?<=~~~)\n""",
    re.VERBOSE,
)
_MARKER = re.compile(r"[ \t\n]*(?:[-*+][ \t]+\[[ xX]?\]|[-*+•]+[ \t]+|\d{1,3}[.)][ \t]+)?")
_ONE_WORD = re.compile(r"[^\s.!?]+\n")
_DOTTED_END = re.compile(r"\.(?<=[a-z)]\.)\w{3,}\.(?= +[\"`A-Z])")
"""A name with a full stop in it ends a sentence; an abbreviation has no such long last part."""

_NOT_ASSERTED = re.compile(
    r"[ \t\n]*(?:(?P<comment>\#|//|/\*|<!--|--[ \t]|;|%[ \t])|(?P<quotation>>)|(?P<code>```|~~~|\|)"
    r"|(?P<task>[-*+][ \t]+\[[ ]?\]))"
)
_KINDS = {"comment": "a comment", "quotation": "a quotation", "code": "code or a table", "task": "an open task"}
_UNDONE = re.compile(r"\b(?:TODO|FIXME)\b")
_STRUCK = re.compile(r"~~(?=\S)[^~\n]{1,2000}~~")
_COMMENTS = (("<!--", "-->"), ("/*", "*/"))
_LABEL = re.compile(
    r"(?:(?<=[.!?\"\n])|^|(?<=[.!?\"]\s))[ \t]*(?:[-*+>][ \t]*)?(?:\*\*|__)?"
    r"(?P<label>[A-ZÀ-Ỹ][\w.'/-]{0,30}(?: [\w.'/-]{1,30}){0,2})(?:\*\*|__)?:(?:\*\*|__)?\s"
)
_DISOWNED = re.compile(
    r"""[\s"')\]\-–—(]*(?:
      (?:(?:but|and|however|yet|in[ ]fact|actually)[ ,]+)?(?:(?:this|that|it|which|these|those|both)[ ]
        (?:(?:statement|claim|sentence|rule|behaviou?r|feature)s?[ ])?(?:
          only | used[ ]to | (?:has[ ])?changed | (?:does|did|can|will)[ ]?not | (?:does|did|is|was|ca|wo)n't
        | (?:is|was|are|were|has[ ]been|holds?|apply|applies|works?|will[ ]be)[ ](?:(?:all|now|also|simply|still)[ ])?
          (?:not?|no[ ]longer|never|wrong|false|untrue|incorrect|outdated|obsolete|removed|deprecated|planned|disputed
            |only|true[ ](?:only|until|before)|if|when|unless|until|before
            |a[ ](?:myth|lie|rumou?r|misconception|mistake|proposal|draft|plan|joke|hoax))))\b
    | (?:(?:but|and)[ ])?(?:only|not?)[ ](?:if|when|on|for|in|with|until|before|after|true|so|any|really
        |quite)\b
    | (?:but|and)[ ](?:only|not)\b | unless\b | except\b | until[ ]then\b | no[ ]longer\b
    | or[ ](?:are|is|do|does)\b
    | (?:wrong|false|untrue|incorrect|no|not[ ]really|never|none|perhaps|maybe|probably|usually|often|sometimes|mostly
        |normally|generally|really|just[ ]kidding)[.!?,;]
    | (?:removed|deprecated|obsolete|outdated|planned)(?:[.!,;)]|[ ](?:in|since|as|from|by)\b)
    | everything[ ](?:above|before|here|said)\b | (?:(?:and|or)[ ])?so[ ](?:they|he|she|it|we|people)\b
    | i[ ](?:doubt|am[ ]not|do[ ]not|don't)\b | (?:on[ ]|quite[ ])?the[ ](?:opposite|contrary)\b
    | (?:at[ ]least[ ])?in[ ]theory\b | (?:with|[^.!?\n]{1,30}[ ](?:is|are))[ ](?:\w+[ ]){0,2}exceptions?\b
    | in[ ][^.!?\n]{1,30}[ ](?:this|that|it)[ ]changed\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)
"""The beginning of a sentence that retracts or limits the one before it."""

_ABOUT_TEXT = re.compile(
    r"\b(?:(?:everything|anything|all|what|none)\b[^.!?\n]{0,30}\b(?:above|below|follow(?:s|ing)?)"
    r"|this (?:page|document|section|article|text|guide|file|chapter))\b[^.!?\n]{0,80}\b(?:false|wrong|untrue|incorrect"
    r"|outdated|obsolete|fiction|fictional|invented|deprecated|superseded|no longer|hypothetical|nonsense"
    r"|a (?:joke|lie|dream|draft|myth))\b",
    re.IGNORECASE,
)
"""A sentence that disowns a text, or a part of it."""

_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s")
_FULL_STOP = re.compile(r"[.!?;,]['\")\]]*$")
_LEAD_REACH = 2_000
"""Characters; the lead-in of a longer list no longer applies."""

_SHOWN = 80
_FOLLOWING_REACH = 160


class SentencePlace(NamedTuple):
    """A sentence's place in the plain text, and that of its paragraph, list item, heading or comment."""

    start: int
    end: int
    block_start: int
    block_end: int


def cut(text: str) -> Iterator[SentencePlace]:
    """Yield the sentences of ``text`` in order; linear in its length."""
    is_dotted = bool(_DOTTED_END.search(text))
    for block_start, block_end in _blocks(text):
        marker = _MARKER.match(text, block_start, block_end)
        begin = marker.end() if marker else block_start
        for first, end in sentences(text, begin, block_end):
            start = first
            if is_dotted:
                for match in _DOTTED_END.finditer(text, first, end):
                    yield SentencePlace(start, match.end(), block_start, block_end)
                    start = match.end() + 1
            yield SentencePlace(start, end, block_start, block_end)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the blocks of a text; a first line of a single word, a key or a heading, is a separate block."""
    start = 0
    ends = [match.span() for match in _BLOCK_END.finditer(text)] if "\n" in text else []
    for end, following in (*ends, (len(text), len(text))):
        while match := _ONE_WORD.match(text, start, end):
            yield start, match.end()
            start = match.end()
        if text[start:end].strip():
            yield start, end
        start = following


def reason_not_asserted(text: str, stretch: SentencePlace, language: Language) -> str:
    """Return why the text does not assert the sentence, in a few words; empty if nothing limits it."""
    start, end, block_start, block_end = stretch
    if text[:end].rstrip("\"')] ").endswith("?"):
        return "a question"
    if kind := _NOT_ASSERTED.match(text, block_start, block_end):
        return _KINDS[kind.lastgroup or "code"]
    if ("TODO" in text or "FIXME" in text) and _UNDONE.search(text, block_start, block_end):
        return "an open task"
    for opening, closing in _COMMENTS:
        if text.rfind(opening, 0, start) > text.rfind(closing, 0, start):
            return "a comment"
    return _marked_off(text, stretch) or _has_lead(text, stretch, lexicon(language).limiting)


def _marked_off(text: str, stretch: SentencePlace) -> str:
    """Return the effect of marks around the sentence."""
    start, end, *_ = stretch
    is_diff = "\n+" in text
    if is_diff and text[stretch.block_start :].lstrip("\n").startswith("-"):
        return "a removed line"
    if "~~" in text:
        for struck in _STRUCK.finditer(text):
            if struck.start() < end and start < struck.end():
                return "struck text"
    is_fence_open = text.count("```", 0, start) % 2 or text.count("~~~", 0, start) % 2
    if is_fence_open:
        return "code or a table"
    return "a quotation" if _is_quoted(text, stretch) else ""


def _is_quoted(text: str, stretch: SentencePlace) -> bool:
    """Report whether a quotation mark is open where the sentence begins, or the sentence is one quotation."""
    marks_before = _quotation_marks(text, stretch.block_start, stretch.start)
    if marks_before % 2 == 1:
        return True
    sentence = text[stretch.start : stretch.end].strip()
    if not sentence.startswith(('"', "``", "''")):
        return False
    # One mark: the quotation goes on in the next sentence. Two marks: the second one has to end the sentence.
    marks_inside = _quotation_marks(text, stretch.start, stretch.end)
    return marks_inside == 1 or (marks_inside == 2 and sentence.rstrip(".!?").endswith(('"', "''")))


def _quotation_marks(text: str, start: int, end: int) -> int:
    return text.count('"', start, end) + text.count("``", start, end) + text.count("''", start, end)


def _has_lead(text: str, stretch: SentencePlace, limiting: frozenset[str]) -> str:
    """Return the effect of the words before and after the sentence."""
    if label := _label(text, stretch, limiting):
        return f'the text under "{label}:"'
    if line := _line_above(text, stretch.block_start, limiting):
        return f'the list under "{line}"'
    if _DISOWNED.match(text, stretch.end, stretch.end + _FOLLOWING_REACH):
        return "a sentence that the next one takes back"
    return "a text that another sentence disowns" if _ABOUT_TEXT.search(text) else ""


def _label(text: str, stretch: SentencePlace, limiting: frozenset[str]) -> str:
    """Return the label before the sentence that makes its origin unclear: "Ann:" in dialogue, "Example:", "Myth:"."""
    if text.find(":", stretch.block_start, stretch.start) < 0:
        return ""
    labels = list(_LABEL.finditer(text, stretch.block_start, stretch.block_end))
    before = [label for label in labels if label.end() <= stretch.start]
    if not before:
        return ""
    nearest = before[-1]
    # Speech has several speakers, or a quotation mark after its label: 'Ann: "It is safe."'
    speakers = {label["label"] for label in labels}
    opening = text[nearest.end() : stretch.start].strip()
    if len(speakers) > 1 or opening in {'"', "``"}:
        return nearest["label"]
    # In a language without a list of limiting words, every label limits.
    is_limiting = not limiting or not limiting.isdisjoint(nearest["label"].lower().split())
    return nearest["label"] if is_limiting else ""


def _line_above(text: str, block_start: int, limiting: frozenset[str]) -> str:
    """Return the line above a block if it limits the block: one that ends with a colon, or a heading.

    For a list item it is the line above the first item.
    """
    if not block_start:
        return ""
    above = text[max(0, block_start - _LEAD_REACH) : block_start].split("\n")
    line = ""
    for each in reversed(above):
        stripped = each.strip()
        is_rule = not stripped.strip("-=")  # or empty
        if not is_rule and not _ITEM.match(stripped):
            line = stripped
            break
    if not limiting:
        return line[:_SHOWN] if line.endswith(":") else ""
    is_lead = line.endswith(":") or line.startswith("#") or not _FULL_STOP.search(line)
    if is_lead and not limiting.isdisjoint(re.findall(r"[\w.]+", line.lower())):
        return line[:_SHOWN]
    return ""
