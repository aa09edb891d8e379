"""Rules that code checks in speeches and summaries (specification: seed 004, Prompt Templates, Context Assembly).

Prompts ask for marks at the beginning of a line, and for nothing before the first flaw. Code reads the marks; it does
not guess whether a flaw is real, or whether words are praise. All other rules of a speech are only in its prompt.

Summaries replace earlier rounds. "MUST preserve: all concessions (verbatim quotes, not paraphrased)", and withdrawals
with both quotes; "all evidence citations that support agreements". A summary that lacks a section or is too long or too
short is requested once more. If a complete summary lacks concessions, or citations that support agreements, code adds
them under their heading and does not refuse it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from sparring.checks.concessions import marks
from sparring.checks.quotes import Evidence
from sparring.formats.debate.marks import MARK, certificates, cites_something, quoted_words
from sparring.formats.debate.speeches import DebateState, without_emphasis
from sparring.schema.base import RULE_BASED_TOOL, Role
from sparring.schema.consultation import Speech
from sparring.schema.debate import Concession, Conduct, SpeechRule
from sparring.schema.lookups import CitationStatus, QuoteVerdict
from sparring.schema.transcript import Turn, TurnKind
from sparring.text.fences import lines
from sparring.text.tokens import tokens_about
from sparring.text.words import letters_in, words_in

IN_WORDS = {
    SpeechRule.FLAW: "names no flaw",
    SpeechRule.LEAD: "does not begin with a flaw",
    SpeechRule.ALTERNATIVE: "proposes no alternative",
    SpeechRule.RISK: "concedes, and does not say which risk remains",
    SpeechRule.CONCERN: "names no flaw, and certifies no concern as resolved",
    SpeechRule.EVIDENCE: "certifies a concern as resolved, and cites nothing that holds for it",
    SpeechRule.NEW: "mostly repeats what its speaker had said before",
}
"""Words for the rules that a speech breaks."""

_FEWEST_LETTERS = 8
"""Letters and digits; fewer cannot describe a flaw."""

_HEADING = re.compile(r"[ \t]*#{1,6}(?:[ \t]|$)")
_RULE = re.compile(r"[ \t]*[-*_=]{3,}[ \t]*\Z")
_QUOTED = re.compile(r"[ \t]*>")

_SENTENCE_END = re.compile(r"(?<=[.!?;:])\s+|(?<=[。！？；：])")
_BETWEEN = re.compile(r"[\W_]+")
_FEWEST_WORDS = 4
"""Words; a sentence of this length is not repeated by chance."""


def broken(kind: TurnKind, text: str, earlier: Iterable[str]) -> Iterator[SpeechRule]:
    """The rules that ``text``, a speech of that kind, breaks; ``earlier`` are the speaker's earlier speeches."""
    present = _marks(text)
    if kind is TurnKind.RESPONSE:
        if "flaw" not in present:
            yield SpeechRule.FLAW
        elif not _leads_with_flaw(text):
            yield SpeechRule.LEAD
        if "alternative" not in present:
            yield SpeechRule.ALTERNATIVE
        if "risk" not in present and any(not mark.is_withdrawal for mark in marks(text)):
            yield SpeechRule.RISK
    if kind is TurnKind.FOLLOW_UP and present.isdisjoint({"flaw", "resolved"}):
        yield SpeechRule.CONCERN
    if kind is TurnKind.FOLLOW_UP and not all(cites_something(text[slice(*each)]) for each in certificates(text)):
        yield SpeechRule.EVIDENCE
    if _repeats(text, earlier):
        yield SpeechRule.NEW


