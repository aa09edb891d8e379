"""The course of a debate, how it ends, and what a failed consultation means for it (seed 004, Error Handling).

A failure in round 1 ends the debate or leaves the proposer uncontested; after a later one the complete rounds are
judged.
"""

from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec.structs import replace

from sparring.engine.course import Asks, Bookmark, Course, Wanted, decided, defaulted_notice
from sparring.formats.debate.prompts import DebateAsks, DebatePrompts, ledger_wanted, verdict_ledger_wanted
from sparring.formats.debate.rulebook import (
    attacked_nothing,
    broken,
    certifies_with_evidence,
    gave_up_without_evidence,
    only_certifies,
    summary_notices,
)
from sparring.formats.debate.speeches import DebateState, as_side, read_ledger
from sparring.formats.debate.verdict import Bench, Unjudged, changed_with_the_order, deciding, votes_of
from sparring.prompts import PromptLibrary
from sparring.schema import debate as schema
from sparring.schema.base import RULE_BASED_TOOL, Role
from sparring.schema.consultation import Ending, FailureCode
from sparring.schema.judgement import Ballot, Firmness, Hedge, JudgeAbstention, Judgement, Order, Side, Verdict
from sparring.schema.lookups import CitationKind, CitationLedger, CitationStatus
from sparring.schema.transcript import SPEECH_KINDS, Transcript, Turn, TurnKind
from sparring.text.tidying import capital, one_line

UNCONTESTED = "[WARN] Challenger failed. Showing proposer's uncontested position."
ALL_TIMED_OUT = "[ERROR] Debate failed: all tool invocations timed out."
NOTHING_SUCCEEDED = "[ERROR] Debate failed: no tool invocation succeeded."
NO_OPENING = "[ERROR] Debate failed: there is no opening position."
"""Only with blind openings can the challenger have spoken when the proposer fails."""
UNDECIDED = "[WARN] Undecided: {why}. No side wins by default."
_NOTHING_SEPARATES = "citations and unanswered challenges do not separate the sides"
_HEDGES = {
    Hedge.BOTH: "says that both have merit",
    Hedge.NO_DIRECTION: "does not say what to do, or under which condition that would change",
    Hedge.OTHER_SIDE: "says to act on the position of the side that it did not pick",
}
NOTHING_VERIFIED = "[WARN] Nothing in this debate was verified by code."


