"""The tools as a host sees them, a module for each: name, parameters, description; each hands its call to ``answers``.

Descriptions are read by models on every turn, whether or not a tool is used: all definitions together stay below
12,000 characters.
"""

from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations

from sparring.server.definitions import defined
from sparring.server.tools.answer import answer
from sparring.server.tools.chaired_debate import chaired_debate
from sparring.server.tools.consult import consult
from sparring.server.tools.debate import debate
from sparring.server.tools.fact_check import fact_check
from sparring.server.tools.jury import jury
from sparring.server.tools.runs import cancel, runs, wait
from sparring.server.tools.verify import verify

__all__ = ["all_tools"]


def all_tools() -> list[Tool]:
    """Every tool, in the order in which hosts list them."""
    # What the protocol takes for granted is left out: not read-only, not idempotent, talks to the outside.
    asks_others = ToolAnnotations(destructive_hint=False)
    stops = ToolAnnotations(destructive_hint=False, idempotent_hint=True, open_world_hint=False)
    # Codex and Copilot CLI, when nobody is there to ask, run only what is read-only.
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return [
        defined(consult, "Second opinion", asks_others),
        defined(debate, "Debate", asks_others),
        defined(chaired_debate, "Chaired debate", asks_others),
        defined(fact_check, "Fact-check", asks_others),
        defined(jury, "Jury", asks_others),
        defined(verify, "Verify by code", reads),
        defined(wait, "Wait for a run", reads),
        defined(answer, "Your turn", asks_others),
        defined(cancel, "Stop a run", stops),
        defined(runs, "Runs and transcripts", reads),
    ]