def certifies_with_evidence(speech: Turn, state: DebateState) -> bool | None:
    """Return whether all certificates of ``speech`` rest on valid evidence; None if no citation check was made.

    A citation is valid if code verified it, and quoted words if the other side used them before.
    """
    text = speech.answer.response if speech.answer else ""
    ledger = state.ledger(speech.round, speech.role)
    if ledger is None or ledger.ledger is None:
        return None
    verified = [entry.start for entry in ledger.ledger.entries if entry.status is CitationStatus.VERIFIED]
    heard = [each.text for each in state.speeches if each.role is not speech.role and each.round <= speech.round]
    evidence = Evidence(heard)
    return all(
        any(start <= place < end for place in verified)
        or any(evidence.find(quote).verdict is QuoteVerdict.VERBATIM for quote in quoted_words(text[start:end]))
        for start, end in certificates(text)
    )


def only_certifies(text: str) -> bool:
    """Return whether a speech consists of certificates: it names no flaw and has no other text."""
    spans = certificates(text)
    remaining = (line for line in lines(text) if not _is_silent(line.words))
    return bool(spans) and all(any(start <= line.start < end for start, end in spans) for line in remaining)


def attacked_nothing(state: DebateState) -> bool:
    """Return whether the challenger spoke and never named a flaw; code as challenger does not count."""
    spoken = [turn for turn in state.turns if turn.role is Role.CHALLENGER]
    if any(turn.kind is TurnKind.OPENING or turn.tool == RULE_BASED_TOOL for turn in spoken):
        return False
    return bool(spoken) and not any("flaw" in _marks(turn.answer.response) for turn in spoken if turn.answer)


def gave_up_without_evidence(state: DebateState) -> tuple[int, ...]:
    """Return the rounds in which the challenger certified a concern as resolved without valid evidence."""
    return tuple(each.round for each in state.broken if each.rule is SpeechRule.EVIDENCE)


def _marks(text: str) -> frozenset[str]:
    """The marks that are followed by text, on the same line or on the next one without a mark."""
    plain = [line.words for line in lines(text) if not line.is_fenced and not _is_silent(line.words)]
    pairs = pairwise([*plain, ""])
    matches = ((match, words[match.end() :], below) for words, below in pairs if (match := MARK.match(words)))
    return frozenset(
        match["mark"].lower()
        for match, behind, below in matches
        if _says_something(behind.strip(" \t*_") or ("" if MARK.match(below) else below))
    )


def _says_something(words: str) -> bool:
    return letters_in(words[: 20 * _FEWEST_LETTERS]) >= _FEWEST_LETTERS


def _leads_with_flaw(text: str) -> bool:
    """Return whether the first flaw has no text before it, apart from headings and quoted passages."""
    spoken = (line.words for line in lines(text) if not _is_silent(line.words))
    match = MARK.match(next(spoken, ""))
    return match is not None and match["mark"].lower() == "flaw"


def _is_silent(words: str) -> bool:
    is_heading = _HEADING.match(words) and not MARK.match(words)
    return bool(not words.strip() or is_heading or _RULE.match(words) or _QUOTED.match(words))


def _repeats(text: str, earlier: Iterable[str]) -> bool:
    """Return whether half of its words are in sentences that its speaker used before, word for word."""
    known = {sentence for speech in earlier for sentence in _sentences(speech)}
    if not known:
        return False
    own = _sentences(text)
    again = sum(words_in(sentence) for sentence in own if sentence in known)
    return 2 * again >= sum(map(words_in, own)) > 0


def _sentences(text: str) -> Sequence[str]:
    plain_lines = (line.words for line in lines(text) if not line.is_fenced and not _QUOTED.match(line.words))
    plain = (_BETWEEN.sub(" ", part).strip().casefold() for words in plain_lines for part in _SENTENCE_END.split(words))
    return [sentence for sentence in plain if words_in(sentence) >= _FEWEST_WORDS]


CONCESSIONS, EVIDENCE, WALK_BACKS = "concessions", "evidence citations", "walk-backs"

FIRST_SUMMARIZED_ROUND = 3
"""From this round on the context is a summary and the last round."""

SECTIONS = ("core positions", CONCESSIONS, EVIDENCE, "open disagreements", WALK_BACKS)
"""Sections that a summary must have, as the headings of ``prompts/debate/summary.md``."""

