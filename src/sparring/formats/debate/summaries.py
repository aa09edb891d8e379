"""The summaries that stand in for earlier rounds (specification: seed 004, Context Assembly).

"MUST preserve: all concessions (verbatim quotes, not paraphrased)", and what was withdrawn with both quotes. A summary
that lacks a section or is too long is asked for once more. What a whole one has lost of the concessions is put back
under its heading by code; it is not refused for it.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sparring.checks.quotes import Evidence
from sparring.formats.debate.speeches import Said, without_emphasis
from sparring.schema.debate import Concession, Conduct
from sparring.schema.lookups import QuoteVerdict

CONCESSIONS, WALK_BACKS = "concessions", "walk-backs"

FIRST_SUMMARIZED_ROUND = 3
"""From this round on the context is a summary and the last round."""

SECTIONS = ("core positions", CONCESSIONS, "evidence citations", "open disagreements", WALK_BACKS)
"""What a summary must preserve, as the headings of ``prompts/debate/summary.md``."""

_LONGEST_SUMMARY = 4_000
"""Characters: about 1,000 tokens of four each. 800 are asked for; a quarter more is let pass."""

_HEADING = re.compile(r"^#{1,6}[ \t]+(\S[^\n]*)$", re.MULTILINE)
_NOTHING = frozenset({"", "none", "none.", "- none", "- none."})


@dataclass(frozen=True)
class Preserved:
    """A summary that holds every concession.

    Attributes:
        put_back: How many lines code had to add.
    """

    text: str
    put_back: int


def missing_sections(summary: str) -> tuple[str, ...]:
    """The must-preserve sections that ``summary`` has no heading for."""
    return tuple(section for section in SECTIONS if section not in headings(summary))


def summary_problem(summary: str) -> str:
    """What is wrong with ``summary``, in words for whoever made it; empty when nothing is."""
    if missing := missing_sections(summary):
        return "These headings are missing: " + ", ".join(missing)
    if len(summary) > _LONGEST_SUMMARY:
        return f"It has {len(summary):,} characters. 800 tokens are about 3,200 characters, which is the most."
    return ""


def summary_before(round_: int, said: Said) -> Preserved | None:
    """The summary that ``round_`` is shown, with what it had lost; None where there is no usable one."""
    answers = [turn.answer.response for turn in said.summaries if turn.round == round_ and turn.answer]
    whole = [summary for summary in answers if not missing_sections(summary)]
    if not whole:
        return None
    # One that stays too long is still shorter than what it stands for.
    return preserved(min(whole, key=len), said.up_to(round_ - 2).conduct)


def summary_notices(said: Said) -> tuple[str, ...]:
    """One line for each round that had no usable summary, or one that had lost something."""
    rounds = sorted({turn.round for turn in said.summaries})
    lines = (_notice(round_, summary_before(round_, said)) for round_ in rounds)
    return tuple(line for line in lines if line)


def _notice(round_: int, summary: Preserved | None) -> str:
    if summary is None:
        return f"[WARN] No usable summary before round {round_}: the debaters were shown the full text instead."
    if not summary.put_back:
        return ""
    what = "1 quote" if summary.put_back == 1 else f"{summary.put_back} quotes"
    return f"[WARN] The summary before round {round_} had lost {what} of concessions; code put back what was said."


def headings(summary: str) -> dict[str, tuple[int, int]]:
    """The headings of ``summary`` in small letters, and where the text below each begins and ends.

    Of several with the same name the first counts.
    """
    found = list(_HEADING.finditer(summary))
    ends = (*(heading.start() for heading in found[1:]), len(summary))
    sections: dict[str, tuple[int, int]] = {}
    for heading, end in zip(found, ends, strict=False):  # a text without a heading has one end nevertheless
        sections.setdefault(heading[1].rstrip("# \t\r").strip("*: ").lower(), (heading.end(), end))
    return sections


def preserved(summary: str, conduct: Conduct) -> Preserved:
    """``summary`` with the concessions and withdrawals of ``conduct`` that it does not quote.

    It must have the two headings. A withdrawal wants both quotes under its heading, since only together they say
    what was taken back.
    """
    holds = _search(summary)
    conceded = _once(_conceded(found) for found in conduct.concessions if not holds(found.text))
    withdrawn = _once(_lost_withdrawals(conduct.concessions, _section(summary, WALK_BACKS)))
    text = _added(_added(summary, CONCESSIONS, conceded), WALK_BACKS, withdrawn)
    return Preserved(text, len(conceded) + len(withdrawn))


def _once(lines: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(lines))


def _section(summary: str, name: str) -> str:
    start, end = headings(summary)[name]
    return summary[start:end]


def _lost_withdrawals(concessions: Iterable[Concession], section: str) -> Iterable[str]:
    holds = _search(section)
    for concession in concessions:
        withdrawal = concession.withdrawn
        if withdrawal and not (holds(concession.text) and holds(withdrawal.text)):
            yield f'{_conceded(concession)}; withdrawn in round {withdrawal.round}: "{_flat(withdrawal.text)}"'


def _search(text: str) -> Callable[[str], bool]:
    """Tells whether ``text`` quotes something, or holds it as it stands: to a comparison it may be only marks."""
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
