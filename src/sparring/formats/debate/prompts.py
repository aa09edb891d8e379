"""Asks of debaters and summarizer, by round and role: the prompt for models, the brief for code.

A prompt has the question first and last. It begins with the part that is identical, byte for byte, for both sides and
the judges: the question and the exhibits. The seat follows, then the transcript so far, and last the task of this
round. So a provider can take the beginning of a prompt from its cache.

Earlier rounds in a debater's prompt (specification: seed 004, Context Assembly): before rounds 1 and 2 all speeches
in full; before round N from 3 on a summary of rounds 1..N-2, then round N-1 in full. The findings of code about
citations stand below each speech.

A summary is a turn like any other. The first judge's tool is asked for it at the same time as the proposer's speech of
the round before, when all speeches that it covers exist, so that it delays no turn; a second attempt runs at the same
time as the challenger's speech. Code checks the citations of a speech after every speech.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from sparring.engine.course import DeferredAsk, citations_wanted
from sparring.formats.debate.marks import SUPPLEMENT
from sparring.formats.debate.replies import form_of
from sparring.formats.debate.rulebook import (
    FIRST_SUMMARIZED_ROUND,
    IN_WORDS,
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


class Prompt(Struct, frozen=True):
    """The prompt of a model; its first ``stable`` characters stand at the beginning of all prompts of that seat.

    ``form`` is the requested JSON form, if any.
    """

    text: str
    stable: int = 0
    form: RequestedForm | None = None

    def followed_by(self, more: str) -> "Prompt":
        """With ``more``, if there is any, at the end."""
        return replace(self, text=f"{self.text}\n{more}") if more else self


class ShownSpeech(Struct, frozen=True):
    """A speech as a reader is shown it: speaker, words, and the findings below it."""

    round: int
    speaker: str
    text: str
    remarks: str = ""


class DebatePrompts:
    """Words the asks of debaters, judges and summarizers."""

    def __init__(self, request: debate.DebateRequest, library: PromptLibrary) -> None:
        self._request = request
        self._library = library

    def speech(self, round_: int, role: Role, state: DebateState) -> Prompt:
        """Return the prompt of ``role`` for its speech in ``round_``, after ``state``."""
        values = {"topic": self._request.topic, "round": str(round_), "previous_round": str(round_ - 1)}
        name = f"debate/task#{self.step(round_, role)}"
        # The tasks of different kinds of speech declare different variables.
        declared = self._library.template(name).variables
        task = self._library.render(name, {variable: values[variable] for variable in declared})
        transcript = self._transcript(round_, state) if state.speeches else ""
        return _joined(self._seats[role], (transcript, task))

    def judging(self, shown: Iterable[ShownSpeech], rounds: int, order: Order) -> Prompt:
        """For a judge: the speeches ``shown``, of so many completed rounds, in that order."""
        transcript = self.phrase("transcript#full", exchanges=self._exchanges(shown))
        form = "first" if order is Order.PROPOSER_FIRST else "second"
        task = self.phrase(f"synthesis#{form}", topic=self._request.topic, rounds=str(rounds))
        return replace(_joined(self._seats[Role.JUDGE], (transcript, task)), form=form_of(order))

    def summary(self, target: int, state: DebateState) -> Prompt:
        """For the summary that precedes round ``target``: made from the previous summary and the round since.

        Without a usable previous summary it is made from all speeches.
        """
        last_round = target - 2
        first_round, before = 1, ""
        previous = summary_before(target - 1, state)
        if previous:
            first_round = last_round
            before = self.phrase("summary#before", last_round=str(target - 3), summary=previous.text) + "\n\n"
        speeches = [
            ShownSpeech(speech.round, speech.role.capitalize(), speech.text)
            for speech in state.up_to(last_round).speeches
            if speech.round >= first_round
        ]
        values = {
            "topic": self._request.topic,
            "last_round": str(last_round),
            "before": before,
            "exchanges": self._exchanges(speeches),
        }
        return Prompt(self._library.render("debate/summary#task", values))

    def again(self, problem: str) -> str:
        """Return the text to append to a prompt whose first answer had that ``problem``; empty without one."""
        return self._library.render("debate/again", {"problem": problem}) if problem else ""

    def returned(self, speech: str, rules: Iterable[debate.SpeechRule], *, is_whole: bool) -> str:
        """Return the end of the prompt for a speech that breaks ``rules``: it asks for lines, or for a new speech."""
        lines = "\n".join(self.phrase(f"returned#{rule}") for rule in rules if rule is not debate.SpeechRule.NEW)
        values = {"lines": lines, "topic": self._request.topic}
        if is_whole:  # without the speech: it adds nothing, and models imitate what they are shown
            return self._library.render("debate/returned#whole", values)
        return self._library.render("debate/returned#line", {**values, "speech": speech})

    @cached_property
    def base(self) -> str:
        """Common beginning of all prompts of speakers and judges, equal to the byte."""
        shown = [
            self.phrase("exhibits#one", name=one_line(exhibit.name, _NAME_LENGTH), lines=_numbered(exhibit))
            for exhibit in self._request.shown
        ]
        exhibits = self.phrase("exhibits#all", exhibits="\n\n".join(shown)) + "\n\n" if shown else ""
        return self._library.render("debate/base", {"topic": self._request.topic, "exhibits": exhibits})

    @cached_property
    def _seats(self) -> Mapping[Role, str]:
        """The beginning of each seat's prompts: the common one, then the part of the seat."""
        parts = {role: self.phrase(f"seat#{role}", sight=self._sight(role)) for role in debate.SPEAKING_ORDER}
        parts |= {Role.JUDGE: self.phrase("synthesis#seat")}
        return {role: f"{self.base}\n{part}\n" for role, part in parts.items()}

    def _sight(self, role: Role) -> str:
        """Return what that seat can cite; the calling agent has tools of its own."""
        if self._request.reads(role):
            return self.phrase("seat#reads")
        return self.phrase("seat#shown" if self._request.shown else "seat#unseen")

    def step(self, round_: int, role: Role) -> str:
        """Return the kind of speech that is due, e.g. ``follow-up``."""
        if round_ == 1 and role is Role.CHALLENGER and self._request.blind_openings:
            return "blind-opening"
        return KINDS[round_ == 1, role].replace("_", "-")

    def _transcript(self, round_: int, state: DebateState) -> str:
        """Return the transcript so far as it is shown in ``round_``.

        Without a usable summary the full text is shown: this costs only tokens.
        """
        summary = summary_before(round_, state)
        first_round = 1 if summary is None else round_ - 1
        speeches = [
            ShownSpeech(speech.round, speech.role.capitalize(), speech.text, self.remarks(speech, state))
            for speech in state.speeches
            if speech.round >= first_round
        ]
        exchanges = self._exchanges(speeches)
        if summary is None:
            return self.phrase("transcript#full", exchanges=exchanges)
        last = str(round_ - 2)
        return self.phrase(
            "transcript#summarized", last_summarized_round=last, summary=summary.text, exchanges=exchanges
        )

    def _exchanges(self, shown: Iterable[ShownSpeech]) -> str:
        speeches = [
            self.phrase(
                "transcript#speech",
                round=str(speech.round),
                speaker=speech.speaker,
                speech=speech.text,
                remarks=speech.remarks,
            )
            for speech in shown
        ]
        return "\n\n".join(speeches)

    def remarks(self, speech: consultation.Speech, state: DebateState, mask: Mask = _NO_MASK) -> str:
        """Return the lines below ``speech``: the findings of code on its citations, and the rules that it still breaks.

        Words of a debater stand between fences.
        """
        ledger = state.ledger(speech.round, speech.role)
        if ledger is None:
            return ""
        remarks = [self._counts(ledger)]
        findings = self._findings(ledger, mask)
        if findings:
            remarks.append(self.phrase("ledger#findings", findings="\n".join(findings)))
        broken = state.breaks(speech.round, speech.role)
        remarks += [self.phrase("ledger#breaks", rule=IN_WORDS[rule]) for rule in broken]
        return "\n".join(remarks)

    def _counts(self, cited: debate.SpeechLedger) -> str:
        ledger = cited.ledger
        if ledger is None:
            return self.phrase("ledger#not-looked-up", problem=cited.problem)
        counts = {status.counted: ledger.count(status) for status in lookups.CitationStatus}
        listed = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        return self.phrase("ledger#counts", counts=listed) if listed else self.phrase("ledger#nothing")

    def _findings(self, cited: debate.SpeechLedger, mask: Mask) -> list[str]:
        """The lines: citations that were not found and why, those not looked up, and claims that cite nothing.

        If a speaker could see nothing of a project, claims that cite nothing are not listed: there was nothing to
        cite.
        """
        ledger = cited.ledger
        if ledger is None:
            return []
        missing = {entry.text: entry for entry in ledger.entries if entry.status is lookups.CitationStatus.NOT_FOUND}
        lines = [
            self.phrase(
                "ledger#not-found",
                citation=one_line(entry.text, _CITATION_LENGTH),
                reason=one_line(entry.reason, _REASON_LENGTH),
            )
            for entry in list(missing.values())[:_MOST_MISSING]
        ]
        if ledger.left_out:
            lines.append(self.phrase("ledger#left-out", count=str(ledger.left_out)))
        if not self._request.could_cite(cited.role):
            return lines
        room = MOST_LINES - len(lines)
        for span in ledger.unsupported[:room]:
            claim = one_line(mask.masked(span.text).text, _CLAIM_LENGTH)
            lines.append(self.phrase("ledger#unsupported", claim=claim))
        return lines

    def phrase(self, phrase: str, **values: str) -> str:
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
    """The ask with that id and place: ``prompt``, made from the template ``step``, for ``model``.

    ``speeches`` are the sources of the prompt; ``name`` distinguishes asks of the same step.
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


def ledger_wanted(speech: consultation.Speech, request: debate.DebateRequest) -> DeferredAsk:
    """Build the ask for a citation check of ``speech``."""
    label = f"round {speech.round}/{request.rounds}, citations"
    return _citations(f"r{speech.round}.{speech.role}.ledger", speech, label, request.shown)


def verdict_ledger_wanted(
    part: debate.VerdictPart, text: str, completed: int, request: debate.DebateRequest
) -> DeferredAsk:
    """Build the ask for a citation check of ``text``, a part of the verdict on ``completed`` rounds."""
    speech = consultation.Speech(role=Role.JUDGE, round=completed, text=text)
    return _citations(f"verdict.{part}.ledger", speech, f"{part}, citations", request.shown)


def _citations(
    id_: str, speech: consultation.Speech, label: str, exhibits: tuple[consultation.Exhibit, ...]
) -> DeferredAsk:
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

    def again(self, turn: transcript.Turn, rules: Sequence[debate.SpeechRule], state: DebateState) -> DeferredAsk:
        """Return the ask for the missing lines of the speech of ``turn``, or for a new one if it repeats itself.

        ``state`` is everything before it.
        """
        is_whole = debate.SpeechRule.NEW in rules
        speech = turn.answer.response if turn.answer else ""
        returned = self._prompts.returned(speech, rules, is_whole=is_whole)
        ending = ".2" if is_whole else SUPPLEMENT
        return self.speech(turn.round, turn.role, state, returned=returned, ending=ending)

    def speech(
        self, round_: int, role: Role, state: DebateState, *, returned: str = "", ending: str = ""
    ) -> DeferredAsk:
        """The ask for the speech of ``role`` in ``round_``; all speeches that it answers exist.

        ``returned`` describes the defects of an earlier attempt, and ``ending`` ends the id of the ask.
        """
        step = f"debate/{self._prompts.step(round_, role)}"
        kind = KINDS[round_ == 1, role]
        if kind is transcript.TurnKind.RESPONSE and self._request.blind_openings:
            kind = transcript.TurnKind.OPENING
        id_ = f"r{round_}.{role}{ending}"
        seat = self._request.participant(role)
        label = f"round {round_}/{self._request.rounds}"

        def ask() -> transcript.Ask:
            prompt = self._prompts.speech(round_, role, state).followed_by(returned)
            attempt = 2 if returned else 1
            placed = transcript.Placed(kind=kind, role=role, round=round_, tool=seat.tool, attempt=attempt, label=label)
            return ask_of(self._request, id_, step, placed, prompt, state.speeches, model=seat.model)

        return DeferredAsk(id_, ask)

    def summary(self, speaking_round: int, state: DebateState) -> tuple[DeferredAsk, ...]:
        """The ask for a summary during a speech of ``speaking_round``, if the next round needs one."""
        target = speaking_round + 1
        if not FIRST_SUMMARIZED_ROUND <= target <= self._request.rounds:
            return ()
        attempts = [turn for turn in state.summaries if turn.round == target]
        if not attempts:
            return (self._summary(target, state, problem=""),)
        if len(attempts) > 1 or attempts[0].answer is None:
            return ()  # asked twice, or failed: the debaters are shown the full text
        problem = summary_problem(attempts[0].answer.response, covered_by_summary(target, state))
        return (self._summary(target, state, problem=problem),) if problem else ()

    def _summary(self, target: int, state: DebateState, *, problem: str) -> DeferredAsk:
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

        return DeferredAsk(id_, ask)