_FEWEST_TOKENS, _MOST_TOKENS = 500, 800
"""Length of a summary, as requested in its prompt (specification: Context Assembly)."""

_TOLERATED = 1_000
"""Tokens of a summary that are let pass: estimates of tokens differ by a quarter."""

_SECTION_HEADING = re.compile(r"^#{1,6}[ \t]+(\S[^\n]*)$", re.MULTILINE)
_NOTHING = frozenset({"", "none", "none.", "- none", "- none."})


class Preserved(Struct, frozen=True):
    """A summary with every concession, and every citation that supports an agreement.

    Attributes:
        put_back: Number of quotes that code had to add.
        cited: Number of citations that code had to add.
    """

    text: str
    put_back: int
    cited: int = 0


def missing_sections(summary: str) -> tuple[str, ...]:
    """The must-preserve sections that ``summary`` has no heading for."""
    return tuple(section for section in SECTIONS if section not in headings(summary))


def summary_problem(summary: str, covered: str) -> str:
    """Return the defect of ``summary`` of the speeches ``covered``, in words for its author; empty if none."""
    if missing := missing_sections(summary):
        return "These headings are missing: " + ", ".join(missing)
    if not _tokens_off(summary, covered):
        return ""
    asked_for = f"{_FEWEST_TOKENS} to {_MOST_TOKENS} tokens are asked for"
    return f"It has about {tokens_about(summary):,} tokens, and {asked_for}: 2,000 to 3,200 characters of English."


def _tokens_off(summary: str, covered: str) -> int:
    """Return by how many tokens ``summary`` is too long or too short.

    Speeches that fit into a summary of the largest size need not be drawn out to the smallest one.
    """
    tokens = tokens_about(summary)
    fewest = _FEWEST_TOKENS if tokens_about(covered) > _MOST_TOKENS else 0
    return max(tokens - _TOLERATED, fewest - tokens, 0)


def covered_by_summary(round_: int, state: DebateState) -> str:
    """Return all speeches that the summary before ``round_`` covers."""
    return "\n\n".join(each.text for each in state.up_to(round_ - 2).speeches)


def summary_before(round_: int, state: DebateState) -> Preserved | None:
    """The summary that ``round_`` is shown, with its lost passages restored; None if there is no usable one."""
    answers = [turn.answer.response for turn in state.summaries if turn.round == round_ and turn.answer]
    whole = [summary for summary in answers if not missing_sections(summary)]
    if not whole:
        return None
    # One that stays too long is still shorter than the speeches, and one that stays too short has its sections.
    covered = covered_by_summary(round_, state)
    best = min(whole, key=lambda summary: (_tokens_off(summary, covered), len(summary)))
    earlier = state.up_to(round_ - 2)
    return preserved(best, earlier.conduct, agreeing_citations(earlier))


def summary_notices(state: DebateState) -> tuple[str, ...]:
    """One line for each round without a usable summary, or with one that lost passages."""
    rounds = sorted({turn.round for turn in state.summaries})
    lines = (_notice(round_, summary_before(round_, state)) for round_ in rounds)
    return tuple(line for line in lines if line)


def _notice(round_: int, summary: Preserved | None) -> str:
    if summary is None:
        return f"[WARN] No usable summary before round {round_}: the debaters were shown the full text instead."
    lost = [
        *_counted(summary.put_back, "quote", "of concessions"),
        *_counted(summary.cited, "citation", "for agreements"),
    ]
    if not lost:
        return ""
    return f"[WARN] The summary before round {round_} had lost {' and '.join(lost)}; code put back what was said."


def _counted(count: int, what: str, of: str) -> Iterator[str]:
    if count:
        yield f"{count} {what}{'' if count == 1 else 's'} {of}"


def agreeing_citations(state: DebateState) -> tuple[str, ...]:
    """Return, as lines of a summary, the citations in concessions and certificates that code did not find missing.

    A missing citation supports nothing; a speech without a citation check has no citations.
    """
    return tuple(dict.fromkeys(line for speech in state.speeches for line in _agreeing(speech, state)))


