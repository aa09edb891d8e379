"""What debaters and summarizer are asked, by round and role: the prompt for models, the brief for code.

What a debater is shown of earlier rounds (specification: seed 004, Context Assembly): before rounds 1 and 2
everything, in full; before round N from 3 on a summary of rounds 1..N-2, then round N-1 in full. A summary is a turn
like any other: it is asked of the first judge's tool together with the proposer's speech of the round before, when all
that it covers has been said, so that nobody waits for it, and for the second time beside the challenger's speech.

Code is asked after every speech what that cites, and everybody concerned is shown what it has found.
"""

from collections.abc import Iterable
from functools import cached_property

from sparring.engine.course import Wanted
from sparring.formats.debate.rulebook import IN_WORDS
from sparring.formats.debate.speeches import Mask, Said, other_side
from sparring.formats.debate.summaries import FIRST_SUMMARIZED_ROUND, summary_before, summary_problem
from sparring.prompts import PromptLibrary, framed
from sparring.schema.base import CITATION_CHECKER, Role
from sparring.schema.consultation import Brief, Exhibit, Question, Speech
from sparring.schema.debate import DebateRequest, SpeechLedger, SpeechRule, VerdictPart
from sparring.schema.lookups import LEDGER_STEP, CitationStatus, Ledger
from sparring.schema.transcript import Ask, Placed, Turn, TurnKind
from sparring.text.tidying import one_line

CHECK_TIMEOUT_S = 30.0

MOST_LINES = 10
"""Lines of a ledger that a prompt shows. A speaker who sees more answers the list instead of the argument."""

_MOST_NOT_FOUND = 6
_NO_MASK = Mask({})
_CITATION_LENGTH, _REASON_LENGTH, _CLAIM_LENGTH = 160, 160, 200

_KINDS = {
    (True, Role.PROPOSER): TurnKind.OPENING,
    (True, Role.CHALLENGER): TurnKind.RESPONSE,
    (False, Role.PROPOSER): TurnKind.DEFENSE,
    (False, Role.CHALLENGER): TurnKind.FOLLOW_UP,
}
"""(first round?, role) to the kind of speech."""


