"""Rules that code checks in speeches and summaries (specification: seed 004, Prompt Templates, Context Assembly).

Prompts ask for marks at the beginning of a line, and for nothing before the first flaw. Code reads the marks; it does
not guess whether a flaw is real, or whether words are praise. All other rules of a speech are only in its prompt.

Summaries replace earlier rounds. "MUST preserve: all concessions (verbatim quotes, not paraphrased)", and withdrawals
with both quotes; "all evidence citations that support agreements". A summary that lacks a section or is too long or too
short is requested once more. If a complete summary lacks concessions, or citations that support agreements, code adds
them under their heading and does not refuse it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
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
    SpeechRule.NEW: "mostly repeats earlier turns of its speaker",
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
    if kind is TurnKind.FOLLOW_UP:
        if present.isdisjoint({"flaw", "resolved"}):
            yield SpeechRule.CONCERN
        if not all(cites_something(text[start:end]) for start, end in certificates(text)):
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
    opposing = [each.text for each in state.speeches if each.role is not speech.role and each.round <= speech.round]
    evidence = Evidence(opposing)
    for start, end in certificates(text):
        has_citation = any(start <= place < end for place in verified)
        quotes = quoted_words(text[start:end])
        if not has_citation and not any(evidence.find(quote).verdict is QuoteVerdict.VERBATIM for quote in quotes):
            return False
    return True


def only_certifies(text: str) -> bool:
    """Return whether a speech consists of certificates: it names no flaw and has no other text."""
    spans = certificates(text)
    statements = [line for line in lines(text) if not _is_silent(line.words)]
    return bool(spans) and all(any(start <= line.start < end for start, end in spans) for line in statements)


def attacked_nothing(state: DebateState) -> bool:
    """Return whether the challenger spoke and never named a flaw; code as challenger does not count."""
    speeches = [turn for turn in state.turns if turn.role is Role.CHALLENGER]
    # A blind opening answers nothing, and so need not attack.
    if any(turn.kind is TurnKind.OPENING or turn.tool == RULE_BASED_TOOL for turn in speeches):
        return False
    return bool(speeches) and not any("flaw" in _marks(turn.answer.response) for turn in speeches if turn.answer)


def gave_up_without_evidence(state: DebateState) -> tuple[int, ...]:
    """Return the rounds in which the challenger certified a concern as resolved without valid evidence."""
    return tuple(broken_rule.round for broken_rule in state.broken if broken_rule.rule is SpeechRule.EVIDENCE)


def _marks(text: str) -> frozenset[str]:
    """The marks that are followed by text, on the same line or on the next one without a mark."""
    marked: set[str] = set()
    statements = [line.words for line in lines(text) if not line.is_fenced and not _is_silent(line.words)]
    for words, next_line in pairwise([*statements, ""]):
        match = MARK.match(words)
        if match is None:
            continue
        content = words[match.end() :].strip(" \t*_")
        if not content and not MARK.match(next_line):
            content = next_line
        if letters_in(content[: 20 * _FEWEST_LETTERS]) >= _FEWEST_LETTERS:
            marked.add(match["mark"].lower())
    return frozenset(marked)


def _leads_with_flaw(text: str) -> bool:
    """Return whether the first flaw has no text before it, apart from headings and quoted passages."""
    first = next((line.words for line in lines(text) if not _is_silent(line.words)), "")
    match = MARK.match(first)
    return match is not None and match["mark"].lower() == "flaw"


def _is_silent(words: str) -> bool:
    """Return whether a line states nothing: it is empty, a heading without a mark, a rule, or a quotation."""
    is_heading = _HEADING.match(words) and not MARK.match(words)
    return bool(not words.strip() or is_heading or _RULE.match(words) or _QUOTED.match(words))


def _repeats(text: str, earlier: Iterable[str]) -> bool:
    """Return whether half of its words are in sentences that its speaker used before, word for word."""
    known = {sentence for speech in earlier for sentence in _sentences(speech)}
    repeated, total = 0, 0
    for sentence in _sentences(text):
        length = words_in(sentence)
        total += length
        if sentence in known:
            repeated += length
    return repeated > 0 and 2 * repeated >= total


def _sentences(text: str) -> list[str]:
    """Return the sentences of the speaker's own, without letter case and punctuation, that are long enough."""
    sentences: list[str] = []
    for line in lines(text):
        if line.is_fenced or _QUOTED.match(line.words):
            continue
        for part in _SENTENCE_END.split(line.words):
            sentence = _BETWEEN.sub(" ", part).strip().casefold()
            if words_in(sentence) >= _FEWEST_WORDS:
                sentences.append(sentence)
    return sentences


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
    missing = missing_sections(summary)
    if missing:
        return f"These headings are missing: {', '.join(missing)}"
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
    return "\n\n".join(speech.text for speech in state.up_to(round_ - 2).speeches)


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
    notices: list[str] = []
    for round_ in sorted({turn.round for turn in state.summaries}):
        summary = summary_before(round_, state)
        if summary is None:
            lead = f"[WARN] No usable summary before round {round_}"
            notices.append(f"{lead}: the debaters were shown the full text instead.")
            continue
        lost: list[str] = []
        if summary.put_back:
            lost.append(f"{summary.put_back} quote{'' if summary.put_back == 1 else 's'} of concessions")
        if summary.cited:
            lost.append(f"{summary.cited} citation{'' if summary.cited == 1 else 's'} for agreements")
        if lost:
            lead = f"[WARN] The summary before round {round_} had lost {' and '.join(lost)}"
            notices.append(f"{lead}; code restored it.")
    return tuple(notices)


