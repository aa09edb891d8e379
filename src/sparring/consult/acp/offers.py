"""What an agent lets us choose for a session: as options, or in the older ways beside them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from acp.schema import (
    LoadSessionResponse,
    SessionConfigOptionSelect,
    SessionConfigSelectGroup,
    SessionConfigSelectOption,
)
from pydantic import BaseModel, Field

Category = Literal["mode", "model", "thought_level"]
"""What an option is for, in the protocol's words."""


@dataclass(frozen=True)
class Choice:
    """One thing that can be chosen.

    Attributes:
        option: Id of the option that it is; None when it is chosen by a request of its own.
        current: What is chosen now.
        values: What may be.
    """

    option: str | None
    current: str
    values: tuple[str, ...]


class _Model(BaseModel):
    id: str = Field(alias="modelId")


class _Models(BaseModel):
    current: str = Field(alias="currentModelId")
    available: tuple[_Model, ...] = Field(alias="availableModels")


class SessionState(LoadSessionResponse):
    """What an agent tells of a session when it begins, goes on, or has an option set.

    Attributes:
        session_id: Told for a new session only.
        models: From before models became options (Gemini CLI 0.61.0); the package no longer has it.
    """

    session_id: str = Field(default="", alias="sessionId")
    models: _Models | None = None

    def choice(self, category: Category) -> Choice | None:
        """What can be chosen of that category, None when nothing can."""
        for option in self.config_options or ():
            if isinstance(option, SessionConfigOptionSelect) and option.category == category:
                return Choice(option.id, option.current_value, tuple(_values(option.options)))
        if category == "model" and self.models:
            return Choice(None, self.models.current, tuple(model.id for model in self.models.available))
        if category == "mode" and self.modes:
            return Choice(None, self.modes.current_mode_id, tuple(mode.id for mode in self.modes.available_modes))
        return None


def _values(options: Iterable[SessionConfigSelectOption | SessionConfigSelectGroup]) -> Iterable[str]:
    for option in options:
        if isinstance(option, SessionConfigSelectGroup):
            yield from (member.value for member in option.options)
        else:
            yield option.value