def _agreeing(speech: Speech, state: DebateState) -> Iterator[str]:
    ledger = state.ledger(speech.round, speech.role)
    conceded = ((each.start, each.end) for each in marks(speech.text) if not each.is_withdrawal)
    spans = (*conceded, *certificates(speech.text))
    for entry in ledger.ledger.entries if ledger and ledger.ledger else ():
        is_within = any(start <= entry.start < end for start, end in spans)
        if is_within and entry.status is not CitationStatus.NOT_FOUND:
            yield f"- {speech.role.capitalize()}, round {speech.round}: {_flat(entry.text)}"


def headings(summary: str) -> dict[str, tuple[int, int]]:
    """The headings of ``summary`` in lower case, each with the span of the text below it.

    Of several with the same name the first counts.
    """
    matches = list(_SECTION_HEADING.finditer(summary))
    ends = (*(heading.start() for heading in matches[1:]), len(summary))
    sections: dict[str, tuple[int, int]] = {}
    for heading, end in zip(matches, ends, strict=False):  # a text without a heading has one end nevertheless
        sections.setdefault(heading[1].rstrip("# \t\r").strip("*: ").lower(), (heading.end(), end))
    return sections


def preserved(summary: str, conduct: Conduct, citations: Iterable[str] = ()) -> Preserved:
    """``summary`` with the concessions and withdrawals of ``conduct``, and the ``citations``, that it does not quote.

    It must have the three headings. A withdrawal needs both quotes under its heading, since only together they show
    the change. Each of ``citations`` is a line that ends with the cited place.
    """
    holds = _search(summary)
    start, end = headings(summary)[WALK_BACKS]
    conceded = list(dict.fromkeys(_conceded(each) for each in conduct.concessions if not holds(each.text)))
    withdrawn = list(dict.fromkeys(_lost_withdrawals(conduct.concessions, summary[start:end])))
    cited = [line for line in citations if not _cites(summary, line.partition(": ")[2])]
    text = _added(_added(summary, CONCESSIONS, conceded), WALK_BACKS, withdrawn)
    return Preserved(_added(text, EVIDENCE, cited), len(conceded) + len(withdrawn), len(cited))


def _cites(summary: str, cited: str) -> bool:
    """Return whether ``summary`` names ``cited``, not only a longer name or number that contains it."""
    return re.search(rf"(?<![\w/]){re.escape(cited)}(?!\w)", _flat(summary)) is not None


def _lost_withdrawals(concessions: Iterable[Concession], section: str) -> Iterable[str]:
    holds = _search(section)
    for concession in concessions:
        withdrawal = concession.withdrawn
        if withdrawal and not (holds(concession.text) and holds(withdrawal.text)):
            yield f'{_conceded(concession)}; withdrawn in round {withdrawal.round}: "{_flat(withdrawal.text)}"'


def _search(text: str) -> Callable[[str], bool]:
    """Return a test whether ``text`` quotes a passage or contains it verbatim, as one of punctuation alone must be."""
    evidence = Evidence([without_emphasis(text).text])

    def holds(quote: str) -> bool:
        return _flat(quote) in text or evidence.find(without_emphasis(quote).text).verdict is QuoteVerdict.VERBATIM

    return holds


def _conceded(concession: Concession) -> str:
    return f'- {concession.role.capitalize()}, round {concession.round}: "{_flat(concession.text)}"'


def _flat(text: str) -> str:
    return " ".join(text.split())


def _added(summary: str, name: str, lines: list[str]) -> str:
    if not lines:
        return summary
    start, end = headings(summary)[name]
    body = summary[start:end].strip()
    kept = [] if body.lower() in _NOTHING else [body]
    whole = "\n".join([*kept, *lines])
    return f"{summary[:start]}\n{whole}\n\n{summary[end:]}".rstrip() + "\n"
