"""What comes next in a chaired debate, and its log."""

from sparring.engine.course import Asks
from sparring.formats.chaired_debate.asks import Asking
from sparring.formats.chaired_debate.course import Due, held
from sparring.formats.chaired_debate.debating import debate
from sparring.prompts import PromptLibrary
from sparring.schema.chaired_debate import ChairedDebateOutcome, ChairedDebateRequest, LogEntry
from sparring.schema.transcript import Transcript, TurnKind


class ChairedDebate:
    """The rules of one chaired debate; see ``engine.format.Format``."""

    def __init__(self, request: ChairedDebateRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._asking = Asking(request, prompts)

    def next(self, transcript: Transcript) -> Asks | ChairedDebateOutcome:
        """See ``engine.format.Format``."""
        reached = held(debate(self._request), transcript)
        if isinstance(reached, ChairedDebateOutcome):
            return reached
        return tuple(self._asking.ask(wanted, reached.floor) for wanted in reached.wanted)


def log_of(request: ChairedDebateRequest, transcript: Transcript) -> tuple[LogEntry, ...]:
    """The log of a debate of which ``transcript`` has been said.

    With more turns it grows; an entry that is there already changes only where the chair takes something out. One
    whose sources are being looked up is not there yet: whoever reads along shall not read what nobody may repeat.
    """
    reached = held(debate(request), transcript)
    if not isinstance(reached, Due):
        return reached.log
    unchecked = {wanted.seq for wanted in reached.wanted if wanted.kind is TurnKind.SOURCES}
    return tuple(entry for entry in reached.floor.log if entry.seq not in unchecked)
