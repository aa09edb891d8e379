"""Play a format to its end without a runner: formats are pure, so a function from ask to reply is all it takes."""

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct
from pydantic import BaseModel

from sparring.engine.course import Asks
from sparring.engine.format import Rules
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.consultation import Answer, Failure, FailureCode, Reply
from sparring.schema.lookups import CitationKind, CitationLedger, CitationStatus, LedgerEntry
from sparring.schema.runs import Outcome, Request, Run
from sparring.schema.transcript import Ask, Transcript, Turn
from support.runs import run

if TYPE_CHECKING:
    from hypothesis.vendor.pretty import RepresentationPrinter

PROMPTS = PromptLibrary()
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)

Special = str | Mapping[str, object] | Callable[[Ask], Reply | str]
"""Reply in place of the usual one: words, an object as JSON, or a function of the ask."""

Play = dict[str, Any]
"""A run in which something goes another way: what is said, by the ids of asks, and what else was asked for, by name."""

SUMMARY = "\n\n".join(
    f"## {heading}\nNone."
    for heading in ("Core positions", "Concessions", "Evidence citations", "Open disagreements", "Walk-backs")
)

VERDICT: Mapping[str, object] = {
    "winner": "B",
    "reasoning": "The proposer never answered the point about retries in round 1.",
    "scores": {
        "A": {"evidence": 2, "reasoning": 3, "responsiveness": 1, "candor": 4},
        "B": {"evidence": 4, "reasoning": 3, "responsiveness": 5, "candor": 2},
    },
    "arguments": [{"side": "B", "quote": "speech of challenger in round 1"}],
    "unanswered": [],
    "quality": {"genuine_disagreement": "high", "evidence_quality": "medium", "challenge_depth": "low"},
    "agreements": [{"point": "Latency matters.", "evidence": "bench/latency.md:3"}],
    "disagreements": [{"point": "Retries", "a": "are free", "b": "cost money"}],
    "unresolved_questions": ["Who pays?"],
    "recommendation": "Bound the retries.",
    "act_on": {"side": "B", "unless": "The provider bills nothing."},
}
"""A judge's reply for the challenger, when the proposer is Side A; see ``ballot``."""

_SWAPPED = {"A": "B", "B": "A", "a": "b", "b": "a"}


class NobodyBefore:
    """For a run in which nothing costs, and nothing was asked before us."""

    def costs(self, ask: Ask) -> bool:
        del ask
        return False

    async def recover(self, ask: Ask, call: str) -> Reply | None:
        """Nobody can tell."""

    def settle(self, call: str) -> None:
        """Nobody cares."""


def ballot(letters: str = "ab", *, winner: Role = Role.CHALLENGER, **changes: object) -> str:
    """A judge's reply in one order: ``VERDICT`` with ``changes``, then turned to ``winner`` and that order.

    In ``changes`` too Side A is the proposer.
    """
    found: dict[str, object] = {**VERDICT, **changes}
    if winner is Role.PROPOSER:
        quote = {"side": "A", "quote": "speech of proposer in round 1"}
        acts = {"side": "A", "unless": "The provider bills nothing."}
        found = {**VERDICT, "winner": "A", "arguments": [quote], "act_on": acts, **changes}
    return json.dumps(found if letters == "ab" else _turned_round(found))


def _turned_round(value: object) -> object:
    """``value`` with the letters of the two sides exchanged."""
    match value:
        case dict():
            members = cast("dict[str, object]", value).items()
            return {_SWAPPED.get(key, key): _turned_round(member) for key, member in members}
        case list():
            return [_turned_round(member) for member in cast("list[object]", value)]
        case _:
            return _SWAPPED.get(value, value) if isinstance(value, str) else value


def letters_of(ask: Ask) -> str:
    """The order that a judge is asked in, as ids spell it."""
    return ask.question.brief.name.partition(".")[2]


def ledger_of(speech: str, *, status: CitationStatus = CitationStatus.VERIFIED) -> CitationLedger:
    """A ledger that takes the whole of ``speech`` for one citation."""
    entry = LedgerEntry(
        text=speech, start=0, end=len(speech), kind=CitationKind.PATTERN, status=status, reason="as scripted"
    )
    return CitationLedger(entries=(entry,))


def answer(ask: Ask, response: str) -> Answer:
    return Answer(tool=ask.tool, response=response, duration_ms=1000)


def failure(ask: Ask, code: FailureCode = FailureCode.TIMEOUT, detail: str = "no answer within 240 s") -> Failure:
    return Failure(tool=ask.tool, code=code, detail=detail, duration_ms=240_000)


FAILS: Callable[[Ask], Reply] = failure


def replying(special: Mapping[str, Special], usual: Callable[[Ask], Reply | str]) -> Callable[[Ask], Reply]:
    """Everybody does the ``usual`` thing but for the asks in ``special``."""

    def reply(ask: Ask) -> Reply:
        said = special.get(ask.id, usual)
        found = said(ask) if callable(said) else said
        if isinstance(found, Mapping):
            found = json.dumps(found)
        return answer(ask, found) if isinstance(found, str) else found

    return reply


def plays(kind: str, said: Callable[[str, Any], Any]) -> dict[str, Play]:
    """The runs of ``tests/data/plays/KIND.toml``; ``said`` is what is made of what stands there, but for a failure."""
    file = Path(__file__).parents[1] / "data" / "plays" / f"{kind}.toml"
    written = tomllib.loads(file.read_text(encoding="utf-8"))
    return {
        title: {name: (FAILS if each == "fails" else said(name, each)) for name, each in play.items()}
        for title, play in written.items()
    }


def parted(play: Play) -> tuple[dict[str, Special], dict[str, Any]]:
    """Split a play into replies and options; only the id of an ask has a dot."""
    said = {name: each for name, each in play.items() if "." in name}
    return said, {name: each for name, each in play.items() if name not in said}


