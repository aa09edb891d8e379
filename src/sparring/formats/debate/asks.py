"""What debaters and summarizer are asked, by round and role: the prompt for models, the brief for code.

A summary is a turn like any other: it is asked of the first judge's tool together with the proposer's speech of the
round before, when all that it covers has been said, so that nobody waits for it, and for the second time beside the
challenger's speech.

Code is asked after every speech what that cites, and everybody concerned is shown what it has found.
"""

from collections.abc import Iterable

from sparring.engine.course import Wanted
from sparring.formats.debate.prompt import KINDS, DebatePrompts, Prompt
from sparring.formats.debate.speeches import Said
from sparring.formats.debate.summaries import FIRST_SUMMARIZED_ROUND, SECTIONS, summary_problem
from sparring.schema.base import CITATION_CHECKER, Role
from sparring.schema.consultation import Brief, Exhibit, Question, Speech
from sparring.schema.debate import DebateRequest, SpeechRule, VerdictPart
from sparring.schema.lookups import LEDGER_STEP, Ledger
from sparring.schema.transcript import Ask, Placed, Turn, TurnKind

CHECK_TIMEOUT_S = 30.0


def ask_of(
    request: DebateRequest,
    id_: str,
    step: str,
    placed: Placed,
    prompt: Prompt,
    speeches: tuple[Speech, ...],
    *,
    model: str | None,
    name: str = "",
) -> Ask:
    """The ask of that id, in its place, that puts ``prompt``, which was made from the template ``step``, to ``model``.

    ``speeches`` is what the prompt was made from; ``name`` says which of several things it asks.
    """
    brief = Brief(
        step=step,
        topic=request.topic,
        role=placed.role,
        round=placed.round,
        attempt=placed.attempt,
        speeches=speeches,
        name=name,
    )
    question = Question(
        prompt=prompt.text,
        stable=prompt.stable,
        brief=brief,
        effort=request.effort,
        model=model,
        timeout_s=request.timeout_s,
        repo_access=request.access(placed.role),
    )
    return Ask(id=id_, question=question, **placed.place)


def ledger_wanted(speech: Speech, request: DebateRequest) -> Wanted:
    """What ``speech`` cites, asked of code."""
    label = f"round {speech.round}/{request.rounds}, citations"
    return _citations(f"r{speech.round}.{speech.role}.ledger", speech, label, request.shown)


def verdict_ledger_wanted(part: VerdictPart, text: str, completed: int, request: DebateRequest) -> Wanted:
    """What ``text``, a part of the verdict on ``completed`` rounds, cites, asked of code."""
    speech = Speech(role=Role.JUDGE, round=completed, text=text)
    return _citations(f"verdict.{part}.ledger", speech, f"{part}, citations", request.shown)


def _citations(id_: str, speech: Speech, label: str, exhibits: tuple[Exhibit, ...]) -> Wanted:
    def ask() -> Ask:
        brief = Brief(
            step=LEDGER_STEP,
            topic="citations",
            role=Role.VERIFIER,
            round=speech.round,
            speeches=(speech,),
            exhibits=exhibits,
        )
        return Ask(
            id=id_,
            kind=TurnKind.CITATIONS,
            role=Role.VERIFIER,
            round=speech.round,
            tool=CITATION_CHECKER,
            label=label,
            question=Question(prompt=LEDGER_STEP, brief=brief, timeout_s=CHECK_TIMEOUT_S),
        )

    return Wanted(id_, ask)


class Asking:
    """What is asked of the debaters, and of whoever makes the summaries."""

    def __init__(self, request: DebateRequest, prompts: DebatePrompts) -> None:
        self._request = request
        self._prompts = prompts

    def again(self, turn: Turn, rules: Iterable[SpeechRule], said: Said) -> Wanted:
        """The speech of ``turn`` once more, for the rules that it breaks; ``said`` is all that was said before it."""
        returned = self._prompts.returned(turn.answer.response if turn.answer else "", rules)
        return self.speech(turn.round, turn.role, said, returned=returned)

    def speech(self, round_: int, role: Role, said: Said, *, returned: str = "") -> Wanted:
        """The speech of ``role`` in ``round_``; all that it answers has been said.

        ``returned`` tells why an earlier attempt was not taken.
        """
        step, kind = self._prompts.step(round_, role), KINDS[round_ == 1, role]
        if kind is TurnKind.RESPONSE and self._request.blind_openings:
            kind = TurnKind.OPENING
        id_, seat = f"r{round_}.{role}{'.2' if returned else ''}", self._request.participant(role)
        label = f"round {round_}/{self._request.rounds}"

        def ask() -> Ask:
            prompt = self._prompts.speech(round_, role, said)
            prompt = prompt.followed_by(returned) if returned else prompt
            attempt = 2 if returned else 1
            placed = Placed(kind=kind, role=role, round=round_, tool=seat.tool, attempt=attempt, label=label)
            return ask_of(self._request, id_, step, placed, prompt, said.speeches, model=seat.model)

        return Wanted(id_, ask)

    def summary(self, speaking_round: int, said: Said) -> tuple[Wanted, ...]:
        """The summary to be asked for beside a speech of ``speaking_round``, if the next round needs one."""
        target = speaking_round + 1
        if not FIRST_SUMMARIZED_ROUND <= target <= self._request.rounds:
            return ()
        attempts = [turn for turn in said.summaries if turn.round == target]
        if not attempts:
            return (self._summary(target, said, problem=""),)
        answer = attempts[0].answer
        problem = summary_problem(answer.response) if answer and len(attempts) == 1 else ""
        return (self._summary(target, said, problem=problem),) if problem else ()

    def _summary(self, target: int, said: Said, *, problem: str) -> Wanted:
        attempt = 2 if problem else 1
        id_ = f"r{target}.summary.{attempt}"

        def ask() -> Ask:
            covered = said.up_to(target - 2).speeches
            prompt = self._prompts.summary(target, said)
            prompt = prompt.followed_by(self._prompts.again(problem)) if problem else prompt
            judge = self._request.judge
            placed = Placed(
                kind=TurnKind.SUMMARY,
                role=Role.JUDGE,
                round=target,
                tool=judge.tool,
                attempt=attempt,
                label=f"summary for round {target}",
            )
            return ask_of(self._request, id_, "debate/summary", placed, prompt, covered, model=judge.model)

        return Wanted(id_, ask)


_USUAL_SPEECH = "word " * 500
"""In characters: 400 words, of which a speech is asked to have about as many."""

_USUAL_SECTION = "word " * 100


def usual_answer(ask: Ask, place: int) -> str:  # noqa: ARG001 -- whoever is asked
    """What is probably answered, for the estimate: speeches and summaries of the length and form that is asked for."""
    if ask.kind is TurnKind.SUMMARY:
        return "\n".join(f"## {section}\n{_USUAL_SECTION}" for section in SECTIONS)
    if ask.kind is TurnKind.CITATIONS:
        return Ledger().model_dump_json()
    return f"Flaw: {_USUAL_SPEECH}in {ask.id}.\nAlternative: another one."
