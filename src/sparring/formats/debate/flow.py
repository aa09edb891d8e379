"""The course of a debate, how it ends, and what a failed consultation means for it (seed 004, Error Handling).

A failure in round 1 ends the debate or leaves the proposer uncontested; after a later one the complete rounds are
judged.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from sparring.engine.course import Asks, Course, CourseCursor, DeferredAsk, defaulted_notice, next_step
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
from sparring.formats.debate.verdict import JudgePanel, Unjudged, changed_with_the_order, deciding, votes_of
from sparring.prompts import PromptLibrary
from sparring.schema import debate as schema
from sparring.schema.base import RULE_BASED_TOOL, Role
from sparring.schema.consultation import Ending, FailureCode
from sparring.schema.judgement import Ballot, Firmness, Hedge, JudgeAbstention, Judgement, Order, Side, Verdict
from sparring.schema.lookups import CitationKind, CitationLedger, CitationStatus, LedgerEntry
from sparring.schema.transcript import SPEECH_KINDS, Transcript, Turn, TurnKind
from sparring.text.tidying import capitalized, one_line

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
        self._bookmark = CourseCursor[DeferredAsk, schema.DebateOutcome]()

    def next(self, transcript: Transcript) -> Asks | schema.DebateOutcome:
        """See ``engine.format.Rules``."""
        return next_step(self._bookmark, self._course, transcript)

    def _course(self) -> Course[DeferredAsk, schema.DebateOutcome]:
        """Ask for each speech and its citation check; after the last one ask the judges, then end."""
        state = DebateState()
        for round_, roles in self._places():
            before = state
            speeches = tuple(self._asking.speech(round_, role, before) for role in roles)
            turns = yield (*speeches, *self._asking.summary(round_, before))
            state = before.after(turns)
            failed = next((turn for turn in turns if turn.kind in SPEECH_KINDS and turn.failure), None)
            if failed and failed.round == 1 and failed.role is Role.PROPOSER:
                return self._failed(failed, turns, state)
            state = yield from self._with_rules_applied(state, before)
            state = yield from _looked_up(state, self._request)
            if failed and failed.round == 1:
                lines = (UNCONTESTED, _cause(failed))
                return self._outcome(schema.DebateStatus.UNCONTESTED, state, 0, lines, broken=failed)
            if failed:
                return (yield from self._verdict(state, failed.round - 1, failed))
            state = self._certified(state)
            if self._has_nothing_left(state, round_):
                return (yield from self._verdict(state, round_, None))
        return (yield from self._verdict(state, self._request.rounds, None))

    def _places(self) -> list[tuple[int, tuple[Role, ...]]]:
        """Return rounds with the roles that speak at the same time, without hearing each other."""
        places: list[tuple[int, tuple[Role, ...]]] = []
        for round_ in range(1, self._request.rounds + 1):
            if round_ == 1 and self._request.blind_openings:
                places.append((round_, schema.SPEAKING_ORDER))
            else:
                places += [(round_, (role,)) for role in schema.SPEAKING_ORDER]
        return places

    def _with_rules_applied(self, state: DebateState, before: DebateState) -> Course[DeferredAsk, DebateState]:
        """Return a new speech that breaks rules to its speaker once; report what it still breaks."""
        returned = tuple(_broken_by(state, before))
        if not returned:
            return state
        turns = yield tuple(self._asking.again(turn, rules, before) for turn, rules in returned)
        state = state.with_replacements(turns)
        broken_again = [
            schema.BrokenRule(round=turn.round, role=as_side(turn.role), rule=rule)
            for turn, rules in _broken_by(state, before)
            for rule in rules
        ]
        return replace(state, broken=(*state.broken, *broken_again))

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

    def _verdict(
        self, state: DebateState, completed: int, broken: Turn | None
    ) -> Course[DeferredAsk, schema.DebateOutcome]:
        bench = JudgePanel(self._request, self._prompts, state.up_to(completed))
        match (yield from bench.judge(completed)):
            case Judgement(winner=None) as judgement:
                return self._undecided(judgement, state, completed, broken)
            case Judgement() as judgement:
                verdict = deciding(judgement).verdict
                cited = yield from _cited_by(verdict, completed, self._request)
                return self._judged(judgement, cited, state, completed, broken)
            case Unjudged(abstentions=abstentions):
                # The rounds are there, a verdict is not. A reply that cannot be read is no verdict either.
                causes = _causes(abstentions, _judges_asked(abstentions, self._request))
                line = " ".join(("[WARN] No verdict.", *causes))
                return self._outcome(schema.DebateStatus.UNJUDGED, state, completed, (line,), broken=broken)

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
        lines = (*_judgement_notices(judgement, self._request), *_verdict_notices(deciding(judgement), cited))
        return self._outcome(status, state, completed, lines, broken=broken, judgement=judgement, cited=cited)

    def _undecided(
        self, judgement: Judgement, state: DebateState, completed: int, broken: Turn | None
    ) -> schema.DebateOutcome:
        """No side has most of the votes, and nothing that code can count separates them."""
        lines = (UNDECIDED.format(why=undecided_because(judgement)), *_judgement_notices(judgement, self._request))
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
        # Notices on what weakens the result come first: the first lines have room for only some of them.
        notices: list[str] = []
        if judgement:
            notices += _doubts(judgement)
        notices += _challenger_notices(state)
        notices += self._ended_early(completed, broken)
        notices += _cut_off(state)
        is_any_verified = any(each.ledger and each.ledger.count(CitationStatus.VERIFIED) for each in state.ledgers)
        if status is not schema.DebateStatus.FAILED and not is_any_verified:
            notices.append(NOTHING_VERIFIED)
        if broken and completed:
            notices.append(_broken_notice(broken, completed))
        notices += lines
        notices += [
            f"[WARN] What the {each.role} cites in round {each.round} was not looked up: {each.problem}."
            for each in state.ledgers
            if each.problem
        ]
        notices += summary_notices(state)
        winner = judgement.winner if judgement else None
        return schema.DebateOutcome(
            status=status,
            rounds_completed=completed,
            verdict=deciding(judgement).verdict if judgement and winner else None,
            judgement=judgement,
            winner_tool=self._winner_tool(winner, state) if winner else "",
            verdict_ledgers=cited,
            ledgers=state.ledgers,
            conduct=state.conduct,
            broken_rules=state.broken,
            incomplete_round=broken.round if broken else None,
            notices=tuple(notices),
        )

    def _winner_tool(self, winner: Side, state: DebateState) -> str:
        """Return the tools that spoke for ``winner``; empty if that is only the tool of the seat."""
        name = state.name(winner)
        return "" if name == self._request.participant(winner).tool else name


def _challenger_notices(state: DebateState) -> Iterable[str]:
    """Yield notices on a missing attack, and on concerns given up without evidence: both weaken every verdict."""
    if not any(turn.role is Role.CHALLENGER for turn in state.turns):
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


def _looked_up(state: DebateState, request: schema.DebateRequest) -> Course[DeferredAsk, DebateState]:
    speeches = [speech for speech in state.speeches if state.ledger(speech.round, speech.role) is None]
    if not speeches:
        return state
    turns = yield tuple(ledger_wanted(speech, request) for speech in speeches)
    ledgers: list[schema.SpeechLedger] = []
    for speech, turn in zip(speeches, turns, strict=True):
        ledger, problem = read_ledger(turn)
        role = as_side(speech.role)
        ledgers.append(schema.SpeechLedger(round=speech.round, role=role, ledger=ledger, problem=problem))
    return state.with_ledgers(tuple(ledgers))


def _cited_by(
    verdict: Verdict, completed: int, request: schema.DebateRequest
) -> Course[DeferredAsk, tuple[schema.VerdictLedger, ...]]:
    evidence = "\n\n".join(agreed.evidence for agreed in verdict.agreements)
    texts = {schema.VerdictPart.AGREEMENTS: evidence, schema.VerdictPart.RECOMMENDATION: verdict.recommendation}
    parts = [part for part, text in texts.items() if text]
    turns = yield tuple(verdict_ledger_wanted(part, texts[part], completed, request) for part in parts)
    ledgers: list[schema.VerdictLedger] = []
    for part, turn in zip(parts, turns, strict=True):
        ledger, problem = read_ledger(turn)
        if ledger and part is schema.VerdictPart.RECOMMENDATION:
            ledger = _as_proposal(ledger)
        ledgers.append(schema.VerdictLedger(part=part, ledger=ledger, problem=problem))
    return tuple(ledgers)


_PROPOSED = frozenset({CitationKind.SYMBOL, CitationKind.PATTERN})


def _as_proposal(ledger: CitationLedger) -> CitationLedger:
    """Return the ledger of a recommendation: missing names and code count as proposed."""
    entries: list[LedgerEntry] = []
    for entry in ledger.entries:
        if entry.kind in _PROPOSED and entry.status is CitationStatus.NOT_FOUND:
            reason = f"{entry.reason}: it is proposed"
            entries.append(entry.model_copy(update={"status": CitationStatus.UNCHECKED, "reason": reason}))
        else:
            entries.append(entry)
    return ledger.model_copy(update={"entries": tuple(entries)})


def _broken_notice(broken: Turn, completed: int) -> str:
    rests = "round 1 alone" if completed == 1 else f"rounds 1-{completed}"
    return f"[WARN] Round {broken.round} is incomplete. {_cause(broken)} The synthesis rests on {rests}."


def _cause(turn: Turn) -> str:
    why = turn.failure
    detail = why.cause if why else "no answer"
    return f"The {turn.role} in round {turn.round} ({turn.tool}) failed: {detail}."


def _cut_off(state: DebateState) -> Iterable[str]:
    """A speech that its provider cut off counts with the received part; its reader must be informed."""
    for turn in state.turns:
        if turn.answer and not turn.answer.is_complete:
            how = "cut off" if turn.answer.ending is Ending.CUT_OFF else "withheld by a filter"
            yield f"[WARN] The end of the {turn.role}'s speech in round {turn.round} ({turn.tool_name}) was {how}."


def _doubts(judgement: Judgement) -> Iterable[str]:
    """Yield doubts about the verdict; they appear in the first lines of all."""
    hedges = deciding(judgement).hedges if judgement.winner else ()
    if hedges:
        forms = " and ".join(_HEDGES[hedge] for hedge in hedges)
        yield f"[WARN] Hedged: the judge {forms}."


def undecided_because(judgement: Judgement) -> str:
    """Return why no winner follows from the ballots, as a clause."""
    votes = votes_of(judgement.ballots, judgement.abstentions)
    if any(len(vote.possible) > 1 for vote in votes):
        if judgement.abstentions:
            return "a judge failed in one of the orders, and its vote might have changed the winner"
        return "a judge cites no argument that the side it picked has made"
    changed = changed_with_the_order(judgement.ballots)
    if changed and all(vote.is_void for vote in votes):
        who = "the judge's pick" if len(votes) == 1 else "every judge's pick"
        return f"{who} changed with the order in which the sides were shown, and {_NOTHING_SEPARATES}"
    return f"the judges are evenly split, and {_NOTHING_SEPARATES}"


def _judges_asked(replies: Iterable[Ballot | JudgeAbstention], request: schema.DebateRequest) -> int:
    """Return how many judges were asked: the further one counts only if a reply is its own."""
    return max((len(request.judges), *(reply.judge for reply in replies)))


def _judgement_notices(judgement: Judgement, request: schema.DebateRequest) -> Iterable[str]:
    """Yield how the judges came to their result, then each defect of their ballots."""
    replies = (*judgement.ballots, *judgement.abstentions)
    judges = _judges_asked(replies, request)
    further = next((reply for reply in replies if reply.judge > len(request.judges)), None)
    if further:
        name = f"judge {further.judge} ({further.name})"
        yield f"[WARN] The debate was undecided, so one more judge was called: {name}."
    yield from _order_notice(judgement, judges)
    yield from _panel_notice(judgement, judges)
    for cause in _causes(judgement.abstentions, judges):
        yield f"[WARN] Abstention. {cause}"
    for ballot in judgement.ballots:
        yield from _faults(ballot, judges)
    for judge in range(1, judges + 1):
        own = [ballot for ballot in judgement.ballots if ballot.judge == judge and ballot.defaulted]
        if own:
            fields = [field for ballot in own for field in ballot.defaulted]
            yield from defaulted_notice(_judge_name(judge, own[0].name, judges), fields)


_PARTS = {
    schema.VerdictPart.AGREEMENTS: "evidence of an agreement",
    schema.VerdictPart.RECOMMENDATION: "the recommendation",
}
_ITEMS_NAMED, _ITEM_SHOWN = 3, 80


def _verdict_notices(ballot: Ballot, cited: Iterable[schema.VerdictLedger]) -> Iterable[str]:
    """Yield the evidence of the verdict that code did not find, or that says otherwise, item by item."""
    for each in cited:
        part = _PARTS[each.part]
        entries = each.ledger.entries if each.ledger else ()
        missing = dict.fromkeys(entry.text for entry in entries if entry.status is CitationStatus.NOT_FOUND)
        if missing:
            yield f"[WARN] Not found of the citations in {part}: {_first_items(tuple(missing))}."
        if each.part is schema.VerdictPart.AGREEMENTS:
            if ballot.unsaid:
                yield f"[WARN] No side said what is quoted as {part}: {_first_items(ballot.unsaid, '“{}”')}."
            if ballot.contrary:
                yield f"[WARN] What is quoted as {part} says otherwise: {_first_items(ballot.contrary, '“{}”')}."
        if each.problem:
            yield f"[WARN] Citations in {part} were not looked up: {each.problem}."


def _first_items(items: Sequence[str], form: str = "`{}`") -> str:
    """Return the first items, and how many more there are."""
    shown = ", ".join(form.format(one_line(item.strip("`"), _ITEM_SHOWN)) for item in items[:_ITEMS_NAMED])
    more = len(items) - _ITEMS_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _order_notice(judgement: Judgement, judges: int) -> Iterable[str]:
    tie_break = judgement.tie_break
    decided = ""
    if tie_break:
        decided = f"The tie-break decided for the {tie_break.winner}, by {tie_break.step}: {tie_break.reason}"
    changed = changed_with_the_order(judgement.ballots)
    if changed:
        tools = {ballot.judge: ballot.name for ballot in judgement.ballots}
        names = " and ".join(_judge_name(judge, tools[judge], judges) for judge in changed)
        effect = decided or "Such a judge has no vote."
        yield f"[WARN] Order-sensitive: {names} picked the other side when the order was changed. {effect}"
    elif judgement.firmness is Firmness.ONE_ORDER:
        yield f"[WARN] Not every judge answered with reasons in both orders. {decided}".rstrip()
    elif decided:
        yield f"[WARN] The judges are evenly split. {decided}"


def _panel_notice(judgement: Judgement, judges: int) -> Iterable[str]:
    if judges == 1 or judgement.winner is None:
        return
    votes = votes_of(judgement.ballots, judgement.abstentions)
    for_winner = sum(vote.is_for(judgement.winner) for vote in votes)
    dissent = ", ".join(f"judge {judge}" for judge in judgement.dissent)
    against = f", {len(judgement.dissent)} against ({dissent})" if dissent else ""
    yield f"Panel: of {judges} judges {for_winner} for the {judgement.winner}{against}."


def _causes(abstentions: Sequence[JudgeAbstention], judges: int) -> list[str]:
    """One sentence for each judge and cause; the order is named if only one of the two failed."""
    grouped: dict[tuple[int, str, str], list[Order]] = {}
    for each in abstentions:
        grouped.setdefault((each.judge, each.name, each.cause), []).append(each.order)
    return [
        f"{capitalized(_judge_name(judge, tool, judges, orders))} {cause}."
        for (judge, tool, cause), orders in grouped.items()
    ]


def _faults(ballot: Ballot, judges: int) -> Iterable[str]:
    """Yield the invalid parts of a ballot whose pick was read."""
    name = capitalized(_judge_name(ballot.judge, ballot.name, judges, [ballot.order]))
    if ballot.struck:
        count = "1 argument" if len(ballot.struck) == 1 else f"{len(ballot.struck)} arguments"
        yield f"[WARN] {name} cited {count} that no side has made; struck."
    if not ballot.is_supported:
        yield f"[WARN] {name} picked the {ballot.verdict.winner} and cites no argument that it has made."


def _judge_name(judge: int, tool: str, judges: int, orders: Sequence[Order] = ()) -> str:
    """E.g. ``judge 2 (gemini, proposer first)``; the number only in a panel, the order only if it is a single one."""
    name = "the judge" if judges == 1 else f"judge {judge}"
    return f"{name} ({tool}, {orders[0].display_name})" if len(orders) == 1 else f"{name} ({tool})"
