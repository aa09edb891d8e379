"""What comes next in a debate.

The order of the asks is the whole state: an ask's id says its place (``r2.proposer``, ``r2.proposer.ledger``,
``r3.summary.1``, ``judge1.ab.1``), and whether it was answered is looked up in the transcript.
"""

from functools import lru_cache

from sparring.checks.quotes import Evidence
from sparring.engine.course import Asks
from sparring.formats.debate.context import Context
from sparring.formats.debate.endings import Endings
from sparring.formats.debate.hearing import Hearing
from sparring.formats.debate.judging import Judging, Unjudged
from sparring.formats.debate.ledgers import ledger_ask
from sparring.formats.debate.showing import Showing
from sparring.formats.debate.speeches import Speeches, speech_id
from sparring.formats.debate.summaries import Summaries
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.consultation import Speech
from sparring.schema.debate import SPEAKING_ORDER, DebateOutcome, DebateRequest, Judgement
from sparring.schema.transcript import Transcript, Turn


class Debate:
    """The rules of one debate; see ``engine.format.Format``."""

    def __init__(self, request: DebateRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._prompts = prompts
        self._showing = Showing(request, prompts)
        self._summaries = Summaries(request, prompts, self._showing)
        context = Context(prompts, self._showing, self._summaries)
        # Both orders, and every step that looks at the ballots, search the same speeches.
        self._searchable = lru_cache(maxsize=8)(Evidence)
        self._speeches = Speeches(request, prompts, self._showing, context)

    def next(self, transcript: Transcript) -> Asks | DebateOutcome:
        """The speech that is due, then what it cites; when all is said the judges, then the end."""
        for round_, roles in self._places():
            turns = [transcript.turn(speech_id(round_, role)) for role in roles]
            due = [role for role, turn in zip(roles, turns, strict=True) if turn is None]
            if due:
                return self._speak(round_, due, transcript)
            if decided := self._after(tuple(turn for turn in turns if turn), transcript):
                return decided
        return self._verdict(transcript, completed=self._request.rounds, broken=None)

    def _places(self) -> list[tuple[int, tuple[Role, ...]]]:
        """Who speaks when; two at the same time do not hear each other."""
        alone = [(round_, (role,)) for round_ in range(1, self._request.rounds + 1) for role in SPEAKING_ORDER]
        return [(1, SPEAKING_ORDER), *alone[2:]] if self._request.blind_openings else alone

    def _speak(self, round_: int, roles: list[Role], transcript: Transcript) -> Asks:
        """The speeches of ``roles``, and the summary that the next round will need."""
        speeches = tuple(self._speeches.ask(round_, role, transcript) for role in roles)
        summary = self._summaries.due(round_, transcript)
        return (*speeches, summary) if summary else speeches

    def _after(self, turns: tuple[Turn, ...], transcript: Transcript) -> Asks | DebateOutcome | None:
        """What follows from speeches that were asked for at the same time; None: the next one."""
        failed = next((turn for turn in turns if turn.failure), None)
        if failed and failed.round == 1 and failed.role is Role.PROPOSER:
            return self._endings(transcript).failed(failed)
        hearing = Hearing(transcript)
        spoken = [speech for speech in hearing.speeches if any(turn.ask_id == _id(speech) for turn in turns)]
        asks = tuple(ledger_ask(speech) for speech in spoken if not hearing.ledger(speech.round, speech.role))
        return asks or (self._after_failure(failed, transcript) if failed else None)

    def _after_failure(self, failed: Turn, transcript: Transcript) -> Asks | DebateOutcome:
        if failed.round > 1:
            return self._verdict(transcript, completed=failed.round - 1, broken=failed)
        return self._endings(transcript).uncontested(failed)

    def _verdict(self, transcript: Transcript, *, completed: int, broken: Turn | None) -> Asks | DebateOutcome:
        judging = Judging(
            self._request, self._prompts, self._showing, self._searchable, completed=completed, transcript=transcript
        )
        match judging.next():
            case tuple() as asks:
                return asks
            case Judgement() as judgement:
                return self._endings(transcript).judged(judgement, completed, broken)
            case Unjudged() as nobody:
                return self._endings(transcript).unjudged(nobody, completed, broken)

    def _endings(self, transcript: Transcript) -> Endings:
        return Endings(self._request, transcript, summary_notices=self._summaries.notices(transcript))


def _id(speech: Speech) -> str:
    return speech_id(speech.round, speech.role)
