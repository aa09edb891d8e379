"""Asks of each seat: the prompt for models, the brief for consultants made of code.

A template of ``prompts/jury`` receives the blocks that it names. Text by other authors stands between fences.

The id of an ask is its place: ``opening.advocate`` and ``opening.advocate.2``, its second attempt; ``checklist.1``;
``rebuttal.1.skeptic``; ``verdict.1``; ``reconsider.1``.
"""

from collections.abc import Callable
from functools import cached_property

from msgspec import Struct

from sparring.engine.course import Attempt, DeferredAsk
from sparring.formats.jury.case import Case, listed
from sparring.formats.jury.replies import ComparisonForm, form_of
from sparring.formats.jury.statements import (
    DEBATERS,
    OPENING_ROUND,
    Contributions,
    carries_weight,
    not_compared,
    rests_on_nothing,
)
from sparring.formats.jury.verdict import CheckedVerdict, Objection
from sparring.prompts import PromptLibrary
from sparring.schema import base, claims, consultation, transcript
from sparring.schema import jury as schema


class _Step(Struct, frozen=True):
    template: str
    role: base.Role
    kind: transcript.TurnKind
    round: int
    label: str


class JuryAsks:
    """Words the asks when they are sent. A first attempt is passed if its answer had a fault."""

    def __init__(self, request: schema.JuryRequest, case: Case, prompts: PromptLibrary) -> None:
        self._request = request
        self._case = case
        self._prompts = prompts

    def opening(self, role: base.Role, first: Attempt[schema.Statement] | None) -> DeferredAsk:
        """The opening statement of a debater."""
        step = _Step(f"jury/{role}-opening", role, transcript.TurnKind.OPENING, OPENING_ROUND, "opening")
        return self._wanted(f"opening.{role}" + (".2" if first else ""), step, Contributions(), first)

    def checklist(self, first: Attempt[tuple[ComparisonForm, ...]] | None) -> DeferredAsk:
        """The Fact-Checker's comparison."""
        step = _Step(
            "jury/checklist", base.Role.FACT_CHECKER, transcript.TurnKind.CHECKLIST, OPENING_ROUND, "checklist"
        )
        return self._wanted(f"checklist.{2 if first else 1}", step, Contributions(), first)

    def rebuttal(
        self, role: base.Role, round_: int, contributions: Contributions, first: Attempt[schema.Statement] | None
    ) -> DeferredAsk:
        """The ask for a debater's answer to the statements before ``round_``."""
        number = round_ - OPENING_ROUND
        step = _Step(f"jury/{role}-rebuttal", role, transcript.TurnKind.REBUTTAL, round_, f"rebuttal {number}")
        return self._wanted(f"rebuttal.{number}.{role}" + (".2" if first else ""), step, contributions, first)

    def verdict(self, contributions: Contributions, first: Attempt[schema.JudgeVerdict] | None) -> DeferredAsk:
        """The ask for the judge's verdict on all statements."""
        return self._wanted(f"verdict.{2 if first else 1}", _bench("jury/verdict", contributions), contributions, first)

    def alone(self, number: int, first: Attempt[schema.JudgeVerdict] | None) -> DeferredAsk:
        """The ask for the verdict of a judge that reads no statements; ``number`` counts these judges from 0."""
        step, attempt = _bench("jury/verdict", Contributions()), 2 if first else 1

        def ask() -> transcript.Ask:
            prompt = self._prompt(step.template, Contributions())
            prompt += "\n" + self._phrase("again", problem=first.problem) if first else ""
            ask = self._ask(f"alone.{number + 1}.{attempt}", step, prompt, attempt=attempt)
            seat = self._request.alone[number]
            question = ask.question.model_copy(update={"model": seat.model})
            return ask.model_copy(update={"tool": seat.tool, "number": number + 1, "question": question})

        return DeferredAsk(f"alone.{number + 1}.{attempt}", ask)

    def reconsider(self, answer: str, judgement: CheckedVerdict, contributions: Contributions) -> DeferredAsk:
        """The ask for a new verdict from a judge to whose ``answer`` code objects."""
        id_, step = "reconsider.1", _bench("jury/reconsider", contributions, "verdict (reconsidered)")

        def ask() -> transcript.Ask:
            prompt = self._prompt("jury/verdict", contributions)
            return self._ask(id_, step, f"{prompt}\n{self._objected(answer, judgement)}")

        return DeferredAsk(id_, ask)

    def _wanted(
        self, id_: str, step: _Step, contributions: Contributions, first: Attempt[object] | None = None
    ) -> DeferredAsk:
        def ask() -> transcript.Ask:
            prompt = self._prompt(step.template, contributions)
            if first:
                prompt += "\n" + self._phrase("again", problem=first.problem)
            return self._ask(id_, step, prompt, attempt=2 if first else 1)

        return DeferredAsk(id_, ask)

    def _ask(self, id_: str, step: _Step, prompt: str, *, attempt: int = 1) -> transcript.Ask:
        request, seat = self._request, self._request.participant(step.role)
        brief = consultation.Brief(
            step=step.template,
            topic=request.claim,
            role=step.role,
            round=step.round,
            attempt=attempt,
            evidence=(request.truth,),
        )
        question = consultation.Question(
            prompt=prompt,
            stable=len(self._texts),
            brief=brief,
            effort=request.effort,
            model=seat.model,
            timeout_s=request.timeout_s,
            form=form_of(step.kind),
        )
        return transcript.Ask(
            id=id_,
            kind=step.kind,
            role=step.role,
            round=step.round,
            tool=seat.tool,
            attempt=attempt,
            label=step.label,
            question=question,
        )

    def _prompt(self, step: str, contributions: Contributions) -> str:
        """The prompt of ``step``, from the statements before it."""
        blocks: dict[str, Callable[[], str]] = {
            "case": lambda: self._texts,
            "form": lambda: self._phrase("form", language=self._request.language),
            "patterns": lambda: self._phrase("patterns"),
            "comparison": lambda: self._comparison,
            "checklist": lambda: self._checklist("checklist", contributions, *schema.ChecklistStatus),
            "mismatches": lambda: self._checklist("mismatches", contributions, schema.ChecklistStatus.MISMATCH),
            "matches": lambda: self._checklist("matches", contributions, schema.ChecklistStatus.MATCH),
            "statements": lambda: self._statements(contributions),
            "claim": lambda: self._request.claim,
            "language": lambda: self._request.language,
        }
        return self._prompts.render(step, {name: blocks[name]() for name in self._prompts.template(step).variables})

    def _objected(self, answer: str, judgement: CheckedVerdict) -> str:
        """Return the prompt with objections to ``judgement``, given the judge's ``answer``."""
        verdict = str(judgement.verdict.verdict)
        by_code = "\n".join(map(self._finding, self._case.check.critical_mismatches))
        by_checklist = "\n".join(map(self._entry, judgement.shown))
        values = {
            Objection.AGAINST_CODE: {"verdict": verdict, "findings": by_code},
            Objection.AGAINST_CHECKLIST: {"verdict": verdict, "findings": by_checklist},
        }
        objections = [
            self._phrase(f"objections#{objection}", **values.get(objection, {})) for objection in judgement.objections
        ]
        return self._phrase("reconsider", answer=answer, objections="\n\n".join(objections))

    @cached_property
    def _texts(self) -> str:
        request = self._request
        blocks = [self._phrase("case#texts", truth=request.truth, claim=request.claim)]
        if request.row_id:
            blocks.append(self._phrase("case#row", row_id=request.row_id))
        if request.dataset:
            blocks.append(self._phrase("case#dataset", dataset=request.dataset))
        return "\n\n".join(blocks)

    @cached_property
    def _comparison(self) -> str:
        compared = self._case.compared
        lines = [self._finding(finding) for finding in compared.check.findings]
        uncovered = compared.check.hints.uncovered
        if uncovered:
            lines.append(self._phrase("comparison#uncovered", words=listed(uncovered)))
        if compared.omitted:
            lines.append(self._phrase("comparison#omitted", words=listed(compared.omitted)))
        open_ = [each.pattern for each in compared.patterns if each.status is schema.PatternStatus.NOT_COMPARED]
        if open_:
            lines.append(self._phrase("comparison#open", patterns=", ".join(open_)))
        return self._phrase("comparison#found", findings="\n".join(lines))

    def _finding(self, finding: claims.Finding) -> str:
        values = {"dimension": str(finding.dimension), "claim": finding.claim.text}
        truth = finding.evidence.text if finding.evidence else ""
        status = self._case.compared.status(finding)
        if status is schema.PatternStatus.NOT_COMPARED:
            if not truth:
                return self._phrase("comparison#missing", **values)
            return self._phrase("comparison#not-compared", truth=truth, **values)
        if status is schema.PatternStatus.MATCH:
            return self._phrase("comparison#match", truth=truth, **values)
        values["severity"] = str(finding.severity)
        if truth == finding.claim.text:
            return self._phrase("comparison#mismatch-around", **values)
        return self._phrase("comparison#mismatch", truth=truth, **values)

    def _checklist(self, kind: str, contributions: Contributions, *wanted: schema.ChecklistStatus) -> str:
        if not contributions.checklist:
            return self._phrase("statement#no-checklist")
        entries = [self._entry(entry) for entry in contributions.checklist if entry.status in wanted]
        unread = not_compared(contributions.checklist)
        if kind == "checklist" and unread:
            entries.append(self._phrase("entries#unread", dimensions=", ".join(unread)))
        if not entries:
            return self._phrase(f"entries#no-{kind}")
        return self._phrase(f"entries#{kind}", entries="\n".join(entries))

    def _entry(self, entry: schema.ChecklistEntry) -> str:
        values = {"dimension": str(entry.dimension), "note": entry.note}
        if entry.status is schema.ChecklistStatus.ABSENT:
            return self._phrase("entries#absent", **values)
        values |= {"truth": self._phrases(entry.truth), "claim": self._phrases(entry.claim)}
        if entry.status is schema.ChecklistStatus.MATCH:
            return self._phrase("entries#match", **values)
        if not carries_weight(entry):
            return self._phrase("entries#weightless", **values)
        return self._phrase("entries#mismatch", severity=str(entry.severity), **values)

    def _phrases(self, phrases: tuple[schema.Phrase, ...]) -> str:
        if not phrases:
            return self._phrase("entries#no-phrase")
        shown: list[str] = []
        for phrase in phrases:
            name = "phrase" if phrase.span else "phrase-not-there"
            shown.append(self._phrase(f"entries#{name}", words=phrase.text))
        return ", ".join(shown)

    def _statements(self, contributions: Contributions) -> str:
        """Show the statements round by round; of a debater that was asked in vain, that it is silent."""
        blocks: list[str] = []
        for round_ in contributions.rounds:
            for role in DEBATERS:
                values = {"role": role.upper(), "round": str(round_)}
                statement = contributions.statement(role, round_)
                if statement:
                    marks = self._marks(statement)
                    blocks.append(self._phrase("statement#said", speech=statement.text, marks=marks, **values))
                elif contributions.was_asked(role, round_):
                    blocks.append(self._phrase("statement#silent", **values))
        return "\n\n".join(blocks)

    def _marks(self, statement: schema.Statement) -> str:
        """Return what code found of the quotes in a statement, as the lines below it."""
        missing = [phrase.text for phrase in statement.phrases if not phrase.span]
        if not statement.phrases:
            lookup = self._phrase("statement#unquoted")
        elif missing:
            lookup = self._phrase("statement#not-there", phrases="\n".join(missing))
        else:
            lookup = self._phrase("statement#all-there")
        if rests_on_nothing(statement):
            return f"{self._phrase('statement#on-nothing')}\n{lookup}"
        return lookup

    def _phrase(self, name: str, **values: str) -> str:
        return self._prompts.render(f"jury/{name}", values).strip()


def _bench(template: str, contributions: Contributions, label: str = "verdict") -> _Step:
    return _Step(template, base.Role.JUDGE, transcript.TurnKind.VERDICT, contributions.rounds[-1], label)
