"""Who takes part in a deliberation."""

from sparring.schema.base import ModelName, Record, ToolName

RULE_BASED_TOOL = "offline"
"""The tool without a model. It may sit in several seats: it has no opinion of its own (design: Debate)."""

HOST_TOOL = "host"
"""The agent that called us, in a seat of its own deliberation (design: The MCP surface)."""

CITATION_CHECKER = "sparring-citations"
"""Who looks up in the project what somebody cites: this program itself. No provider should be named so."""

SOURCE_CHECKER = "sparring-sources"
"""Who looks up on the web what somebody cites: this program itself."""


class Participant(Record):
    """A tool in a role, with the model it is asked to use (None: its own default)."""

    tool: ToolName
    model: ModelName | None = None


class StateParticipant(Record):
    """A participant as a state file keeps it. ``model`` is what the tool reported, else what was asked for."""

    tool: ToolName
    model: str | None
