"""What was answered in a run that is held once more, and need not be asked again.

A format is a pure function of the transcript. So whatever is asked under the same id in the same words follows from
the same that was said, and its answer fits as it did then.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from sparring.schema.base import Role
from sparring.schema.transcript import Ask, Transcript, Turn


@dataclass(frozen=True)
class EarlierRun:
    """The answers of the run of that id, by the asks that they answer."""

    run_id: str = ""
    answered: Mapping[str, Turn] = field(default_factory=dict[str, Turn])

    @classmethod
    def of(cls, run_id: str, turns: Iterable[Turn]) -> Self:
        """Those that ``turns`` hold; who failed is asked again."""
        return cls(run_id, {turn.ask_id: turn for turn in turns if turn.answer})

    def turn(self, ask: Ask, said: Transcript) -> Turn | None:
        """The turn that answers ``ask`` after ``said``; None where that was not asked, or not answered."""
        found = self.answered.get(ask.id)
        if found is None or found.prompt_sha256 != ask.prompt_sha256:
            return None
        if ask.role is Role.VERIFIER and not all(turn.taken_from for turn in said.turns):
            return None  # what code looks up does not stand in its prompt, and costs nothing
        return found.model_copy(update={"taken_from": found.taken_from or self.run_id})


NOTHING_EARLIER = EarlierRun()