def well_behaved(ask: Ask) -> Reply:
    """Every participant does what is asked; a speech names its place."""
    match ask.question.brief.step:
        case "debate/synthesis":
            return answer(ask, ballot(letters_of(ask)))
        case "debate/ledger":
            return answer(ask, ledger_of(ask.question.brief.speeches[0].text).model_dump_json())
        case "debate/summary":
            return answer(ask, SUMMARY)
        case _:
            return answer(ask, speech_of(ask.role, ask.round))


def speech_of(role: Role, round_: int) -> str:
    """A speech that names its place, and breaks no rule."""
    said = f"speech of {role} in round {round_}"
    return said if role is Role.PROPOSER else f"Flaw: {said}\n\nAlternative: the other way of round {round_}"


def turn_for(ask: Ask, reply: Reply) -> Turn:
    return Turn(
        **ask.place,
        ask_id=ask.id,
        prompt_sha256=hashlib.sha256(ask.question.prompt.encode()).hexdigest(),
        at=NOON,
        reply=reply,
    )


class Played(Struct, frozen=True):
    """A format played to its end: the asks of each step, everything said, and the outcome."""

    steps: tuple[Asks, ...]
    transcript: Transcript
    outcome: Outcome

    def _repr_pretty_(self, printer: "RepresentationPrinter", cycle: bool) -> None:  # noqa: FBT001 -- Hypothesis calls it
        """Quote nothing of what was said: a report of a failure has no room for whole transcripts."""
        del cycle
        printer.text(f"<Played: {len(self.steps)} steps, {len(self.transcript.turns)} turns>")

    @property
    def asks(self) -> dict[str, Ask]:
        return {ask.id: ask for step in self.steps for ask in step}

    def before(self, step: int) -> Transcript:
        """Return the transcript before that step."""
        return Transcript(turns=self.transcript.turns[: sum(len(each) for each in self.steps[:step])])

    def then(self, step: int) -> Asks | Outcome:
        """Return the asks of that step, or the outcome after the last one."""
        return self.steps[step] if step < len(self.steps) else self.outcome


def play(format_: Rules, reply: Callable[[Ask], Reply] = well_behaved, *, most_steps: int = 40) -> Played:
    """Play ``format_``; an endless one fails after ``most_steps``."""
    transcript, steps = Transcript(), list[Asks]()
    for _ in range(most_steps):
        decision = format_.next(transcript)
        if not isinstance(decision, tuple):
            return Played(tuple(steps), transcript, decision)
        steps.append(decision)
        transcript = transcript.extended(tuple(turn_for(ask, reply(ask)) for ask in decision))
    raise AssertionError(f"the format did not end within {most_steps} steps")


def ended(request: Request, played: Played) -> Run:
    """Return the finished run of ``request`` as it was played."""
    return run(request, played.transcript.turns, played.outcome)


def steps(played: Played) -> list[list[str]]:
    return [[ask.id for ask in step] for step in played.steps]


def told(played: Played) -> str:
    """Describe what was played for a golden file: the asks of each step, and the outcome line by line.

    Below what is asked once more stands what it is told to put right.
    """
    before: dict[tuple[object, ...], set[str]] = {}
    lines: list[str] = []
    for step in played.steps:
        lines.append(f"asked: {' '.join(ask.id for ask in step)}")
        for ask in step:
            known = before.setdefault((ask.kind, ask.role, ask.round, ask.tool, ask.id.partition(".after")[1]), set())
            said = ask.question.prompt.splitlines()
            is_objected_to = ask.id.startswith("reconsider")
            if ask.question.brief.attempt > 1 or is_objected_to:
                added = [line for line in said if line and line not in known]
                lines += [f"  {line}" for line in added if is_objected_to or line.startswith("- ")]
            known.update(said)
    outcome = played.outcome.model_dump(mode="json", exclude_defaults=True)
    return "\n".join((*lines, *_lines(outcome))) + "\n"


def shown(records: Mapping[str, BaseModel]) -> str:
    """Records line by line for a golden file, each below its name."""
    named = ((name, record.model_dump(mode="json", exclude_defaults=True)) for name, record in records.items())
    return "\n".join("\n".join((f"== {name}", *_lines(members), "")) for name, members in named)


def _lines(members: Mapping[str, object]) -> Iterator[str]:
    for name, value in members.items():
        if isinstance(value, list) and value:
            yield f"{name}:"
            yield from (f"- {_compact(each)}" for each in cast("list[object]", value))
        else:
            yield f"{name}: {_compact(cast('object', value))}"


def _compact(value: object) -> str:
    """``value`` on a line, without the times at which nothing but the test was."""
    match value:
        case str():
            return value
        case dict():
            members = cast("dict[str, object]", value).items()
            kept = {name: each for name, each in members if name not in {"timestamp", "fetched_at"}}
            return json.dumps(kept, ensure_ascii=False)
        case _:
            return json.dumps(value, ensure_ascii=False)


def prompts(played: Played) -> str:
    """Return all prompts in order; asks of code have none.

    The beginning that all prompts of a seat share stands there once.
    """
    shown: dict[str, str] = {}
    lines: list[str] = []
    for ask in (ask for step in played.steps for ask in step if ask.role is not Role.VERIFIER):
        question = ask.question
        stable, rest = question.prompt[: question.stable], question.prompt[question.stable :]
        whole = f"[as for {shown[stable]}]\n" if shown.get(stable) else stable
        if stable:
            shown.setdefault(stable, ask.id)
        lines.append(f"================ {ask.id}: {ask.role}, {ask.kind}\n{whole}{rest}")
    return "\n".join(lines)
