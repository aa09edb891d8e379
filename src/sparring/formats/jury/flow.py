"""Course of a jury, and its endings.

Advocate, Skeptic and Fact-Checker are asked at the same time: the Fact-Checker compares two texts without the
statements of either side, so that waiting would cost time and could only bias its findings. Then the debaters answer
each other, and the judge decides.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from sparring.engine import course
from sparring.formats.jury import case, replies, statements, verdict
from sparring.formats.jury.prompts import JuryAsks
from sparring.prompts import PromptLibrary
from sparring.schema import jury as schema
from sparring.schema.base import Role
from sparring.schema.transcript import Transcript, Turn, TurnKind
from sparring.text.tidying import one_line

NOTHING_USABLE = "[ERROR] Jury failed: there is no usable answer."

ON_NOTHING = (
    "[WARN] The advocate names no phrase of the truth, though it was asked twice: its opening rests on nothing."
)

BY_CODE = "[WARN] By code alone: no model was called, and there is no confidence."

UNDECIDED_BY_CODE = (
    "[WARN] No verdict by code alone: it found no critical mismatch, and cannot show that both texts say the same."
)

_AGAINST = {schema.Faithfulness.FAITHFUL: Role.SKEPTIC, schema.Faithfulness.MUTATED: Role.ADVOCATE}
"""Whom a verdict does not follow."""


class Jury:
    """The rules of one jury; see ``engine.format.Rules``."""

    def __init__(self, request: schema.JuryRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._case = case.Case(request.truth, request.claim)
        self._asking = JuryAsks(request, self._case, prompts)
        self._bookmark = course.CourseCursor[course.DeferredAsk, schema.JuryOutcome]()

    def next(self, transcript: Transcript) -> course.Asks | schema.JuryOutcome:
        """See ``engine.format.Rules``."""
        return course.next_step(self._bookmark, self._course, transcript)

    def _course(self) -> course.Course[course.DeferredAsk, schema.JuryOutcome]:
        if self._request.is_by_code:
            return self._by_code()
        if self._request.alone:
            return (yield from self._alone())
        """Ask for the openings and the checklist, then for the rebuttals round by round, then for the verdict."""
        openings = [self._opening(role) for role in statements.DEBATERS]
        items = yield from course.run_together(*openings, self._checklist())
        contributions = statements.Contributions(items)
        first_rebuttal = statements.OPENING_ROUND + 1
        for round_ in range(first_rebuttal, first_rebuttal + self._request.rebuttals):
            due = [role for role in statements.DEBATERS if _may_rebut(role, round_, contributions)]
            if not due:
                break
            items = yield from course.run_together(*(self._rebuttal(role, round_, contributions) for role in due))
            contributions = contributions.extended(items)
        match (yield from self._verdict(contributions)):
            case verdict.CheckedVerdict() as judgement:
                return self._judged(judgement, contributions)
            case statements.Contribution() as judge:
                return self._unjudged(judge, contributions)

    def _alone(self) -> course.Course[course.DeferredAsk, schema.JuryOutcome]:
        """Ask judges that read no statements; the first verdict counts for the run, the caller counts the others."""
        judges = range(len(self._request.alone))
        attempted = yield from course.run_together(
            *(course.ask_until_usable(partial(self._asking.alone, number), replies.read_verdict) for number in judges)
        )
        verdicts = [attempts[-1].value for attempts in attempted]
        readable = [each for each in verdicts if each]
        return self._ended(
            statements.Contributions(),
            status=schema.JuryStatus.COMPLETED if readable else schema.JuryStatus.FAILED,
            verdict=readable[0] if readable else None,
            alone=tuple(each.verdict if each else None for each in verdicts),
        )

    def _opening(self, role: Role) -> course.Course[course.DeferredAsk, statements.Contribution]:
        """Ask for an opening. Of two attempts the one with fewer faults counts, the second if both have as many."""
        attempts = yield from course.ask_until_usable(
            lambda first: self._asking.opening(role, first),
            lambda reply: self._statement(reply, role, statements.OPENING_ROUND),
        )
        readable = [attempt for attempt in reversed(attempts) if attempt.value]
        best = min(readable, key=lambda attempt: len(attempt.problems), default=attempts[-1])
        return _contribution(best)

    def _statement(self, reply: str, role: Role, round_: int) -> course.ReadReply[schema.Statement]:
        statement = statements.read_statement(reply, role, round_, self._case)
        return course.ReadReply(statement, statement.faults)

    def _checklist(self) -> course.Course[course.DeferredAsk, statements.Contribution]:
        """Ask for the checklist. Of two attempts the one with more entries counts, the second if both have as many."""
        attempts = yield from course.ask_until_usable(self._asking.checklist, replies.read_checklist)
        best = max(reversed(attempts), key=lambda attempt: len(attempt.value or ()))
        if best.value is None:
            return statements.Contribution(attempts[-1].turn, cause=attempts[-1].cause)
        checklist = statements.located(best.value, self._case)
        return statements.Contribution(best.turn, checklist=checklist, defaulted=best.defaulted)

    def _rebuttal(
        self, role: Role, round_: int, contributions: statements.Contributions
    ) -> course.Course[course.DeferredAsk, statements.Contribution]:
        def read(reply: str) -> course.ReadReply[schema.Statement]:
            return self._statement(reply, role, round_)

        attempt = yield from course.attempt_ask(self._asking.rebuttal(role, round_, contributions, None), read)
        if attempt.is_cut_off:  # its form is not worth a second one
            attempt = yield from course.attempt_ask(self._asking.rebuttal(role, round_, contributions, attempt), read)
        return _contribution(attempt)

    def _verdict(
        self, contributions: statements.Contributions
    ) -> course.Course[course.DeferredAsk, verdict.CheckedVerdict | statements.Contribution]:
        """Return the judge's own verdict; without one, the result with the cause."""
        attempts = yield from course.ask_until_usable(
            lambda first: self._asking.verdict(contributions, first), replies.read_verdict
        )
        last = attempts[-1]
        if last.value is None or last.turn.answer is None:
            return statements.Contribution(last.turn, cause=last.cause)
        judgement = verdict.judgement_of(last.value, self._case, contributions)
        judgement = replace(judgement, defaulted=last.defaulted, tool=last.turn.tool_name)
        if not judgement.objections:
            return judgement
        # What code has against it is put to the judge once. The second verdict stands, whatever it is.
        wanted = self._asking.reconsider(last.turn.answer.response, judgement, contributions)
        again = yield from course.attempt_ask(wanted, replies.read_verdict)
        if again.value is None:
            return replace(judgement, unreconsidered=again.cause)
        judgement = verdict.judgement_of(again.value, self._case, contributions)
        return replace(judgement, defaulted=again.defaulted, tool=again.turn.tool_name)

    def _judged(self, judgement: verdict.CheckedVerdict, contributions: statements.Contributions) -> schema.JuryOutcome:
        """Return the outcome with a verdict on all statements."""
        notices = list(self._notices(contributions))
        if judgement.unreconsidered:
            cause = judgement.unreconsidered.rstrip(".")
            why = f"asked to reconsider it, the judge gave no usable answer ({cause})"
            notices.append(f"[WARN] The first verdict stands: {why}.")
        notices += course.defaulted_notice(f"the judge ({judgement.tool})", judgement.defaulted)
        return self._ended(
            contributions,
            status=schema.JuryStatus.INCOMPLETE if contributions.missing else schema.JuryStatus.COMPLETED,
            verdict=judgement.verdict,
            contested=tuple(judgement.contested(self._case)),
            differences=judgement.differences,
            mutations=judgement.mutations,
            minority_view=_minority_view(judgement.verdict.verdict, contributions),
            notices=tuple(notices),
        )

    def _unjudged(self, judge: statements.Contribution, contributions: statements.Contributions) -> schema.JuryOutcome:
        """The judge gave no verdict. The other statements are kept; without any, the jury has failed."""
        status, lead = schema.JuryStatus.FAILED, NOTHING_USABLE
        if contributions.statements or contributions.checklist:
            status, lead = schema.JuryStatus.UNJUDGED, "[WARN] No verdict."
        notices = (f"{lead} {_cause(judge, 'verdict')}", *self._notices(contributions))
        return self._ended(contributions, status=status, notices=notices)

    def _notices(self, contributions: statements.Contributions) -> Iterator[str]:
        for contribution in contributions.missing:
            yield f"[WARN] {_what_is_missing(contribution.turn)} {_cause(contribution, 'checklist')}"
        for contribution in contributions.items:
            name = f"the {contribution.turn.role.display_name} ({contribution.turn.tool_name})"
            yield from course.defaulted_notice(name, contribution.defaulted)
        unread = statements.not_compared(contributions.checklist)
        if contributions.checklist and unread:
            yield f"[WARN] The checklist has no readable entry for: {', '.join(unread)}."
        for entry in statements.mismatches(contributions.checklist):
            if not statements.carries_weight(entry):
                yield (
                    f"[WARN] The fact-checker's mismatch of {entry.dimension} carries no weight: "
                    "none of its phrases is in the text that it names."
                )
        for statement in contributions.statements:
            if statements.rests_on_nothing(statement):
                yield ON_NOTHING
            elif statement.round == statements.OPENING_ROUND:
                for fault in statement.faults:
                    yield f"The opening of the {statement.role}: {fault}"

    def _by_code(self) -> schema.JuryOutcome:
        """Return the outcome by code alone: no roles, no votes, no confidence."""
        judgement = verdict.judgement_by_code(self._case)
        if judgement is None:
            return self._ended(
                statements.Contributions(), status=schema.JuryStatus.UNJUDGED, notices=(UNDECIDED_BY_CODE,)
            )
        return self._ended(
            statements.Contributions(),
            status=schema.JuryStatus.BY_CODE,
            verdict=judgement.verdict,
            differences=judgement.differences,
            mutations=judgement.mutations,
            notices=(BY_CODE,),
        )

    def _ended(self, contributions: statements.Contributions, **more: Any) -> schema.JuryOutcome:
        """The outcome, with all statements and the findings of code."""
        return schema.JuryOutcome(
            check=self._case.check,
            patterns=self._case.compared.patterns,
            omitted=self._case.compared.omitted,
            checklist=contributions.checklist,
            statements=contributions.statements,
            rebuttals_completed=_rebuttals_completed(contributions),
            **more,
        )


