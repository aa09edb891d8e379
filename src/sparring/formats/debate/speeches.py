"""Speeches so far, and the same without the speakers' names."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace
from pydantic import ValidationError

from sparring.checks.concessions import CheckedSpeech, analyse_conduct
from sparring.checks.folding import Folded
from sparring.formats.debate.marks import current_speeches
from sparring.schema import base, consultation, debate, judgement, lookups, transcript
from sparring.text.fences import lines
from sparring.text.words import SPACED


def as_side(role: base.Role) -> judgement.Side:
    """``role``, which is a debater's."""
    return base.Role.PROPOSER if role is base.Role.PROPOSER else base.Role.CHALLENGER


def other_side(role: base.Role) -> judgement.Side:
    """Whom ``role`` debates with."""
    return base.Role.CHALLENGER if role is base.Role.PROPOSER else base.Role.PROPOSER


class DebateState(Struct, frozen=True, dict=True):
    """Speeches so far; immutable, each addition makes a new record.

    Attributes:
        turns: The debaters' speeches that were answered, in the order of speaking.
        ledgers: The citations of each speech, if they were looked up or the check failed.
        summaries: The attempts at a summary, including failed ones.
        broken: The rules that speeches still break after they were returned.
    """

    turns: tuple[transcript.Turn, ...] = ()
    ledgers: tuple[debate.SpeechLedger, ...] = ()
    summaries: tuple[transcript.Turn, ...] = ()
    broken: tuple[debate.BrokenRule, ...] = ()

    def after(self, turns: tuple[transcript.Turn, ...]) -> "DebateState":
        """With ``turns``, which are speeches and summaries."""
        speeches = tuple(turn for turn in turns if turn.kind in transcript.SPEECH_KINDS and turn.answer)
        summaries = tuple(turn for turn in turns if turn.kind is transcript.TurnKind.SUMMARY)
        return replace(self, turns=self.turns + speeches, summaries=self.summaries + summaries)

    def with_replacements(self, turns: tuple[transcript.Turn, ...]) -> "DebateState":
        """With what came when speeches were returned; see ``marks.display_name``."""
        return replace(self, turns=current_speeches((*self.turns, *turns)))

    def with_ledgers(self, ledgers: tuple[debate.SpeechLedger, ...]) -> "DebateState":
        """With what those speeches cite."""
        return replace(self, ledgers=self.ledgers + ledgers)

    def up_to(self, round_: int) -> "DebateState":
        """Return the state without the turns after ``round_``."""
        return replace(
            self,
            turns=tuple(turn for turn in self.turns if turn.round <= round_),
            ledgers=tuple(ledger for ledger in self.ledgers if ledger.round <= round_),
            broken=tuple(broken for broken in self.broken if broken.round <= round_),
        )

    @cached_property
    def speeches(self) -> tuple[consultation.Speech, ...]:
        """Speeches of both sides."""
        return tuple(consultation.Speech(role=turn.role, round=turn.round, text=_text(turn)) for turn in self.turns)

    @cached_property
    def conduct(self) -> debate.Conduct:
        """Concessions and withdrawals of both sides, by their marks."""
        return analyse_conduct([self._checked_speech(speech) for speech in self.speeches])

    def earlier(self, turn: transcript.Turn) -> tuple[str, ...]:
        """Return the speeches of the speaker of ``turn`` in earlier rounds."""
        own = [speech for speech in self.speeches if speech.role is turn.role]
        return tuple(speech.text for speech in own if speech.round < turn.round)

    def breaks(self, round_: int, role: base.Role) -> tuple[debate.SpeechRule, ...]:
        """The rules that this speech was returned for in vain."""
        return tuple(broken.rule for broken in self.broken if (broken.round, broken.role) == (round_, role))

    def ledger(self, round_: int, role: base.Role) -> debate.SpeechLedger | None:
        """Return the citations of that speech; None if they were not looked up."""
        return next((ledger for ledger in self.ledgers if (ledger.round, ledger.role) == (round_, role)), None)

    def respondents_for(self, role: base.Role) -> tuple[transcript.Respondent, ...]:
        """The tools that spoke for ``role``, in the order of their last speeches."""
        return transcript.Transcript(turns=self.turns).respondents(role)

    def name(self, role: base.Role) -> str:
        """The names of these tools, e.g. ``claude and codex for claude``."""
        return " and ".join(respondent.name for respondent in self.respondents_for(role))

    def _checked_speech(self, speech: consultation.Speech) -> CheckedSpeech:
        ledger = self.ledger(speech.round, speech.role)
        return CheckedSpeech(as_side(speech.role), speech.round, speech.text, ledger.ledger if ledger else None)


def read_ledger(turn: transcript.Turn) -> tuple[lookups.CitationLedger | None, str]:
    """The ledger that code answered, or the reason why there is none; a missing ledger does not end the run."""
    if turn.failure:
        return None, turn.failure.cause
    try:
        return lookups.CitationLedger.model_validate_json(_text(turn)), ""
    except ValidationError:
        return None, "parse: the finding is not a ledger"


def _text(turn: transcript.Turn) -> str:
    return turn.answer.response if turn.answer else ""


