"""What comes next in a fact-check: another round, or the end."""

from sparring.checks.claims import check_claim
from sparring.engine.course import Asks
from sparring.formats.fact_check import endings
from sparring.formats.fact_check.asks import Asking
from sparring.formats.fact_check.deciding import stop_reason
from sparring.formats.fact_check.grounds import Grounds
from sparring.formats.fact_check.rounds import Round, Rounds
from sparring.prompts import PromptLibrary
from sparring.schema.fact_check import FactCheckOutcome, FactCheckRequest
from sparring.schema.transcript import Transcript


class FactCheck:
    """The rules of one fact-check; see ``engine.format.Format``."""

    def __init__(self, request: FactCheckRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._sources = tuple(part.text for part in request.evidence)
        self._rounds = Rounds(request, Asking(request, prompts), Grounds(request.claim, self._sources))

    def next(self, transcript: Transcript) -> Asks | FactCheckOutcome:
        """The asks of the round under way, all that can be put at once; after the last round the outcome."""
        rounds: list[Round] = []
        while (reason := stop_reason(rounds, self._request)) is None:
            found = self._rounds.next(rounds, transcript)
            if not isinstance(found, Round):
                return found
            rounds.append(found)
        check = check_claim(self._request.claim, self._sources)
        return endings.outcome(self._request, rounds, reason, check, transcript)