def _contribution(attempt: course.Attempt[schema.Statement]) -> statements.Contribution:
    return statements.Contribution(attempt.turn, attempt.value, cause="" if attempt.value else attempt.cause)


def _may_rebut(role: Role, round_: int, contributions: statements.Contributions) -> bool:
    """Return whether ``role`` is asked for an answer in ``round_``.

    A seat that failed once is not asked again, and no seat is asked to answer silence: there must be words of the other
    side from the round before or, in the first rebuttal, a checklist.
    """
    if not contributions.statement(role, round_ - 1):
        return False
    if round_ == statements.OPENING_ROUND + 1 and contributions.checklist:
        return True
    other = Role.SKEPTIC if role is Role.ADVOCATE else Role.ADVOCATE
    return contributions.statement(other, round_ - 1) is not None


def _minority_view(label: schema.Faithfulness, contributions: statements.Contributions) -> schema.MinorityView | None:
    """The last statement of the side that ``label`` does not follow; None if that side made none.

    PARTIALLY_FAITHFUL follows neither: then it is the side with more phrases that occur in the texts, the Skeptic
    if both have as many, since that label is closer to FAITHFUL.
    """
    against = _AGAINST.get(label)
    if against is None:
        # Of equal counts the first is taken.
        against = max((Role.SKEPTIC, Role.ADVOCATE), key=lambda role: _located_phrases(role, contributions))
    own = [statement for statement in contributions.statements if statement.role is against]
    return schema.MinorityView(role=against, text=own[-1].text) if own else None