def agreeing_citations(state: DebateState) -> tuple[str, ...]:
    """Return, as lines of a summary, the citations in concessions and certificates that code did not find missing.

    A missing citation supports nothing; a speech without a citation check has no citations.
    """
    return tuple(dict.fromkeys(line for speech in state.speeches for line in _agreeing(speech, state)))


def _agreeing(speech: Speech, state: DebateState) -> Iterator[str]:
    ledger = state.ledger(speech.round, speech.role)
    if ledger is None or ledger.ledger is None:
        return
    concessions = [(mark.start, mark.end) for mark in marks(speech.text) if not mark.is_withdrawal]
    spans = (*concessions, *certificates(speech.text))
    for entry in ledger.ledger.entries:
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
    has_quote = _search(summary)
    start, end = headings(summary)[WALK_BACKS]
    lost_quotes = [concession for concession in conduct.concessions if not has_quote(concession.text)]
    conceded = list(dict.fromkeys(_conceded(concession) for concession in lost_quotes))
    withdrawn = list(dict.fromkeys(_lost_withdrawals(conduct.concessions, summary[start:end])))
    flat = _flat(summary)
    cited: list[str] = []
    for line in citations:
        _, _, place = line.partition(": ")
        # The place itself, not only a longer name or number that contains it.
        if not re.search(rf"(?<![\w/]){re.escape(place)}(?!\w)", flat):
            cited.append(line)
    text = _with_lines(summary, CONCESSIONS, conceded)
    text = _with_lines(text, WALK_BACKS, withdrawn)
    text = _with_lines(text, EVIDENCE, cited)
    return Preserved(text, len(conceded) + len(withdrawn), len(cited))


def _lost_withdrawals(concessions: Iterable[Concession], section: str) -> Iterable[str]:
    has_quote = _search(section)
    for concession in concessions:
        withdrawal = concession.withdrawn
        if withdrawal and not (has_quote(concession.text) and has_quote(withdrawal.text)):
            yield f'{_conceded(concession)}; withdrawn in round {withdrawal.round}: "{_flat(withdrawal.text)}"'


def _search(text: str) -> Callable[[str], bool]:
    """Return a test whether ``text`` quotes a passage or contains it verbatim, as one of punctuation alone must be."""
    evidence = Evidence([without_emphasis(text).text])

    def has_quote(quote: str) -> bool:
        return _flat(quote) in text or evidence.find(without_emphasis(quote).text).verdict is QuoteVerdict.VERBATIM

    return has_quote


def _conceded(concession: Concession) -> str:
    return f'- {concession.role.capitalize()}, round {concession.round}: "{_flat(concession.text)}"'


def _flat(text: str) -> str:
    return " ".join(text.split())


def _with_lines(summary: str, name: str, lines: list[str]) -> str:
    """Return ``summary`` with ``lines`` at the end of the section ``name``, in place of a word for nothing."""
    if not lines:
        return summary
    start, end = headings(summary)[name]
    body = summary[start:end].strip()
    section = "\n".join(lines if body.lower() in _NOTHING else [body, *lines])
    return f"{summary[:start]}\n{section}\n\n{summary[end:]}".rstrip() + "\n"