class Debate:
    """The rules of one debate; see ``engine.format.Rules``."""

    def __init__(self, request: schema.DebateRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._prompts = DebatePrompts(request, prompts)
        self._asking = DebateAsks(request, self._prompts)
        self._bookmark = Bookmark[Wanted, schema.DebateOutcome]()

    def next(self, transcript: Transcript) -> Asks | schema.DebateOutcome:
        """See ``engine.format.Rules``."""
        return decided(self._bookmark, self._course, transcript)

    def _course(self) -> Course[Wanted, schema.DebateOutcome]:
        """Ask for each speech and its citation check; after the last one ask the judges, then end."""
        state = DebateState()
        for round_, roles in self._places():
            speeches = tuple(self._asking.speech(round_, role, state) for role in roles)
            before, turns = state, (yield (*speeches, *self._asking.summary(round_, state)))
            state = state.after(turns)
            failed = next((turn for turn in turns if turn.kind in SPEECH_KINDS and turn.failure), None)
            if failed and failed.round == 1 and failed.role is Role.PROPOSER:
                return self._failed(failed, turns, state)
            state = yield from self._with_rules_applied(state, before)
            state = yield from _looked_up(state, self._request)
            if failed and failed.round == 1:
                return self._outcome(
                    schema.DebateStatus.UNCONTESTED, state, 0, (UNCONTESTED, _cause(failed)), broken=failed
                )
            if failed:
                return (yield from self._verdict(state, failed.round - 1, failed))
            state = self._certified(state)
            if self._has_nothing_left(state, round_):
                return (yield from self._verdict(state, round_, None))
        return (yield from self._verdict(state, self._request.rounds, None))

    def _places(self) -> list[tuple[int, tuple[Role, ...]]]:
        """Return rounds with the roles that speak at the same time, without hearing each other."""
        alone = [(round_, (role,)) for round_ in range(1, self._request.rounds + 1) for role in schema.SPEAKING_ORDER]
        return [(1, schema.SPEAKING_ORDER), *alone[2:]] if self._request.blind_openings else alone

    def _with_rules_applied(self, state: DebateState, before: DebateState) -> Course[Wanted, DebateState]:
        """Return a new speech that breaks rules to its speaker once; report what it still breaks."""
        returned = tuple(_broken_by(state, before))
        if not returned:
            return state
        state = state.instead((yield tuple(self._asking.again(turn, rules, before) for turn, rules in returned)))
        still = (
            schema.BrokenRule(round=turn.round, role=as_side(turn.role), rule=rule)
            for turn, rules in _broken_by(state, before)
            for rule in rules
        )
        return replace(state, broken=(*state.broken, *still))

    def _certified(self, state: DebateState) -> DebateState:
        """Report a broken rule if the last speech certifies something without valid evidence."""
        last = state.turns[-1] if state.turns else None
        if last is None or last.kind is not TurnKind.FOLLOW_UP:
            return state
        broken_ = schema.BrokenRule(round=last.round, role=as_side(last.role), rule=schema.SpeechRule.EVIDENCE)
        if broken_ in state.broken or certifies_with_evidence(last, state) is not False:
            return state
        return replace(state, broken=(*state.broken, broken_))

    def _has_nothing_left(self, state: DebateState, round_: int) -> bool:
        """Return whether the challenger only certified, with valid evidence: then no further round follows."""
        last = state.turns[-1] if state.turns else None
        if round_ >= self._request.rounds or last is None or last.answer is None:
            return False
        is_certificate = last.kind is TurnKind.FOLLOW_UP and only_certifies(last.answer.response)
        return is_certificate and bool(certifies_with_evidence(last, state))

    def _verdict(self, state: DebateState, completed: int, broken: Turn | None) -> Course[Wanted, schema.DebateOutcome]:
        bench = Bench(self._request, self._prompts, state.up_to(completed))
        match (yield from bench.judge(completed)):
            case Judgement(winner=None) as judgement:
                return self._undecided(judgement, state, completed, broken)
            case Judgement() as judgement:
                verdict = deciding(judgement).verdict
                cited = yield from _cited_by(verdict, completed, self._request)
                return self._judged(judgement, cited, state, completed, broken)
            case Unjudged() as nobody:
                # The rounds are there, a verdict is not. A reply that cannot be read is no verdict either.
                why = " ".join(
                    (
                        "[WARN] No verdict.",
                        *_causes(nobody.abstentions, _shown_judges(nobody.abstentions, self._request)),
                    )
                )
                return self._outcome(schema.DebateStatus.UNJUDGED, state, completed, (why,), broken=broken)

    def _failed(self, opening: Turn, turns: tuple[Turn, ...], state: DebateState) -> schema.DebateOutcome:
        """The proposer failed in round 1: without an opening position there is nothing to debate."""
        failures = [turn.failure for turn in turns]
        if all(failure is not None and failure.code is FailureCode.TIMEOUT for failure in failures):
            lines = (ALL_TIMED_OUT, _cause(opening))
        else:
            title = NO_OPENING if state.speeches else NOTHING_SUCCEEDED
            lines = (title, f"{_cause(opening)} A debate cannot proceed without an opening position.")
        return self._outcome(schema.DebateStatus.FAILED, state, 0, lines)

    def _judged(
        self,
        judgement: Judgement,
        cited: tuple[schema.VerdictLedger, ...],
        state: DebateState,
        completed: int,
        broken: Turn | None,
    ) -> schema.DebateOutcome:
        """The judges picked a side, from all rounds or from those before the ``broken`` one."""
        status = schema.DebateStatus.INCOMPLETE if broken else schema.DebateStatus.COMPLETED
        lines = (*_of_judgement(judgement, self._request), *_of_verdict(deciding(judgement), cited))
        return self._outcome(status, state, completed, lines, broken=broken, judgement=judgement, cited=cited)

    def _undecided(
        self, judgement: Judgement, state: DebateState, completed: int, broken: Turn | None
    ) -> schema.DebateOutcome:
        """No side has most of the votes, and nothing that code can count separates them."""
        lines = (UNDECIDED.format(why=undecided_because(judgement)), *_of_judgement(judgement, self._request))
        return self._outcome(schema.DebateStatus.UNDECIDED, state, completed, lines, broken=broken, judgement=judgement)

    def _ended_early(self, completed: int, broken: Turn | None) -> Iterable[str]:
        if completed and not broken and completed < self._request.rounds:
            rounds = f"round {completed} of {self._request.rounds}"
            why = "the challenger named no flaw, and certified its concerns as resolved with evidence that holds"
            yield f"The debate ended after {rounds}: {why}."

    def _outcome(
        self,
        status: schema.DebateStatus,
        state: DebateState,
        completed: int,
        lines: tuple[str, ...],
        *,
        broken: Turn | None = None,
        judgement: Judgement | None = None,
        cited: tuple[schema.VerdictLedger, ...] = (),
    ) -> schema.DebateOutcome:
        return schema.DebateOutcome(
            status=status,
            rounds_completed=completed,
            verdict=deciding(judgement).verdict if judgement and judgement.winner else None,
            judgement=judgement,
            winner_tool=self._winner_tool(judgement.winner, state) if judgement and judgement.winner else "",
            verdict_ledgers=cited,
            ledgers=state.ledgers,
            conduct=state.conduct,
            broken_rules=state.broken,
            incomplete_round=broken.round if broken else None,
            notices=(
                *(_doubts(judgement) if judgement else ()),
                *_of_the_challenger(state),
                *self._ended_early(completed, broken),
                *_cut_off(state),
                *(_leading(state.ledgers) if status is not schema.DebateStatus.FAILED else ()),
                *(_broken_notice(broken, completed) if broken and completed else ()),
                *lines,
                *_of_ledgers(state.ledgers),
                *summary_notices(state),
            ),
        )

    def _winner_tool(self, winner: Side, state: DebateState) -> str:
        """Return the tools that spoke for ``winner``; empty if that is only the tool of the seat."""
        name = state.name(winner)
        return "" if name == self._request.participant(winner).tool else name


def _of_the_challenger(state: DebateState) -> Iterable[str]:
    """Yield notices on a missing attack, and on concerns given up without evidence: both weaken every verdict."""
    heard = [turn for turn in state.turns if turn.role is Role.CHALLENGER]
    if not heard:
        return
    tool = state.name(Role.CHALLENGER)
    if attacked_nothing(state):
        yield f"[WARN] The proposer was not opposed: the challenger ({tool}) named no flaw in any round."
    for round_ in gave_up_without_evidence(state):
        yield (
            f"[WARN] The challenger ({tool}) certified a concern as resolved in round {round_}, "
            "and cited nothing that holds for it."
        )


def _broken_by(state: DebateState, before: DebateState) -> Iterable[tuple[Turn, tuple[schema.SpeechRule, ...]]]:
    """The speeches since ``before`` that break rules; the rules do not apply to speeches of code."""
    for turn in state.turns[len(before.turns) :]:
        text = turn.answer.response if turn.answer else ""
        rules = tuple(broken(turn.kind, text, state.earlier(turn)))
        if rules and turn.tool != RULE_BASED_TOOL:
            yield turn, rules


def _looked_up(state: DebateState, request: schema.DebateRequest) -> Course[Wanted, DebateState]:
    speeches = [speech for speech in state.speeches if state.ledger(speech.round, speech.role) is None]
    if not speeches:
        return state
    turns = yield tuple(ledger_wanted(speech, request) for speech in speeches)
    results = zip(speeches, map(read_ledger, turns), strict=True)
    return state.looked_up(
        tuple(
            schema.SpeechLedger(round=speech.round, role=as_side(speech.role), ledger=ledger, problem=problem)
            for speech, (ledger, problem) in results
        )
    )


def _cited_by(
    verdict: Verdict, completed: int, request: schema.DebateRequest
) -> Course[Wanted, tuple[schema.VerdictLedger, ...]]:
    evidence = "\n\n".join(agreed.evidence for agreed in verdict.agreements)
    texts = {schema.VerdictPart.AGREEMENTS: evidence, schema.VerdictPart.RECOMMENDATION: verdict.recommendation}
    parts = [part for part, text in texts.items() if text]
    turns = yield tuple(verdict_ledger_wanted(part, texts[part], completed, request) for part in parts)
    results = zip(parts, map(read_ledger, turns), strict=True)
    return tuple(
        schema.VerdictLedger(
            part=part, ledger=_as_proposal(ledger) if part is _RECOMMENDED else ledger, problem=problem
        )
        for part, (ledger, problem) in results
    )


_RECOMMENDED = schema.VerdictPart.RECOMMENDATION
_PROPOSED = frozenset({CitationKind.SYMBOL, CitationKind.PATTERN})


def _as_proposal(ledger: CitationLedger | None) -> CitationLedger | None:
    """Return the ledger of a recommendation: missing names and code count as proposed."""
    if ledger is None:
        return None
    entries = (
        entry.model_copy(update={"status": CitationStatus.UNCHECKED, "reason": f"{entry.reason}: it is proposed"})
        if entry.kind in _PROPOSED and entry.status is CitationStatus.NOT_FOUND
        else entry
        for entry in ledger.entries
    )
    return ledger.model_copy(update={"entries": tuple(entries)})


def _broken_notice(broken: Turn, completed: int) -> tuple[str, ...]:
    rests = "round 1 alone" if completed == 1 else f"rounds 1-{completed}"
    return (f"[WARN] Round {broken.round} is incomplete. {_cause(broken)} The synthesis rests on {rests}.",)


def _cause(turn: Turn) -> str:
    why = turn.failure
    detail = why.cause if why else "no answer"
    return f"The {turn.role} in round {turn.round} ({turn.tool}) failed: {detail}."


def _leading(ledgers: Sequence[schema.SpeechLedger]) -> tuple[str, ...]:
    is_any_verified = any(each.ledger and each.ledger.count(CitationStatus.VERIFIED) for each in ledgers)
    return () if is_any_verified else (NOTHING_VERIFIED,)


def _cut_off(state: DebateState) -> Iterable[str]:
    """A speech that its provider cut off counts with the received part; its reader must be informed."""
    for turn in state.turns:
        if turn.answer and not turn.answer.is_complete:
            how = "cut off" if turn.answer.ending is Ending.CUT_OFF else "withheld by a filter"
            yield f"[WARN] The end of the {turn.role}'s speech in round {turn.round} ({turn.tool_name}) was {how}."


def _doubts(judgement: Judgement) -> Iterable[str]:
    """Yield doubts about the verdict; they appear in the first lines of all."""
    if judgement.winner and (hedges := deciding(judgement).hedges):
        forms = " and ".join(_HEDGES[each] for each in hedges)
        yield f"[WARN] Hedged: the judge {forms}."


def _of_ledgers(ledgers: Iterable[schema.SpeechLedger]) -> tuple[str, ...]:
    return tuple(
        f"[WARN] What the {each.role} cites in round {each.round} was not looked up: {each.problem}."
        for each in ledgers
        if each.problem
    )


def undecided_because(judgement: Judgement) -> str:
    """Return why no winner follows from the ballots, as a clause."""
    votes = votes_of(judgement.ballots, judgement.abstentions)
    changed = changed_with_the_order(judgement.ballots)
    if any(len(each.possible) > 1 for each in votes):
        if judgement.abstentions:
            return "a judge could not be heard in both orders, and its vote might have changed the winner"
        return "a judge cites no argument that the side it picked has made"
    if changed and not any(each.possible - {None} for each in votes):
        who = "the judge's pick" if len(votes) == 1 else "every judge's pick"
        return f"{who} changed with the order in which the sides were shown, and {_NOTHING_SEPARATES}"
    return f"the judges are evenly split, and {_NOTHING_SEPARATES}"


def _shown_judges(heard: Iterable[Ballot | JudgeAbstention], request: schema.DebateRequest) -> int:
    """Return how many judges were asked: the further one counts only if ``heard`` has it."""
    return max((len(request.judges), *(each.judge for each in heard)))


def _of_judgement(judgement: Judgement, request: schema.DebateRequest) -> tuple[str, ...]:
    judges = _shown_judges((*judgement.ballots, *judgement.abstentions), request)
    abstained = (f"[WARN] Abstention. {cause}" for cause in _causes(judgement.abstentions, judges))
    faults = (line for ballot in judgement.ballots for line in _faults(ballot, judges))
    defaulted = (_defaulted(judge, judgement.ballots, judges) for judge in range(1, judges + 1))
    return (
        *_further(judgement, request),
        *_order(judgement, judges),
        *_panel(judgement, judges),
        *abstained,
        *faults,
        *chain.from_iterable(defaulted),
    )


def _further(judgement: Judgement, request: schema.DebateRequest) -> Iterable[str]:
    heard = (*judgement.ballots, *judgement.abstentions)
    further = next((each for each in heard if each.judge > len(request.judges)), None)
    if further:
        who = f"judge {further.judge} ({further.name})"
        yield f"[WARN] The debate was undecided, so that one more judge was asked: {who}."


def _defaulted(judge: int, ballots: Sequence[Ballot], judges: int) -> Iterable[str]:
    own = [ballot for ballot in ballots if ballot.judge == judge and ballot.defaulted]
    return (
        defaulted_notice(_who(judge, own[0].name, judges), chain.from_iterable(each.defaulted for each in own))
        if own
        else ()
    )


_PARTS = {
    schema.VerdictPart.AGREEMENTS: "evidence of an agreement",
    schema.VerdictPart.RECOMMENDATION: "the recommendation",
}
_ITEMS_NAMED, _ITEM_SHOWN = 3, 80


def _of_verdict(ballot: Ballot, cited: Iterable[schema.VerdictLedger]) -> Iterable[str]:
    """Yield the evidence of the verdict that code did not find, or that says otherwise, item by item."""
    for each in cited:
        where, entries = _PARTS[each.part], each.ledger.entries if each.ledger else ()
        missing = dict.fromkeys(entry.text for entry in entries if entry.status is CitationStatus.NOT_FOUND)
        if missing:
            yield f"[WARN] Not found of the citations in {where}: {_named(tuple(missing))}."
        if each.part is schema.VerdictPart.AGREEMENTS:
            if ballot.unsaid:
                yield f"[WARN] No side said what is quoted as {where}: {_named(ballot.unsaid, '“{}”')}."
            if ballot.contrary:
                yield f"[WARN] What is quoted as {where} says otherwise: {_named(ballot.contrary, '“{}”')}."
        if each.problem:
            yield f"[WARN] Citations in {where} were not looked up: {each.problem}."


def _named(items: Sequence[str], form: str = "`{}`") -> str:
    """Return the first items, and how many more there are."""
    named = [form.format(one_line(each.strip("`"), _ITEM_SHOWN)) for each in items[:_ITEMS_NAMED]]
    more = len(items) - _ITEMS_NAMED
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")


def _order(judgement: Judgement, judges: int) -> Iterable[str]:
    changed = changed_with_the_order(judgement.ballots)
    broken = judgement.tie_break
    decided = f"The tie-break decided for the {broken.winner}, by {broken.step}: {broken.reason}" if broken else ""
    if changed:
        tools = {ballot.judge: ballot.name for ballot in judgement.ballots}
        who = " and ".join(_who(judge, tools[judge], judges) for judge in changed)
        effect = decided or "Such a judge has no vote."
        yield f"[WARN] Order-sensitive: {who} picked the other side when the order was changed. {effect}"
    elif judgement.firmness is Firmness.ONE_ORDER:
        yield f"[WARN] Not every judge could be heard with its reasons in both orders. {decided}".rstrip()
    elif decided:
        yield f"[WARN] The judges are evenly split. {decided}"


def _panel(judgement: Judgement, judges: int) -> Iterable[str]:
    if judges == 1 or judgement.winner is None:
        return
    votes = votes_of(judgement.ballots, judgement.abstentions)
    for_winner = sum(each.is_for(judgement.winner) for each in votes)
    dissent = ", ".join(f"judge {judge}" for judge in judgement.dissent)
    against = f", {len(judgement.dissent)} against ({dissent})" if dissent else ""
    yield f"Panel: of {judges} judges {for_winner} for the {judgement.winner}{against}."


def _causes(abstentions: Sequence[JudgeAbstention], judges: int) -> list[str]:
    """One sentence for each judge and cause; the order is named if only one of the two failed."""
    grouped: dict[tuple[int, str, str], list[Order]] = {}
    for each in abstentions:
        grouped.setdefault((each.judge, each.name, each.cause), []).append(each.order)
    return [
        f"{capital(_who(judge, tool, judges, orders))} {cause}." for (judge, tool, cause), orders in grouped.items()
    ]


def _faults(ballot: Ballot, judges: int) -> Iterable[str]:
    """Yield the invalid parts of a ballot whose pick was read."""
    who = capital(_who(ballot.judge, ballot.name, judges, [ballot.order]))
    if ballot.struck:
        count = "1 argument" if len(ballot.struck) == 1 else f"{len(ballot.struck)} arguments"
        yield f"[WARN] {who} cited {count} that no side has made; struck."
    if not ballot.is_supported:
        yield f"[WARN] {who} picked the {ballot.verdict.winner} and cites no argument that it has made."


def _who(judge: int, tool: str, judges: int, orders: Sequence[Order] = ()) -> str:
    name = "the judge" if judges == 1 else f"judge {judge}"
    return f"{name} ({tool}, {orders[0].spoken})" if len(orders) == 1 else f"{name} ({tool})"
