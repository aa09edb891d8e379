"""What can be said about a poll."""

from typing import Annotated, ClassVar

from sparring.schema.base import Effort
from sparring.seating.options import EffortOption, Option, Options, SubstituteOption
from support.sixth.records import PollRequest


class PollOptions(Options[PollRequest]):
    """An empty seat lets sparring choose."""

    format: ClassVar[str] = "poll"

    topic: Annotated[str, Option("What is voted on.", is_subject=True)]
    first: Annotated[str, Option("Tool that votes first.", value="TOOL")] = ""
    second: Annotated[str, Option("Tool that votes second.", value="TOOL")] = ""
    effort: EffortOption = Effort.MEDIUM
    substitute: SubstituteOption = ""