def ask_of(
    request: DebateRequest,
    id_: str,
    step: str,
    placed: Placed,
    prompt: str,
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
        prompt=prompt,
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
    """Words what is asked of the debaters and of whoever makes the summaries."""

    def __init__(self, request: DebateRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._prompts = prompts
        self._ledgers = LedgerBlocks(prompts)

    @cached_property
    def topic(self) -> str:
        """The topic as prompts show it: between fences, with the material that goes with it."""
        material = framed(self._request.context, self._prompts) if self._request.context else ""
        return self._prompts.render("debate/topic", {"topic": self._request.topic, "material": material}).strip()

    def again(self, turn: Turn, rules: Iterable[SpeechRule], said: Said) -> Wanted:
        """The speech of ``turn`` once more, for the rules that it breaks; ``said`` is all that was said before it."""
        values = {"speech": turn.answer.response if turn.answer else "", "rules": self._rules(rules)}
        return self.speech(turn.round, turn.role, said, returned=self._prompts.render("debate/returned#again", values))

    def _rules(self, rules: Iterable[SpeechRule]) -> str:
        return "\n".join(self._prompts.render(f"debate/returned#{rule}", {}).strip() for rule in rules)

    def speech(self, round_: int, role: Role, said: Said, *, returned: str = "") -> Wanted:
        """The speech of ``role`` in ``round_``; all that it answers has been said.

        ``returned`` tells why an earlier attempt was not taken.
        """
        kind = _KINDS[round_ == 1, role]
        step = f"debate/{kind.replace('_', '-')}"
        if kind is TurnKind.RESPONSE and self._request.blind_openings:
            kind, step = TurnKind.OPENING, "debate/blind-opening"
        id_, seat = f"r{round_}.{role}{'.2' if returned else ''}", self._request.participant(role)
        label = f"round {round_}/{self._request.rounds}"

        def ask() -> Ask:
            values = {
                "topic": self.topic,
                "universal_rules": self._prompts.render("debate/universal-rules", {}),
            } | self._shown(kind, round_, role, said)
            prompt = self._prompts.render(step, values) + (f"\n{returned}" if returned else "")
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
            values = {
                "topic": self._request.topic,
                "last_round": str(target - 2),
                "exchanges": self._exchanges(covered),
            }
            prompt = self._prompts.render("debate/summary", values)
            if problem:
                prompt += "\n" + self._prompts.render("debate/again", {"problem": problem})
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

    def _shown(self, kind: TurnKind, round_: int, role: Role, said: Said) -> dict[str, str]:
        """The variables in which the kinds of speech differ: who said what, and what came before."""
        if kind is TurnKind.OPENING:
            return {}
        other = other_side(role)
        answered_round = round_ - 1 if role is Role.PROPOSER else round_
        shown = {
            f"{other}_tool": self._request.participant(other).tool,
            f"{other}_response": said.speech(answered_round, other),
            "ledgers": self._found(answered_round, role, round_ - 1, said),
        }
        if round_ > 1:
            shown |= {"round": str(round_), "context": self._context(round_, said)}
        if kind is TurnKind.DEFENSE:
            shown["previous_round"] = str(answered_round)
        return shown

    def _found(self, answered_round: int, role: Role, own_round: int, said: Said) -> str:
        """What code found in the speech that is answered, and in the speaker's own last one."""
        answered, own = said.ledger(answered_round, other_side(role)), said.ledger(own_round, role)
        blocks = [self._ledgers.answered(answered)] if answered else []
        blocks += [self._ledgers.own(own)] if own else []
        return "\n\n".join(blocks)

    def _context(self, round_: int, said: Said) -> str:
        """The context block of a prompt in ``round_`` (2 or later).

        Where no usable summary could be had, the full text stands in its place: nothing is lost but tokens.
        """
        earlier = said.up_to(round_ - 1).speeches
        summary = summary_before(round_, said)
        if summary is None:
            return self._prompts.render("debate/context-full", {"exchanges": self._exchanges(earlier)})
        values = {
            "last_summarized_round": str(round_ - 2),
            "summary": summary.text,
            "exchanges": self._exchanges(speech for speech in earlier if speech.round == round_ - 1),
        }
        return self._prompts.render("debate/context-summary", values)

    def _exchanges(self, speeches: Iterable[Speech]) -> str:
        """``speeches`` in full, one block each."""
        return "\n".join(self._exchange(speech) for speech in speeches).strip()

    def _exchange(self, speech: Speech) -> str:
        values = {
            "round": str(speech.round),
            "side": speech.role.capitalize(),
            "tool": self._request.participant(speech.role).tool,
            "speech": speech.text,
        }
        return self._prompts.render("debate/exchange", values)


class LedgerBlocks:
    """Words a ledger for whoever reads a prompt."""

    def __init__(self, prompts: PromptLibrary) -> None:
        self._prompts = prompts

    def answered(self, found: SpeechLedger) -> str:
        """For the side that answers the speech."""
        return self._say("answered", side=found.role.upper(), findings=self.findings(found))

    def own(self, found: SpeechLedger) -> str:
        """For the side that made the speech."""
        return self._say("own", round=str(found.round), findings=self.findings(found))

    def judged(self, found: SpeechLedger, mask: Mask, broken: Iterable[SpeechRule]) -> str:
        """For the judge, who is not to see who made the speech; ``broken`` is what it was returned for in vain."""
        rules = [self._say("breaks", rule=IN_WORDS[rule]) for rule in broken]
        return self._say("judged", findings="\n".join([self.findings(found, mask), *rules]))

    def findings(self, found: SpeechLedger, mask: Mask = _NO_MASK) -> str:
        """The lines: what was not found and why, the counts, what was not looked up, what cites nothing.

        They hold a debater's words.
        """
        ledger = found.ledger
        if ledger is None:
            return self._say("not-looked-up", problem=found.problem)
        missing = {entry.text: entry for entry in ledger.entries if entry.status is CitationStatus.NOT_FOUND}
        lines = [
            self._say(
                "not-found",
                citation=one_line(entry.text, _CITATION_LENGTH),
                reason=one_line(entry.reason, _REASON_LENGTH),
            )
            for entry in list(missing.values())[:_MOST_NOT_FOUND]
        ]
        lines.append(self._counts(ledger))
        if ledger.left_out:
            lines.append(self._say("left-out", count=str(ledger.left_out)))
        room = MOST_LINES - len(lines)
        claims = (one_line(mask.masked(span.text).text, _CLAIM_LENGTH) for span in ledger.unsupported[:room])
        lines += [self._say("unsupported", claim=claim) for claim in claims]
        return "\n".join(lines)

    def _counts(self, ledger: Ledger) -> str:
        counts = {str(status): str(ledger.count(status)) for status in CitationStatus}
        return self._say("counts", **counts, unsupported=str(len(ledger.unsupported)))

    def _say(self, phrase: str, **values: str) -> str:
        return self._prompts.render(f"debate/ledger#{phrase}", values).strip()