def _located_phrases(role: Role, contributions: statements.Contributions) -> int:
    own = [statement for statement in contributions.statements if statement.role is role]
    return len({phrase.text for statement in own for phrase in statement.phrases if phrase.span})


def _rebuttals_completed(contributions: statements.Contributions) -> int:
    """Rounds of rebuttals in which both debaters spoke."""
    rounds = [statement.round for statement in contributions.statements]
    return sum(
        rounds.count(round_) == len(statements.DEBATERS)
        for round_ in contributions.rounds
        if round_ > statements.OPENING_ROUND
    )


def _what_is_missing(turn: Turn) -> str:
    if turn.kind is TurnKind.CHECKLIST:
        return "The jury is incomplete: there is no checklist."
    place = "opening" if turn.round == statements.OPENING_ROUND else f"rebuttal in round {turn.round}"
    return f"The jury is incomplete: the {turn.role}'s {place} is missing."


_LONGEST_CAUSE = 200


def _cause(contribution: statements.Contribution, asked_for: str) -> str:
    turn, cause = contribution.turn, one_line(contribution.cause, _LONGEST_CAUSE).rstrip(".")
    name = f"The {turn.role.display_name} ({turn.tool_name})"
    if course.failure_cause(turn):
        return f"{name} failed: {cause}."
    return f"{name} was asked twice and gave no usable {asked_for}: {cause.removeprefix('parse: ')}."
