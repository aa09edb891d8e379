"""The blocks that prompts are made of: the case, what code found, what was said and how much of it the texts hold.

A template of ``prompts/jury`` names the blocks it needs, and gets those. Whatever somebody else wrote stands between
fences.
"""

from collections.abc import Callable, Iterable

from sparring.formats.jury.checklist import carries_weight, matches, mismatches
from sparring.formats.jury.hearing import DEBATERS, Hearing, statement_ids
from sparring.formats.jury.objections import Objection
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.claims import Finding, Status
from sparring.schema.jury import ChecklistEntry, ChecklistStatus, JuryRequest, Phrase, Statement


class Showing:
    """Fills the templates of ``prompts/jury``."""

    def __init__(self, request: JuryRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._prompts = prompts

    def prompt(self, step: str, round_: int, hearing: Hearing) -> str:
        """The prompt of ``step``, from what was heard before ``round_``."""
        blocks: dict[str, Callable[[], str]] = {
            "case": self._case,
            "form": lambda: self._phrase("form", language=self._request.language),
            "patterns": lambda: self._phrase("patterns"),
            "comparison": lambda: self._comparison(hearing),
            "checklist": lambda: self._checklist("checklist", hearing.checklist, hearing),
            "mismatches": lambda: self._checklist("mismatches", mismatches(hearing.checklist), hearing),
            "matches": lambda: self._checklist("matches", matches(hearing.checklist), hearing),
            "statements": lambda: self._statements(hearing),
            "round": lambda: str(round_),
            "language": lambda: self._request.language,
        }
        return self._prompts.render(step, {name: blocks[name]() for name in self._prompts.template(step).variables})

    def again(self, problem: str) -> str:
        """That the same is asked once more, and why."""
        return self._phrase("again", problem=problem)

    def reconsider(self, answer: str, objection: Objection, hearing: Hearing) -> str:
        """That the judge's ``answer`` meets with ``objection``."""
        findings = {"findings": self._findings(hearing.case.check.critical_mismatches)}
        values = findings if objection is Objection.AGAINST_CODE else {}
        return self._phrase("reconsider", answer=answer, objection=self._phrase(f"objections#{objection}", **values))

    def _case(self) -> str:
        request = self._request
        blocks = [self._phrase("case#texts", truth=request.truth, claim=request.claim)]
        if request.row_id:
            blocks.append(self._phrase("case#row", row_id=request.row_id))
        if request.dataset:
            blocks.append(self._phrase("case#dataset", dataset=request.dataset))
        return "\n\n".join(blocks)

    def _comparison(self, hearing: Hearing) -> str:
        findings = hearing.case.check.findings
        if not findings:
            return self._phrase("comparison#nothing")
        return self._phrase("comparison#found", findings=self._findings(findings))

    def _findings(self, findings: Iterable[Finding]) -> str:
        return "\n".join(self._finding(finding) for finding in findings)

    def _finding(self, finding: Finding) -> str:
        values = {"dimension": str(finding.dimension), "claim": finding.claim.text}
        truth = finding.evidence.text if finding.evidence else ""
        if finding.status is Status.MISSING:
            return self._phrase("comparison#missing", **values)
        if finding.status is Status.MATCH:
            return self._phrase("comparison#match", truth=truth, **values)
        values["severity"] = str(finding.severity)
        if truth == finding.claim.text:
            return self._phrase("comparison#mismatch-around", **values)
        return self._phrase("comparison#mismatch", truth=truth, **values)

    def _checklist(self, kind: str, entries: tuple[ChecklistEntry, ...], hearing: Hearing) -> str:
        if not hearing.checklist:
            return self._phrase("statement#no-checklist")
        if not entries:
            return self._phrase(f"entries#no-{kind}")
        return self._phrase(f"entries#{kind}", entries="\n".join(self._entry(entry) for entry in entries))

    def _entry(self, entry: ChecklistEntry) -> str:
        values = {"dimension": str(entry.dimension), "note": entry.note}
        if entry.status is ChecklistStatus.ABSENT:
            return self._phrase("entries#absent", **values)
        values |= {"truth": self._phrases(entry.truth), "claim": self._phrases(entry.claim)}
        if entry.status is ChecklistStatus.MATCH:
            return self._phrase("entries#match", **values)
        if not carries_weight(entry):
            return self._phrase("entries#weightless", **values)
        return self._phrase("entries#mismatch", severity=str(entry.severity), **values)

    def _phrases(self, phrases: tuple[Phrase, ...]) -> str:
        shown = (
            self._phrase("entries#phrase" if each.span else "entries#phrase-not-there", words=each.text)
            for each in phrases
        )
        return ", ".join(shown) or self._phrase("entries#no-phrase")

    def _statements(self, hearing: Hearing) -> str:
        places = ((role, round_) for round_ in hearing.rounds for role in DEBATERS)
        return "\n\n".join(block for role, round_ in places if (block := self._statement(role, round_, hearing)))

    def _statement(self, role: Role, round_: int, hearing: Hearing) -> str:
        values = {"role": role.upper(), "round": str(round_)}
        if said := hearing.statement(role, round_):
            return self._phrase("statement#said", speech=said.text, marks=self._marks(said), **values)
        was_asked = hearing.turn(statement_ids(role, round_)[0]) is not None
        return self._phrase("statement#silent", **values) if was_asked else ""

    def _marks(self, said: Statement) -> str:
        if not said.phrases:
            return self._phrase("statement#unquoted")
        if lost := [phrase.text for phrase in said.phrases if not phrase.span]:
            return self._phrase("statement#not-there", phrases="\n".join(lost))
        return self._phrase("statement#all-there")

    def _phrase(self, name: str, **values: str) -> str:
        return self._prompts.render(f"jury/{name}", values).strip()
