"""What a debater is shown of earlier rounds (specification: seed 004, Context Assembly).

Before rounds 1 and 2: everything, in full. Before round N from 3 on: a summary of rounds 1..N-2, then round N-1 in
full.
"""

from sparring.formats.debate.hearing import Hearing
from sparring.formats.debate.showing import Showing
from sparring.formats.debate.summaries import Summaries
from sparring.prompts import PromptLibrary
from sparring.schema.transcript import Transcript


class Context:
    """Assembles the context block of a prompt."""

    def __init__(self, prompts: PromptLibrary, showing: Showing, summaries: Summaries) -> None:
        self._prompts = prompts
        self._showing = showing
        self._summaries = summaries

    def before(self, round_: int, transcript: Transcript) -> str:
        """The context block of a prompt in ``round_`` (2 or later).

        Where no usable summary could be had, the full text stands in its place: nothing is lost but tokens.
        """
        earlier = Hearing(transcript, last_round=round_ - 1).speeches
        summary = self._summaries.before(round_, transcript)
        if summary is None:
            return self._prompts.render("debate/context-full", {"exchanges": self._showing.exchanges(earlier)})
        values = {
            "last_summarized_round": str(round_ - 2),
            "summary": summary.text,
            "exchanges": self._showing.exchanges(speech for speech in earlier if speech.round == round_ - 1),
        }
        return self._prompts.render("debate/context-summary", values)
