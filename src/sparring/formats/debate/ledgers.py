"""What a speech cites: code is asked after every speech, and everybody concerned is shown what it has found.

That there is no ledger ends nothing; it is told, and whoever would have seen it is told as well.
"""

from pydantic import ValidationError

from sparring.formats.debate.blinding import Mask
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.citations import CitationStatus
from sparring.schema.consultation import Brief, Question, Speech
from sparring.schema.debate import Side, SpeechLedger
from sparring.schema.ledger import LEDGER_STEP, Ledger
from sparring.schema.participants import CITATION_CHECKER
from sparring.schema.transcript import Ask, Transcript, TurnKind
from sparring.text.tidying import one_line

CHECK_TIMEOUT_S = 30.0

MOST_LINES = 10
"""Lines of a ledger that a prompt shows. A speaker who sees more answers the list instead of the argument."""

_MOST_NOT_FOUND = 6
_NO_MASK = Mask({})
_CITATION_LENGTH, _REASON_LENGTH, _CLAIM_LENGTH = 160, 160, 200


def ledger_id(round_: int, role: Role) -> str:
    """Id of the ask for what one speech cites."""
    return f"r{round_}.{role}.ledger"


def ledger_ask(speech: Speech) -> Ask:
    """The ask for what ``speech`` cites."""
    brief = Brief(step=LEDGER_STEP, topic="citations", role=Role.VERIFIER, round=speech.round, speeches=(speech,))
    return Ask(
        id=ledger_id(speech.round, speech.role),
        kind=TurnKind.CITATIONS,
        role=Role.VERIFIER,
        round=speech.round,
        tool=CITATION_CHECKER,
        question=Question(prompt=LEDGER_STEP, brief=brief, timeout_s=CHECK_TIMEOUT_S),
    )


def read_ledger(round_: int, role: Side, transcript: Transcript) -> SpeechLedger | None:
    """What the speech of ``role`` in ``round_`` cites, or why that is not known; None when nobody was asked."""
    turn = transcript.turn(ledger_id(round_, role))
    if turn is None:
        return None
    if turn.failure:
        problem = f"{turn.failure.code}: {turn.failure.detail.rstrip('.')}"
        return SpeechLedger(round=round_, role=role, problem=problem)
    try:
        ledger = Ledger.model_validate_json(turn.answer.response if turn.answer else "")
    except ValidationError:
        return SpeechLedger(round=round_, role=role, problem="parse: the finding is no ledger")
    return SpeechLedger(round=round_, role=role, ledger=ledger)


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

    def judged(self, found: SpeechLedger, mask: Mask) -> str:
        """For the judge, who is not to see who made the speech."""
        return self._say("judged", findings=self.findings(found, mask))

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
