"""How a chaired debate is decided, and the report on it.

The chair decides, but for two cases that are decided by rule: a disqualified debater has lost, and where nothing that
was said stands there is nothing to decide.
"""

from dataclasses import dataclass, replace

from sparring.engine.replies import as_record, read_object
from sparring.formats.chaired_debate.answers import Reading, SaidConclusion, answered, why_unusable
from sparring.formats.chaired_debate.course import Course, Wanted, asked
from sparring.formats.chaired_debate.floor import Floor
from sparring.formats.chaired_debate.standing import opponent, standing
from sparring.schema.base import Role
from sparring.schema.chaired_debate import DebateDecision, DecidedBy, EntryType, Phase, Speaker
from sparring.schema.transcript import TurnKind
from sparring.text.tidying import one_line

NOTHING_STANDS = "Nothing that was said in this debate stands, so that there is nothing to decide."

_NUMBERS_SHOWN = 60
"""Characters that are shown of the numbers that were dropped."""

_WIN = {
    Speaker.PROMOTER: DebateDecision.AFFIRMATIVE_WINS,
    Speaker.DETRACTOR: DebateDecision.NEGATIVE_WINS,
}


@dataclass(frozen=True)
class Decided:
    """The floor with the decision, None without one, and what it rests on."""

    floor: Floor
    decision: DebateDecision | None = None
    decided_by: DecidedBy | None = None
    reasoning: str = ""
    decisive: tuple[int, ...] = ()


def conclude(floor: Floor) -> Course[Decided]:
    """The decision, logged as the conclusion."""
    floor = replace(floor, phase=Phase.CONCLUSION)
    by_rule = _by_rule(floor)
    if by_rule:
        return _logged(by_rule)
    wanted = Wanted("", "chaired-debate/conclusion", TurnKind.CONCLUSION, Role.CHAIR)

    def read(reply: str) -> Reading[SaidConclusion]:
        said = as_record(read_object(reply), SaidConclusion)
        return Reading(said, tuple(_wrong(seq) for seq in said.decisive if not floor.stands(seq)))

    result = yield from answered(floor, "conclusion", wanted, read)
    if result.reading is None:
        return Decided(result.floor.noticed(f"[WARN] No decision: {why_unusable(result.turn)}."))
    said = result.reading.said
    decisive = tuple(seq for seq in dict.fromkeys(said.decisive) if floor.stands(seq))
    dropped = tuple(seq for seq in dict.fromkeys(said.decisive) if not floor.stands(seq))
    floor = result.floor.noticed(*_dropped(dropped))
    return _logged(Decided(floor, said.outcome, DecidedBy.CHAIR, floor.cut(said.reasoning), decisive))


def report(floor: Floor) -> Course[Floor]:
    """The reporter's summary, logged; the floor as it was where there is none."""
    wanted = Wanted("report.1", "chaired-debate/report", TurnKind.REPORT, Role.REPORTER)
    heard = yield from asked(floor, wanted)
    if heard.turn.answer is None:
        return heard.floor.noticed(f"[WARN] There is no report: {why_unusable(heard.turn)}.")
    return heard.floor.said(Speaker.REPORTER, EntryType.SUMMARY, heard.turn.answer.response)


def _by_rule(floor: Floor) -> Decided | None:
    left = {entry.speaker for entry in standing(floor.log)}
    gone = {Speaker(role.value) for role in floor.disqualified}
    winners = left - gone
    if gone and winners:
        loser = next(iter(gone))
        why = f"The {loser} was disqualified, so that the {opponent(loser)} has won."
        return Decided(floor, _WIN[opponent(loser)], DecidedBy.RULE, why)
    if gone or not left:
        return Decided(floor, DebateDecision.VOID, DecidedBy.RULE, NOTHING_STANDS)
    return None


def _logged(decided: Decided) -> Decided:
    content = f"{decided.decision}: {decided.reasoning}"
    return replace(decided, floor=decided.floor.said(Speaker.CHAIR, EntryType.CONCLUSION, content))


def _wrong(seq: int) -> str:
    return f'"decisive" names seq {seq}, which is no entry of a debater that still stands.'


def _dropped(seqs: tuple[int, ...]) -> tuple[str, ...]:
    if not seqs:
        return ()
    named = one_line(", ".join(map(str, seqs)), _NUMBERS_SHOWN)
    why = "The chair rests its decision on what is no entry of a debater that stands, which was dropped"
    return (f"[WARN] {why}: seq {named}.",)
