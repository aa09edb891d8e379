"""Estimate of a run before it begins: the sum of the calls that its format plans (``Format.plan``).

Only the first prompts are worded and measured. A plan states by how much the later ones are longer.
"""

from msgspec import Struct

from sparring.engine.course import Asks
from sparring.engine.format import Format, PlannedCalls
from sparring.prompts import PromptLibrary
from sparring.schema.runs import CHARACTERS_PER_TOKEN, Expected, Request
from sparring.schema.transcript import Transcript


class RunPlan(Struct, frozen=True):
    """Calls that a run is planned to make.

    Attributes:
        first: Its first asks; empty where no tool is asked.
    """

    calls: tuple[PlannedCalls, ...]
    first: Asks

    def tokens(self, calls: PlannedCalls) -> float:
        """Return the tokens of one prompt of ``calls``, by a rule of thumb."""
        first = sum(len(ask.question.prompt) for ask in self.first) / max(1, len(self.first))
        return (calls.whole or first + calls.added) / CHARACTERS_PER_TOKEN

    @property
    def expected(self) -> Expected:
        """Range of the calls, and the tokens of their prompts."""
        return Expected(
            fewest=sum(each.fewest for each in self.calls),
            usual=sum(each.usual for each in self.calls),
            most=sum(each.most for each in self.calls),
            least_tokens=round(sum(each.fewest * self.tokens(each) for each in self.calls)),
            prompt_tokens=round(sum(each.usual * self.tokens(each) for each in self.calls)),
        )


def plan_of(format_: Format, request: Request, prompts: PromptLibrary) -> RunPlan:
    """Return the plan of a run of ``request``."""
    calls = tuple(format_.plan(request))
    first = format_.rules(request, prompts).next(Transcript()) if calls else ()
    return RunPlan(calls, first if isinstance(first, tuple) else ())
