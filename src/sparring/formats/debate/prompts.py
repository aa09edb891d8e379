"""Asks of debaters and summarizer, by round and role: the prompt for models, the brief for code.

A prompt has the question first and last. It begins with what both sides and the judges share byte for byte, the
question and the exhibits, then names the seat. After that comes what was said so far, and last the task of this round
alone. So the beginning of a prompt can be taken from a provider's cache.

What a debater is shown of earlier rounds (specification: seed 004, Context Assembly): before rounds 1 and 2
everything, in full; before round N from 3 on a summary of rounds 1..N-2, then round N-1 in full. Below each speech
stands what code found about what it cites.

A summary is a turn like any other: it is asked of the first judge's tool together with the proposer's speech of the
round before, when all that it covers has been said, so that nobody waits for it, and for the second time beside the
challenger's speech. Code is asked after every speech what that cites.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sparring.engine.course import Wanted, citations_wanted
from sparring.formats.debate.marks import SUPPLEMENT
from sparring.formats.debate.replies import form_of
from sparring.formats.debate.rulebook import (
    FIRST_SUMMARIZED_ROUND,
    IN_WORDS,
    SECTIONS,
    covered_by_summary,
    summary_before,
    summary_problem,
)
from sparring.formats.debate.speeches import DebateState, Mask
from sparring.prompts import PromptLibrary
from sparring.schema import consultation, debate, lookups, transcript
from sparring.schema.base import Role
from sparring.schema.forms import RequestedForm
from sparring.schema.judgement import Order
from sparring.text.tidying import one_line

KINDS = {
    (True, Role.PROPOSER): transcript.TurnKind.OPENING,
    (True, Role.CHALLENGER): transcript.TurnKind.RESPONSE,
    (False, Role.PROPOSER): transcript.TurnKind.DEFENSE,
    (False, Role.CHALLENGER): transcript.TurnKind.FOLLOW_UP,
}
"""(first round?, role) to the kind of speech."""

MOST_LINES = 10
"""Lines of a ledger that a prompt shows. A speaker who sees more answers the list instead of the argument."""

_MOST_MISSING = 6
_NO_MASK = Mask({})
_CITATION_LENGTH, _REASON_LENGTH, _CLAIM_LENGTH, _NAME_LENGTH = 160, 160, 200, 200


@dataclass(frozen=True)
class Prompt:
    """The prompt of a model; its first ``stable`` characters stand at the beginning of all prompts of that seat.

    ``form`` is what it asks for, if that is JSON.
    """

    text: str
    stable: int = 0
    form: RequestedForm | None = None

    def followed_by(self, more: str) -> "Prompt":
        """With ``more``, if there is any, at the end."""
        return replace(self, text=f"{self.text}\n{more}") if more else self


@dataclass(frozen=True)
class HeardSpeech:
    """A speech as a reader is shown it: by whom, in which words, and what stands below it."""

    round: int
    speaker: str
    text: str
    remarks: str = ""


class DebatePrompts:
    """Words what is asked of debaters, judges, and whoever makes the summaries."""

    def __init__(self, request: debate.DebateRequest, library: PromptLibrary) -> None:
        self._request = request
        self._library = library

    def speech(self, round_: int, role: Role, state: DebateState) -> Prompt:
        """Return the prompt of ``role`` for its speech in ``round_``, after ``state``."""
        values = {"topic": self._request.topic, "round": str(round_), "previous_round": str(round_ - 1)}
        phrase = f"debate/task#{self.step(round_, role)}"
        task = self._library.render(phrase, {name: values[name] for name in self._library.template(phrase).variables})
        return _joined(self._seats[role], (self._transcript(round_, state) if state.speeches else "", task))

    def judging(self, heard: Iterable[HeardSpeech], rounds: int, order: Order) -> Prompt:
        """For a judge who is shown ``heard``, of so many completed rounds, in that order."""
        transcript = self.say("transcript#full", exchanges=self._exchanges(heard))
        form = "first" if order is Order.PROPOSER_FIRST else "second"
        task = self.say(f"synthesis#{form}", topic=self._request.topic, rounds=str(rounds))
        return replace(_joined(self._seats[Role.JUDGE], (transcript, task)), form=form_of(order))

    def summary(self, target: int, state: DebateState) -> Prompt:
        """For the summary that stands before round ``target``: made from the one before and the round since.

        Where there is no usable one before, it is made from all speeches.
        """
        before = summary_before(target - 1, state)
        since = 1 if before is None else target - 2
        speeches = [speech for speech in state.up_to(target - 2).speeches if speech.round >= since]
        values = {
            "topic": self._request.topic,
            "last_round": str(target - 2),
            "before": self._before(target, before.text) if before else "",
            "exchanges": self._exchanges(
                HeardSpeech(each.round, each.role.capitalize(), each.text) for each in speeches
            ),
        }
        return Prompt(self._library.render("debate/summary#task", values))

    def _before(self, target: int, summary: str) -> str:
        return self.say("summary#before", last_round=str(target - 3), summary=summary) + "\n\n"

    def again(self, problem: str) -> str:
        """Return the text that follows a prompt whose first answer had that ``problem``; empty if there is none."""
        return self._library.render("debate/again", {"problem": problem}) if problem else ""

    def returned(self, speech: str, rules: Iterable[debate.SpeechRule], *, is_whole: bool) -> str:
        """Return the end of the prompt of a speech that breaks ``rules``: it asks for lines, or for all anew."""
        missing = [each for each in rules if each is not debate.SpeechRule.NEW]
        lines = "\n".join(self.say(f"returned#{rule}") for rule in missing)
        values = {"lines": lines, "topic": self._request.topic}
        if is_whole:  # without the speech: it says nothing new, and models imitate what they are shown
            return self._library.render("debate/returned#whole", values)
        return self._library.render("debate/returned#line", {**values, "speech": speech})

    @cached_property
    def base(self) -> str:
        """Common beginning of all prompts of speakers and judges, equal to the byte."""
        shown = [
            self.say("exhibits#one", name=one_line(each.name, _NAME_LENGTH), lines=_numbered(each))
            for each in self._request.shown
        ]
        exhibits = self.say("exhibits#all", exhibits="\n\n".join(shown)) + "\n\n" if shown else ""
        return self._library.render("debate/base", {"topic": self._request.topic, "exhibits": exhibits})

    @cached_property
    def _seats(self) -> Mapping[Role, str]:
        return {role: f"{self.base}\n{self._seat(role)}\n" for role in (Role.PROPOSER, Role.CHALLENGER, Role.JUDGE)}

    def _seat(self, role: Role) -> str:
        return self.say("synthesis#seat") if role is Role.JUDGE else self.say(f"seat#{role}", sight=self._sight(role))

    def _sight(self, role: Role) -> str:
        """Return what that seat can cite; the calling agent has tools of its own."""
        if self._request.reads(role):
            return self.say("seat#reads")
        return self.say("seat#shown" if self._request.shown else "seat#unseen")

    def step(self, round_: int, role: Role) -> str:
        """Return the kind of speech that is due, e.g. ``follow-up``."""
        if round_ == 1 and role is Role.CHALLENGER and self._request.blind_openings:
            return "blind-opening"
        return KINDS[round_ == 1, role].replace("_", "-")

    def _transcript(self, round_: int, state: DebateState) -> str:
        """Return the transcript so far, as ``round_`` is shown it.

        Where no usable summary could be had, the full text stands in its place: nothing is lost but tokens.
        """
        summary = summary_before(round_, state)
        since = 1 if summary is None else round_ - 1
        exchanges = self._exchanges(
            HeardSpeech(each.round, each.role.capitalize(), each.text, self.remarks(each, state))
            for each in state.speeches
            if each.round >= since
        )
        if summary is None:
            return self.say("transcript#full", exchanges=exchanges)
        last = str(round_ - 2)
        return self.say("transcript#summarized", last_summarized_round=last, summary=summary.text, exchanges=exchanges)

    def _exchanges(self, heard: Iterable[HeardSpeech]) -> str:
        return "\n\n".join(
            self.say(
                "transcript#speech", round=str(each.round), speaker=each.speaker, speech=each.text, found=each.remarks
            )
            for each in heard
        )

    def remarks(self, speech: consultation.Speech, state: DebateState, mask: Mask = _NO_MASK) -> str:
        """Return the lines below ``speech``: the findings of code on its citations, and the rules that it still breaks.

        What has words of a debater stands between fences.
        """
        ledger, broken = state.ledger(speech.round, speech.role), state.breaks(speech.round, speech.role)
        if ledger is None:
            return ""
        findings = self._findings(ledger, mask)
        listed = [self.say("ledger#findings", findings="\n".join(findings))] if findings else []
        return "\n".join(
            (self._counts(ledger), *listed, *(self.say("ledger#breaks", rule=IN_WORDS[rule]) for rule in broken))
        )

    def _counts(self, cited: debate.SpeechLedger) -> str:
        ledger = cited.ledger
        if ledger is None:
            return self.say("ledger#not-looked-up", problem=cited.problem)
        counts = ((ledger.count(status), status.counted) for status in lookups.CitationStatus)
        listed = ", ".join(f"{count} {status}" for count, status in counts if count)
        return self.say("ledger#counts", counts=listed) if listed else self.say("ledger#nothing")

    def _findings(self, cited: debate.SpeechLedger, mask: Mask) -> list[str]:
        """The lines: what was not found and why, what was not looked up, what cites nothing.

        Where a speaker could see nothing of a project, claims that cite nothing are not listed: there was nothing to
        cite.
        """
        ledger = cited.ledger
        if ledger is None:
            return []
        missing = {entry.text: entry for entry in ledger.entries if entry.status is lookups.CitationStatus.NOT_FOUND}
        lines = [
            self.say(
                "ledger#not-found",
                citation=one_line(entry.text, _CITATION_LENGTH),
                reason=one_line(entry.reason, _REASON_LENGTH),
            )
            for entry in list(missing.values())[:_MOST_MISSING]
        ]
        if ledger.left_out:
            lines.append(self.say("ledger#left-out", count=str(ledger.left_out)))
        if not self._request.could_cite(cited.role):
            return lines
        room = MOST_LINES - len(lines)
        claims = (one_line(mask.masked(span.text).text, _CLAIM_LENGTH) for span in ledger.unsupported[:room])
        return lines + [self.say("ledger#unsupported", claim=claim) for claim in claims]

    def say(self, phrase: str, **values: str) -> str:
        """A phrase of ``prompts/debate``."""
        return self._library.render(f"debate/{phrase}", values).strip()


def _numbered(exhibit: consultation.Exhibit) -> str:
    """Its lines, each behind its number in the file."""
    width = len(str(exhibit.last))
    lines = exhibit.text.removesuffix("\n").split("\n")  # a form feed ends no line where citations are looked up
    return "\n".join(f"{number:>{width}}  {line}".rstrip() for number, line in enumerate(lines, exhibit.first))


def _joined(stable: str, rest: Iterable[str]) -> Prompt:
    return Prompt("\n".join([stable, *(f"{part}\n" for part in rest if part)]), len(stable))


def ask_of(
    request: debate.DebateRequest,
    id_: str,
    step: str,
    placed: transcript.Placed,
    prompt: Prompt,
    speeches: tuple[consultation.Speech, ...],
    *,
    model: str | None,
    name: str = "",
) -> transcript.Ask:
    """The ask of that id, in its place, that puts ``prompt``, which was made from the template ``step``, to ``model``.

    ``speeches`` is what the prompt was made from; ``name`` says which of several things it asks.
    """
    brief = consultation.Brief(
        step=step,
        topic=request.topic,
        role=placed.role,
        round=placed.round,
        attempt=placed.attempt,
        speeches=speeches,
        name=name,
    )
    question = consultation.Question(
        prompt=prompt.text,
        stable=prompt.stable,
        brief=brief,
        effort=request.effort,
        model=model,
        timeout_s=request.timeout_s,
        repo_access=request.access(placed.role),
        form=prompt.form,
    )
    return transcript.Ask(id=id_, question=question, **placed.place)


def ledger_wanted(speech: consultation.Speech, request: debate.DebateRequest) -> Wanted:
    """Build the ask for a citation check of ``speech``."""
    label = f"round {speech.round}/{request.rounds}, citations"
    return _citations(f"r{speech.round}.{speech.role}.ledger", speech, label, request.shown)


def verdict_ledger_wanted(part: debate.VerdictPart, text: str, completed: int, request: debate.DebateRequest) -> Wanted:
    """Build the ask for a citation check of ``text``, a part of the verdict on ``completed`` rounds."""
    speech = consultation.Speech(role=Role.JUDGE, round=completed, text=text)
    return _citations(f"verdict.{part}.ledger", speech, f"{part}, citations", request.shown)


def _citations(id_: str, speech: consultation.Speech, label: str, exhibits: tuple[consultation.Exhibit, ...]) -> Wanted:
    brief = consultation.Brief(
        step=lookups.LEDGER_STEP,
        topic="citations",
        role=Role.VERIFIER,
        round=speech.round,
        speeches=(speech,),
        exhibits=exhibits,
    )
    return citations_wanted(id_, label, brief)


class DebateAsks:
    """Asks of the debaters and of the summarizer."""

    def __init__(self, request: debate.DebateRequest, prompts: DebatePrompts) -> None:
        self._request = request
        self._prompts = prompts

    def again(self, turn: transcript.Turn, rules: Sequence[debate.SpeechRule], state: DebateState) -> Wanted:
        """Return the ask for what the speech of ``turn`` lacks, or for all of it where it repeats itself.

        ``state`` is all that precedes it.
        """
        is_whole = debate.SpeechRule.NEW in rules
        speech = turn.answer.response if turn.answer else ""
        returned = self._prompts.returned(speech, rules, is_whole=is_whole)
        ending = ".2" if is_whole else SUPPLEMENT
        return self.speech(turn.round, turn.role, state, returned=returned, ending=ending)

    def speech(self, round_: int, role: Role, state: DebateState, *, returned: str = "", ending: str = "") -> Wanted:
        """The speech of ``role`` in ``round_``; all that it answers has been said.

        ``returned`` tells what is wrong with an earlier attempt, and ``ending`` ends the id of the ask for it.
        """
        step, kind = f"debate/{self._prompts.step(round_, role)}", KINDS[round_ == 1, role]
        if kind is transcript.TurnKind.RESPONSE and self._request.blind_openings:
            kind = transcript.TurnKind.OPENING
        id_, seat = f"r{round_}.{role}{ending}", self._request.participant(role)
        label = f"round {round_}/{self._request.rounds}"

        def ask() -> transcript.Ask:
            prompt = self._prompts.speech(round_, role, state).followed_by(returned)
            attempt = 2 if returned else 1
            placed = transcript.Placed(kind=kind, role=role, round=round_, tool=seat.tool, attempt=attempt, label=label)
            return ask_of(self._request, id_, step, placed, prompt, state.speeches, model=seat.model)

        return Wanted(id_, ask)

    def summary(self, speaking_round: int, state: DebateState) -> tuple[Wanted, ...]:
        """The summary to be asked for beside a speech of ``speaking_round``, if the next round needs one."""
        target = speaking_round + 1
        if not FIRST_SUMMARIZED_ROUND <= target <= self._request.rounds:
            return ()
        attempts = [turn for turn in state.summaries if turn.round == target]
        if not attempts:
            return (self._summary(target, state, problem=""),)
        answer = attempts[0].answer
        is_first = answer is not None and len(attempts) == 1
        problem = summary_problem(answer.response, covered_by_summary(target, state)) if answer and is_first else ""
        return (self._summary(target, state, problem=problem),) if problem else ()

    def _summary(self, target: int, state: DebateState, *, problem: str) -> Wanted:
        attempt = 2 if problem else 1
        id_ = f"r{target}.summary.{attempt}"

        def ask() -> transcript.Ask:
            covered = state.up_to(target - 2).speeches
            prompt = self._prompts.summary(target, state).followed_by(self._prompts.again(problem))
            judge = self._request.judge
            placed = transcript.Placed(
                kind=transcript.TurnKind.SUMMARY,
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


def usual_answer(ask: transcript.Ask, place: int) -> str:  # noqa: ARG001 -- whoever is asked
    """Return an answer of usual length and form, for the estimate."""
    if ask.kind is transcript.TurnKind.SUMMARY:
        return "\n".join(f"## {section}\n{_USUAL_SECTION}" for section in SECTIONS)
    if ask.kind is transcript.TurnKind.CITATIONS:
        return lookups.CitationLedger().model_dump_json()
    return f"Flaw: {_USUAL_SPEECH}in {ask.id}.\nAlternative: another one."
