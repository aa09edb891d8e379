"""The course of a debate, how it ends, and what a failed consultation means for it (seed 004, Error Handling).

A failure in round 1 ends the debate or leaves the proposer uncontested; a later one gives a verdict on the rounds that
are complete.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from sparring.engine.course import Asks, Bookmark, Course, Wanted, decided, defaulted_notice
from sparring.formats.debate.asks import DebateAsks, DebatePrompts, ledger_wanted, verdict_ledger_wanted
from sparring.formats.debate.rulebook import (
    attacked_nothing,
    broken,
    certifies_with_evidence,
    gave_up_without_evidence,
    only_certifies,
    summary_notices,
)
from sparring.formats.debate.speeches import Said, as_side, read_ledger
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
        """Each speech, then what it cites; when all is said the judges, then the end."""
        said = Said()
        for round_, roles in self._places():
            speeches = tuple(self._asking.speech(round_, role, said) for role in roles)
            before, turns = said, (yield (*speeches, *self._asking.summary(round_, said)))
            said = said.after(turns)
            failed = next((turn for turn in turns if turn.kind in SPEECH_KINDS and turn.failure), None)
            if failed and failed.round == 1 and failed.role is Role.PROPOSER:
                return self._failed(failed, turns, said)
            said = yield from self._held_to_rules(said, before)
            said = yield from _looked_up(said, self._request)
            if failed and failed.round == 1:
                return self._outcome(
                    schema.DebateStatus.UNCONTESTED, said, 0, (UNCONTESTED, _cause(failed)), broken=failed
                )
            if failed:
                return (yield from self._verdict(said, failed.round - 1, failed))
            said = self._certified(said)
            if self._has_nothing_left(said, round_):
                return (yield from self._verdict(said, round_, None))
        return (yield from self._verdict(said, self._request.rounds, None))

    def _places(self) -> list[tuple[int, tuple[Role, ...]]]:
        """Return rounds with the roles that speak at the same time, without hearing each other."""
        alone = [(round_, (role,)) for round_ in range(1, self._request.rounds + 1) for role in schema.SPEAKING_ORDER]
        return [(1, schema.SPEAKING_ORDER), *alone[2:]] if self._request.blind_openings else alone

    def _held_to_rules(self, said: Said, before: Said) -> Course[Wanted, Said]:
        """The newest speeches, each asked once for what it lacks; what it still breaks is reported."""
        returned = tuple(_broken_by(said, before))
        if not returned:
            return said
        said = said.instead((yield tuple(self._asking.again(turn, rules, before) for turn, rules in returned)))
        still = (
            schema.BrokenRule(round=turn.round, role=as_side(turn.role), rule=rule)
            for turn, rules in _broken_by(said, before)
            for rule in rules
        )
        return replace(said, broken=(*said.broken, *still))

    def _certified(self, said: Said) -> Said:
        """With a broken rule for the last speech if it certifies something without evidence that holds."""
        last = said.turns[-1] if said.turns else None
        if last is None or last.kind is not TurnKind.FOLLOW_UP:
            return said
        broken_ = schema.BrokenRule(round=last.round, role=as_side(last.role), rule=schema.SpeechRule.EVIDENCE)
        if broken_ in said.broken or certifies_with_evidence(last, said) is not False:
            return said
        return replace(said, broken=(*said.broken, broken_))

    def _has_nothing_left(self, said: Said, round_: int) -> bool:
        """Return whether the challenger only certified, with evidence that holds: then no further round follows."""
        last = said.turns[-1] if said.turns else None
        if round_ >= self._request.rounds or last is None or last.answer is None:
            return False
        is_certificate = last.kind is TurnKind.FOLLOW_UP and only_certifies(last.answer.response)
        return is_certificate and bool(certifies_with_evidence(last, said))

    def _verdict(self, said: Said, completed: int, broken: Turn | None) -> Course[Wanted, schema.DebateOutcome]:
        bench = Bench(self._request, self._prompts, said.up_to(completed))
        match (yield from bench.judge(completed)):
            case Judgement(winner=None) as judgement:
                return self._undecided(judgement, said, completed, broken)
            case Judgement() as judgement:
                verdict = deciding(judgement).verdict
                cited = yield from _cited_by(verdict, completed, self._request)
                return self._judged(judgement, cited, said, completed, broken)
            case Unjudged() as nobody:
                # The rounds are there, a verdict is not. A reply that cannot be read is no verdict either.
                why = " ".join(
                    (
                        "[WARN] No verdict.",
                        *_causes(nobody.abstentions, _shown_judges(nobody.abstentions, self._request)),
                    )
                )
                return self._outcome(schema.DebateStatus.UNJUDGED, said, completed, (why,), broken=broken)

    def _failed(self, opening: Turn, turns: tuple[Turn, ...], said: Said) -> schema.DebateOutcome:
        """The proposer failed in round 1: without an opening position there is nothing to debate."""
        failures = [turn.failure for turn in turns]
        if all(failure is not None and failure.code is FailureCode.TIMEOUT for failure in failures):
            lines = (ALL_TIMED_OUT, _cause(opening))
        else:
            title = NO_OPENING if said.speeches else NOTHING_SUCCEEDED
            lines = (title, f"{_cause(opening)} A debate cannot proceed without an opening position.")
        return self._outcome(schema.DebateStatus.FAILED, said, 0, lines)

    def _judged(
        self,
        judgement: Judgement,
        cited: tuple[schema.VerdictLedger, ...],
        said: Said,
        completed: int,
        broken: Turn | None,
    ) -> schema.DebateOutcome:
        """The judges picked a side, from all rounds or from those before the ``broken`` one."""
        status = schema.DebateStatus.INCOMPLETE if broken else schema.DebateStatus.COMPLETED
        lines = (*_of_judgement(judgement, self._request), *_of_verdict(deciding(judgement), cited))
        return self._outcome(status, said, completed, lines, broken=broken, judgement=judgement, cited=cited)

    def _undecided(self, judgement: Judgement, said: Said, completed: int, broken: Turn | None) -> schema.DebateOutcome:
        """No side has most of the votes, and nothing that code can count separates them."""
        lines = (UNDECIDED.format(why=undecided_because(judgement)), *_of_judgement(judgement, self._request))
        return self._outcome(schema.DebateStatus.UNDECIDED, said, completed, lines, broken=broken, judgement=judgement)

    def _ended_early(self, completed: int, broken: Turn | None) -> Iterable[str]:
        if completed and not broken and completed < self._request.rounds:
            rounds = f"round {completed} of {self._request.rounds}"
            why = "the challenger named no flaw, and certified its concerns as resolved with evidence that holds"
            yield f"The debate ended after {rounds}: {why}."

    def _outcome(
        self,
        status: schema.DebateStatus,
        said: Said,
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
            winner_tool=self._winner_tool(judgement.winner, said) if judgement and judgement.winner else "",
            verdict_ledgers=cited,
            ledgers=said.ledgers,
            conduct=said.conduct,
            broken_rules=said.broken,
            incomplete_round=broken.round if broken else None,
            notices=(
                *(_doubts(judgement) if judgement else ()),
                *_of_the_challenger(said),
                *self._ended_early(completed, broken),
                *_cut_off(said),
                *(_leading(said.ledgers) if status is not schema.DebateStatus.FAILED else ()),
                *(_broken_notice(broken, completed) if broken and completed else ()),
                *lines,
                *_of_ledgers(said.ledgers),
                *summary_notices(said),
            ),
        )

    def _winner_tool(self, winner: Side, said: Said) -> str:
        """Return the tools that spoke for ``winner``; empty where that is the tool of the seat alone."""
        name = said.name(winner)
        return "" if name == self._request.participant(winner).tool else name


def _of_the_challenger(said: Said) -> Iterable[str]:
    """Yield the lack of any attack, and concerns given up for nothing: they make every verdict worth less."""
    heard = [turn for turn in said.turns if turn.role is Role.CHALLENGER]
    if not heard:
        return
    tool = said.name(Role.CHALLENGER)
    if attacked_nothing(said):
        yield f"[WARN] The proposer was not opposed: the challenger ({tool}) named no flaw in any round."
    for round_ in gave_up_without_evidence(said):
        yield (
            f"[WARN] The challenger ({tool}) certified a concern as resolved in round {round_}, "
            "and cited nothing that holds for it."
        )


def _broken_by(said: Said, before: Said) -> Iterable[tuple[Turn, tuple[schema.SpeechRule, ...]]]:
    """The speeches since ``before`` that break rules; one made of code follows none, and is not held to any."""
    for turn in said.turns[len(before.turns) :]:
        text = turn.answer.response if turn.answer else ""
        rules = tuple(broken(turn.kind, text, said.earlier(turn)))
        if rules and turn.tool != RULE_BASED_TOOL:
            yield turn, rules


def _looked_up(said: Said, request: schema.DebateRequest) -> Course[Wanted, Said]:
    speeches = [speech for speech in said.speeches if said.ledger(speech.round, speech.role) is None]
    if not speeches:
        return said
    turns = yield tuple(ledger_wanted(speech, request) for speech in speeches)
    found = zip(speeches, map(read_ledger, turns), strict=True)
    return said.looked_up(
        tuple(
            schema.SpeechLedger(round=speech.round, role=as_side(speech.role), ledger=ledger, problem=problem)
            for speech, (ledger, problem) in found
        )
    )


def _cited_by(
    verdict: Verdict, completed: int, request: schema.DebateRequest
) -> Course[Wanted, tuple[schema.VerdictLedger, ...]]:
    evidence = "\n\n".join(agreed.evidence for agreed in verdict.agreements)
    texts = {schema.VerdictPart.AGREEMENTS: evidence, schema.VerdictPart.RECOMMENDATION: verdict.recommendation}
    parts = [part for part, text in texts.items() if text]
    turns = yield tuple(verdict_ledger_wanted(part, texts[part], completed, request) for part in parts)
    found = zip(parts, map(read_ledger, turns), strict=True)
    return tuple(
        schema.VerdictLedger(
            part=part, ledger=_as_proposal(ledger) if part is _RECOMMENDED else ledger, problem=problem
        )
        for part, (ledger, problem) in found
    )


_RECOMMENDED = schema.VerdictPart.RECOMMENDATION
_PROPOSED = frozenset({CitationKind.SYMBOL, CitationKind.PATTERN})


def _as_proposal(ledger: CitationLedger | None) -> CitationLedger | None:
    """Return the ledger of a recommendation: names and code that are not there are what it proposes."""
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
    is_any_verified = any(found.ledger and found.ledger.count(CitationStatus.VERIFIED) for found in ledgers)
    return () if is_any_verified else (NOTHING_VERIFIED,)


def _cut_off(said: Said) -> Iterable[str]:
    """A speech that its provider cut off counts as far as it goes; its reader must know."""
    for turn in said.turns:
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
        f"[WARN] What the {found.role} cites in round {found.round} was not looked up: {found.problem}."
        for found in ledgers
        if found.problem
    )


def undecided_because(judgement: Judgement) -> str:
    """Return why no winner follows from the ballots, as a clause."""
    found = votes_of(judgement.ballots, judgement.abstentions)
    changed = changed_with_the_order(judgement.ballots)
    if any(len(each.possible) > 1 for each in found):
        if judgement.abstentions:
            return "a judge could not be heard in both orders, and its vote might have changed the winner"
        return "a judge cites no argument that the side it picked has made"
    if changed and not any(each.possible - {None} for each in found):
        who = "the judge's pick" if len(found) == 1 else "every judge's pick"
        return f"{who} changed with the order in which the sides were shown, and {_NOTHING_SEPARATES}"
    return f"the judges are evenly split, and {_NOTHING_SEPARATES}"


def _shown_judges(heard: Iterable[Ballot | JudgeAbstention], request: schema.DebateRequest) -> int:
    """Return how many judges were asked: the further one only if ``heard`` has it."""
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
    """Yield what the verdict names as evidence and code did not find, or found to say otherwise, item by item."""
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
    found = votes_of(judgement.ballots, judgement.abstentions)
    for_winner = sum(each.is_for(judgement.winner) for each in found)
    dissent = ", ".join(f"judge {judge}" for judge in judgement.dissent)
    against = f", {len(judgement.dissent)} against ({dissent})" if dissent else ""
    yield f"Panel: of {judges} judges {for_winner} for the {judgement.winner}{against}."


def _causes(abstentions: Sequence[JudgeAbstention], judges: int) -> list[str]:
    """One sentence for each judge and cause; the order is named when it was one of the two."""
    grouped: dict[tuple[int, str, str], list[Order]] = {}
    for each in abstentions:
        grouped.setdefault((each.judge, each.name, each.cause), []).append(each.order)
    return [
        f"{capital(_who(judge, tool, judges, orders))} {cause}." for (judge, tool, cause), orders in grouped.items()
    ]


def _faults(ballot: Ballot, judges: int) -> Iterable[str]:
    """Yield the parts of a ballot that do not stand although its pick was read."""
    who = capital(_who(ballot.judge, ballot.name, judges, [ballot.order]))
    if ballot.struck:
        count = "1 argument" if len(ballot.struck) == 1 else f"{len(ballot.struck)} arguments"
        yield f"[WARN] {who} cited {count} that no side has made; struck."
    if not ballot.is_supported:
        yield f"[WARN] {who} picked the {ballot.verdict.winner} and cites no argument that it has made."


def _who(judge: int, tool: str, judges: int, orders: Sequence[Order] = ()) -> str:
    name = "the judge" if judges == 1 else f"judge {judge}"
    return f"{name} ({tool}, {orders[0].spoken})" if len(orders) == 1 else f"{name} ({tool})"
