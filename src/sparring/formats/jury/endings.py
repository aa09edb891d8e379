"""How a jury ends, and what people are told beside it."""

from collections.abc import Iterator

from sparring.formats.jury.anchoring import mutations
from sparring.formats.jury.checklist import carries_weight, mismatches
from sparring.formats.jury.hearing import DEBATERS, OPENING_ROUND, Hearing
from sparring.formats.jury.judging import Judgement
from sparring.formats.jury.objections import contested
from sparring.schema.base import Role
from sparring.schema.jury import Faithfulness, JuryOutcome, JuryStatus, MinorityView
from sparring.schema.transcript import Turn, TurnKind

NOTHING_USABLE = "[ERROR] Jury failed: nobody gave a usable answer."

_AGAINST = {Faithfulness.FAITHFUL: Role.SKEPTIC, Faithfulness.MUTATED: Role.ADVOCATE}
"""Whom a verdict does not follow."""


def judged(judgement: Judgement, hearing: Hearing) -> JuryOutcome:
    """There is a verdict, on everything that was heard."""
    return JuryOutcome(
        status=JuryStatus.INCOMPLETE if hearing.silent else JuryStatus.COMPLETED,
        verdict=judgement.verdict,
        contested=contested(judgement.objection, hearing.case),
        check=hearing.case.check,
        checklist=hearing.checklist,
        differences=judgement.differences,
        mutations=mutations(judgement.differences),
        statements=hearing.statements,
        minority_view=minority_view(judgement.verdict.verdict, hearing),
        rebuttals_completed=_rebuttals_completed(hearing),
        notices=(*_notices(hearing), *_stands(judgement.unreconsidered)),
    )


def unjudged(judge: Turn, hearing: Hearing) -> JuryOutcome:
    """The judge gave no verdict. What the others said is kept; if they said nothing either, the jury has failed."""
    is_heard = bool(hearing.statements or hearing.checklist)
    lead = "[WARN] No verdict." if is_heard else NOTHING_USABLE
    return JuryOutcome(
        status=JuryStatus.UNJUDGED if is_heard else JuryStatus.FAILED,
        check=hearing.case.check,
        checklist=hearing.checklist,
        statements=hearing.statements,
        rebuttals_completed=_rebuttals_completed(hearing),
        notices=(f"{lead} {_cause(judge, 'verdict')}", *_notices(hearing)),
    )


def minority_view(label: Faithfulness, hearing: Hearing) -> MinorityView | None:
    """The last word of the side that ``label`` does not follow; None if that side was never heard.

    PARTIALLY_FAITHFUL follows neither: then it is the side that has more phrases which are in the texts, the Skeptic
    if both have as many, since that label is the nearer to FAITHFUL.
    """
    against = _AGAINST.get(label) or max(reversed(DEBATERS), key=lambda role: _phrases_found(role, hearing))
    last = [statement for statement in hearing.statements if statement.role is against][-1:]
    return MinorityView(role=against, text=last[0].text) if last else None


def _phrases_found(role: Role, hearing: Hearing) -> int:
    said = (statement for statement in hearing.statements if statement.role is role)
    return len({phrase.text for statement in said for phrase in statement.phrases if phrase.span})


def _rebuttals_completed(hearing: Hearing) -> int:
    """Rounds of rebuttals in which both debaters spoke."""
    rounds = [statement.round for statement in hearing.statements]
    return sum(rounds.count(round_) == len(DEBATERS) for round_ in hearing.rounds if round_ > OPENING_ROUND)


def _notices(hearing: Hearing) -> Iterator[str]:
    for turn in hearing.silent:
        yield f"[WARN] {_what_is_missing(turn)} {_cause(turn, 'checklist')}"
    for entry in mismatches(hearing.checklist):
        if not carries_weight(entry):
            yield (
                f"[WARN] The fact-checker's mismatch of {entry.dimension} carries no weight: "
                "none of its phrases stands in the text that it is said to be from."
            )


def _what_is_missing(turn: Turn) -> str:
    if turn.kind is TurnKind.CHECKLIST:
        return "The jury is incomplete: there is no checklist."
    place = "opening" if turn.round == OPENING_ROUND else f"rebuttal in round {turn.round}"
    return f"The jury is incomplete: the {turn.role}'s {place} is missing."


def _stands(unreconsidered: Turn | None) -> tuple[str, ...]:
    if unreconsidered is None:
        return ()
    why = f" {_failure(unreconsidered)}" if unreconsidered.failure else ""
    return (f"[WARN] The first verdict stands: asked to reconsider it, the judge gave no usable answer.{why}",)


def _cause(turn: Turn, asked_for: str) -> str:
    if turn.failure:
        return _failure(turn)
    return f"The {turn.role.spoken} ({turn.tool}) was asked twice and gave no usable {asked_for}."


def _failure(turn: Turn) -> str:
    failure = turn.failure
    return (
        f"The {turn.role.spoken} ({turn.tool}) failed: {failure.code}: {failure.detail.rstrip('.')}." if failure else ""
    )
