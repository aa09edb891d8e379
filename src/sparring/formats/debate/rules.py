"""What comes next in a debate.

The order of the asks is the whole state: an ask's id says its place (``r2.proposer``, ``r3.summary.1``,
``synthesis.1``), and whether it was answered is looked up in the transcript.
"""

from sparring.formats import Asks
from sparring.formats.debate import endings
from sparring.formats.debate.context import Context
from sparring.formats.debate.judging import Judging
from sparring.formats.debate.speeches import Speeches, speech_id
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.debate import SPEAKING_ORDER, DebateOutcome, DebateRequest, Verdict
from sparring.schema.transcript import Transcript, Turn


class Debate:
    """The rules of one debate; see ``formats.Format``."""

    def __init__(self, request: DebateRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._context = Context(request, prompts)
        self._speeches = Speeches(request, prompts, self._context)
        self._judging = Judging(request, prompts, self._context)

    def next(self, transcript: Transcript) -> Asks | DebateOutcome:
        """The speech that is due, with the summary that the next round will need; then the judge; then the end."""
        for round_, role in self._places():
            turn = transcript.turn(speech_id(round_, role))
            if turn is None:
                summary = self._context.summary_due(round_, transcript)
                speech = self._speeches.ask(round_, role, transcript)
                return (speech, summary) if summary else (speech,)
            if turn.failure:
                return self._after_failure(turn, transcript)
        return self._verdict(transcript, completed=self._request.rounds, broken=None)

    def _places(self) -> list[tuple[int, Role]]:
        return [(round_, role) for round_ in range(1, self._request.rounds + 1) for role in SPEAKING_ORDER]

    def _after_failure(self, turn: Turn, transcript: Transcript) -> Asks | DebateOutcome:
        if turn.round > 1:
            return self._verdict(transcript, completed=turn.round - 1, broken=turn)
        if turn.role is Role.PROPOSER:
            return endings.failed(turn, transcript)
        return endings.uncontested(turn)

    def _verdict(self, transcript: Transcript, *, completed: int, broken: Turn | None) -> Asks | DebateOutcome:
        notices = self._context.notices(transcript)
        match self._judging.next(completed, transcript):
            case tuple() as asks:
                return asks
            case Verdict() as verdict:
                return endings.judged(verdict, completed, broken, notices)
            case Turn() as judge_failed:
                return endings.unjudged(judge_failed, completed, broken, notices)
