"""Who takes part in a deliberation."""

from sparring.schema.base import ModelName, Record, ToolName

RULE_BASED_TOOL = "offline"
"""The tool without a model. It may sit in several seats: it has no opinion of its own (design: Debate)."""


class Participant(Record):
    """A tool in a role, with the model it is asked to use (None: its own default)."""

    tool: ToolName
    model: ModelName | None = None


class StateParticipant(Record):
    """A participant as a state file keeps it. ``model`` is what the tool reported, else what was asked for."""

    tool: ToolName
    model: str | None
