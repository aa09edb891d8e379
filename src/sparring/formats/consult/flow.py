"""The plain consultation: one question to one tool, to several, or to the same one several times.

All are asked at the same time without each other's answers. With at least two answers, code lists their citations; the
run ends with any result.
"""

from functools import cached_property, partial

from sparring.engine.course import Asks, Course, CourseCursor, DeferredAsk, ask_one, citations_wanted, next_step
from sparring.prompts import PromptLibrary, framed
from sparring.schema import base, consult, consultation, lookups
from sparring.schema.transcript import Ask, Transcript, Turn, TurnKind

_STEP = "consult/question"


class Consultation:
    """The rules of one consultation; see ``engine.format.Rules``."""

    def __init__(self, request: consult.ConsultRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._prompts = prompts
        self._bookmark = CourseCursor[DeferredAsk, consult.ConsultOutcome]()

    def next(self, transcript: Transcript) -> Asks | consult.ConsultOutcome:
        """See ``engine.format.Rules``."""
        return next_step(self._bookmark, self._course, transcript)

    def _course(self) -> Course[DeferredAsk, consult.ConsultOutcome]:
        """Ask the question, word for word; then list the citations that several answers have in common."""
        turns = yield self._questions()
        if len(turns) == 1:
            return consult.ConsultOutcome(status=_status(turns), reply=turns[0].reply)
        notices = _failure_notices(turns)
        if sum(turn.answer is not None for turn in turns) > 1:
            check = yield from ask_one(_citations(turns))
            if check.failure:
                notices.append(f"[WARN] What the answers cite was not looked up: {check.failure.cause}.")
        return consult.ConsultOutcome(status=_status(turns), notices=tuple(notices))

    def _questions(self) -> tuple[DeferredAsk, ...]:
        pairs = zip(self._request.question_ids, self._request.asked, strict=True)
        return tuple(
            DeferredAsk(id_, partial(self._ask, id_, number, consulted))
            for number, (id_, consulted) in enumerate(pairs, start=1)
        )

    @cached_property
    def _prompt(self) -> str:
        request = self._request
        if not request.context:
            return request.question
        material = framed(request.context, self._prompts)
        return self._prompts.render(_STEP, {"material": material, "question": request.question})

    def _ask(self, id_: str, number: int, consulted: consult.ConsultedTool) -> Ask:
        request = self._request
        question = consultation.Question(
            prompt=self._prompt,
            brief=consultation.Brief(step=_STEP, topic=request.question, role=base.Role.CONSULTANT, round=1),
            effort=request.effort,
            model=consulted.model,
            timeout_s=request.timeout_s,
            repo_access=request.repo_access,
            session_id=request.session_id,
            keep_session=True,
        )
        return Ask(
            id=id_,
            kind=TurnKind.ANSWER,
            role=base.Role.CONSULTANT,
            round=1,
            tool=consulted.tool,
            label=f"answer {number}" if len(request.asked) > 1 else "",
            question=question,
        )


def _citations(turns: tuple[Turn, ...]) -> DeferredAsk:
    # The citation check reads the brief; an answer's number is the round of its speech.
    speeches = tuple(
        consultation.Speech(role=turn.role, round=number, text=turn.answer.response)
        for number, turn in enumerate(turns, start=1)
        if turn.answer
    )
    brief = consultation.Brief(
        step=lookups.CITATIONS_STEP, topic="citations", role=base.Role.VERIFIER, round=1, speeches=speeches
    )
    return citations_wanted("citations", "citations", brief)


def _status(turns: tuple[Turn, ...]) -> consult.ConsultStatus:
    return consult.ConsultStatus.COMPLETED if any(turn.answer for turn in turns) else consult.ConsultStatus.FAILED


def _failure_notices(turns: tuple[Turn, ...]) -> list[str]:
    """Return a warning if some have not answered, with the causes; empty if all have."""
    causes = [
        f"{number} ({turn.tool}) failed: {turn.failure.cause}."
        for number, turn in enumerate(turns, start=1)
        if turn.failure
    ]
    if not causes:
        return []
    answered = len(turns) - len(causes)
    lead = f"[WARN] Showing {answered} of {len(turns)}." if answered else "[ERROR] No tool answered."
    return [" ".join((lead, *causes))]
