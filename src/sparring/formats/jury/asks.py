"""What each seat is asked: the prompt for models, the brief for consultants made of code."""

from dataclasses import dataclass

from sparring.formats.jury.hearing import (
    CHECKLIST_IDS,
    OPENING_ROUND,
    RECONSIDER_ID,
    VERDICT_IDS,
    Hearing,
    statement_ids,
)
from sparring.formats.jury.objections import Objection
from sparring.formats.jury.showing import Showing
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.consultation import Brief, Question
from sparring.schema.jury import JuryRequest
from sparring.schema.transcript import Ask, TurnKind

_HEAR_NOBODY = frozenset({TurnKind.OPENING, TurnKind.CHECKLIST})
"""Kinds of turn that are taken without hearing what others say."""


@dataclass(frozen=True)
class _Place:
    step: str
    role: Role
    kind: TurnKind
    round: int


class Asking:
    """Words the asks. A ``problem`` is what was wrong with the answer to the first attempt, if this is the second."""

    def __init__(self, request: JuryRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._showing = Showing(request, prompts)

    def opening(self, role: Role, hearing: Hearing, problem: str = "") -> Ask:
        """The opening statement of a debater."""
        place = _Place(f"jury/{role}-opening", role, TurnKind.OPENING, OPENING_ROUND)
        return self._attempt(statement_ids(role, OPENING_ROUND), place, hearing, problem)

    def checklist(self, hearing: Hearing, problem: str = "") -> Ask:
        """The Fact-Checker's comparison."""
        place = _Place("jury/checklist", Role.FACT_CHECKER, TurnKind.CHECKLIST, OPENING_ROUND)
        return self._attempt(CHECKLIST_IDS, place, hearing, problem)

    def rebuttal(self, role: Role, round_: int, hearing: Hearing) -> Ask:
        """A debater's answer to what was said before ``round_``."""
        place = _Place(f"jury/{role}-rebuttal", role, TurnKind.REBUTTAL, round_)
        return self._attempt(statement_ids(role, round_), place, hearing, "")

    def verdict(self, hearing: Hearing, problem: str = "") -> Ask:
        """The judge's verdict on everything that was said."""
        return self._attempt(VERDICT_IDS, self._bench("jury/verdict", hearing), hearing, problem)

    def reconsider(self, answer: str, objection: Objection, hearing: Hearing) -> Ask:
        """The same once more of a judge to whose ``answer`` there is ``objection``."""
        place = self._bench("jury/verdict", hearing)
        prompt = self._showing.prompt(place.step, place.round, hearing)
        prompt += "\n" + self._showing.reconsider(answer, objection, hearing)
        return self._ask(RECONSIDER_ID, self._bench("jury/reconsider", hearing), prompt, hearing)

    def _bench(self, step: str, hearing: Hearing) -> _Place:
        return _Place(step, Role.JUDGE, TurnKind.VERDICT, hearing.rounds[-1])

    def _attempt(self, ids: tuple[str, ...], place: _Place, hearing: Hearing, problem: str) -> Ask:
        prompt = self._showing.prompt(place.step, place.round, hearing)
        if problem:
            prompt += "\n" + self._showing.again(problem)
        attempt = 2 if problem else 1
        return self._ask(ids[attempt - 1], place, prompt, hearing, attempt)

    def _ask(self, id_: str, place: _Place, prompt: str, hearing: Hearing, attempt: int = 1) -> Ask:
        request, seat = self._request, self._request.participant(place.role)
        brief = Brief(
            step=place.step,
            topic=request.claim,
            role=place.role,
            round=place.round,
            attempt=attempt,
            speeches=() if place.kind in _HEAR_NOBODY else hearing.speeches,
            evidence=(request.truth,),
            language=request.language,
        )
        question = Question(
            prompt=prompt, brief=brief, effort=request.effort, model=seat.model, timeout_s=request.timeout_s
        )
        return Ask(id=id_, kind=place.kind, role=place.role, round=place.round, tool=seat.tool, question=question)