def _replaced(text: str, places: Iterable[tuple[int, int, str]]) -> Folded:
    """``text`` with each of ``places`` (start, end, replacement), which are in order, replaced.

    Every letter of a replacement maps back to the whole replaced passage.
    """
    pieces: list[tuple[str, tuple[int, int]]] = []
    position = 0
    for start, end, stand_in in places:
        pieces.append((text[position:start], (position, start)))
        pieces += [(letter, (start, end)) for letter in stand_in]
        position = end
    pieces.append((text[position:], (position, len(text))))
    length = 0
    starts: list[int] = []
    origins: list[tuple[int, int]] = []
    for words, origin in pieces:
        if words:
            starts.append(length)
            origins.append(origin)
            length += len(words)
    return Folded("".join(words for words, _ in pieces), tuple(starts), tuple(origins))


_MARKS = re.compile(
    r"""
      `++
    | (?<![\w*]) \*++ (?=\S) | (?<=[^\s*]) \*++ (?!\w)      # stars: opening, closing
    | (?<!\w) _++ (?=[^\W_]) | (?<=[^\W_]) _++ (?!\w)       # underscores: the same
    """,
    re.VERBOSE,
)


def without_emphasis(text: str) -> Folded:
    """``text`` without its marks."""
    return _replaced(text, ((match.start(), match.end(), "") for match in _MARKS.finditer(text)))


Letter = Literal["A", "B"]

ORDERS = {"ab": judgement.Order.PROPOSER_FIRST, "ba": judgement.Order.CHALLENGER_FIRST}
"""As the ids of asks spell the two orders."""

_LETTER = rf"(?:(?![\uac00-\ud7ff]){SPACED})"
"""A letter of a word that may contain a name. Scripts without spaces, and Korean, attach to it: Claude的, Claude는."""

_NAME = re.compile(rf"(?<!{_LETTER})(?i:side) ([AB])(?!{_LETTER})")  # "on the client side a lock" names no side
_ENDS = (".", "!", "?", "…")
_BETWEEN = " \t\r\n\"'“”‘’*_([#>-"
_REACH = 16
"""Characters before a name that are searched for the end of the previous sentence."""


def order_of(turn: transcript.Turn) -> judgement.Order:
    """Return the order in which a judge was shown the sides."""
    return tuple(judgement.Order)[turn.order - 1]


def first_side(order: judgement.Order) -> judgement.Side:
    """Return the role of Side A."""
    return base.Role.PROPOSER if order is judgement.Order.PROPOSER_FIRST else base.Role.CHALLENGER


def side_of(letter: Letter, order: judgement.Order) -> judgement.Side:
    """Return the role of the side with that ``letter`` in ``order``."""
    first = first_side(order)
    return first if letter == "A" else other_side(first)


def name_of(side: base.Role, order: judgement.Order) -> str:
    """Return the name of ``side`` in that order, e.g. ``Side A``."""
    return "Side A" if side is first_side(order) else "Side B"


def sides_in(order: judgement.Order) -> tuple[judgement.Side, judgement.Side]:
    """Both sides in the order shown."""
    return first_side(order), other_side(first_side(order))


def with_roles(text: str, order: judgement.Order) -> str:
    """``text`` of a judge with "the proposer" and "the challenger" for "Side A" and "Side B"."""

    def role(match: re.Match[str]) -> str:
        side_a, side_b = sides_in(order)
        article = "The" if _begins_sentence(text, match.start()) else "the"
        return f"{article} {side_a if match[1] == 'A' else side_b}"

    return _NAME.sub(role, text)


def _begins_sentence(text: str, start: int) -> bool:
    window = text[max(0, start - _REACH) : start]
    before = window.rstrip(_BETWEEN)
    is_at_beginning = not before and start <= _REACH
    is_on_new_line = "\n" in window[len(before) :]
    return is_at_beginning or is_on_new_line or before.endswith(_ENDS)


class Mask:
    """Replaces names, as whole words in any letter case, by neutral words."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = {name.lower(): stand_in for name, stand_in in names.items()}
        longest_first = sorted(self._names, key=len, reverse=True)
        self._pattern = _pattern(longest_first) if longest_first else None

    def masked(self, text: str) -> Folded:
        """``text`` without the names."""
        places = ((start, end, self._names[text[start:end].lower()]) for start, end in self._places(text))
        return _replaced(text, places)

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of names outside fenced code, code spans, paths and addresses."""
        if self._pattern is None:
            return
        for line in lines(text):
            if line.is_fenced:
                continue
            for match in self._pattern.finditer(line.words):
                if match["name"]:  # otherwise it is a code span
                    yield line.start + match.start(), line.start + match.end()


def is_named(name: str, text: str) -> bool:
    """Return whether ``text`` contains ``name`` as a word, also in code."""
    return re.search(rf"(?<!{_LETTER})(?ai:{re.escape(name)})(?!{_LETTER})", text) is not None


def _pattern(names: list[str]) -> re.Pattern[str]:
    """A code span, which is skipped, or one of ``names``; each run of backticks is tried once.

    Letter case is ignored in ASCII only: a long s would match an s, and the lookup of the match would fail.
    """
    words = "|".join(re.escape(name) for name in names)
    name = rf"(?<!{_LETTER})(?<![./-])(?P<name>(?ai:{words}))(?!{_LETTER}|[/@-]|\.\w)"
    return re.compile(rf"(?<!`)`++[^`]*+`++|{name}")
