"""What can be said about a consultation."""

from typing import Annotated, ClassVar

from pydantic import Field

from sparring.schema.base import RepoAccess
from sparring.schema.consult import MOST_ASKED, ConsultRequest
from sparring.seating.options import (
    CONTEXT_KIB,
    MODEL_HELP,
    Access,
    ContextLimit,
    ContextOption,
    Option,
    Options,
    SecretFiles,
    SessionEffort,
    timeout,
)

LAST = "last"
"""Stands for the session of the last consultation."""


class ConsultOptions(Options[ConsultRequest]):
    """``model`` is for a single tool; no tool lets sparring choose."""

    format: ClassVar[str] = "consult"

    question: Annotated[
        str,
        Option(
            "What to ask; `-` reads it from standard input.",
            told="With the context all that the tool reads: it does not see this conversation",
            words="all that is none of the following",
            is_subject=True,
        ),
    ]
    tool: Annotated[
        str,
        Option(
            "Tool to ask, or several: claude,codex. A model of its own: claude:MODEL. By default the first one.",
            told="claude, codex, ...; several: claude,codex:MODEL; empty: the first AI tool installed",
            value="TOOL,TOOL",
            words='"ask codex and gemini …", up to 5',
            flags=("--tool", "--provider"),
            is_hinted=True,
        ),
    ] = ""
    model: Annotated[
        str,
        Option(MODEL_HELP, told="Empty: the tool's default", value="MODEL", words="for a single tool", is_hinted=True),
    ] = ""
    effort: SessionEffort = None
    timeout_s: Annotated[float, timeout("Seconds for each answer")] = 120.0
    session_id: Annotated[
        str,
        Option(
            "Go on with the last session, with answer 2 of the last several (2), or with the session of an id.",
            told='Continue this session; "last"; or "2": answer 2 of the last several',
            value="SESSION",
            words='"ask it further" = last; 2 for the second of several answers; or the id of a session',
            flags=("--continue",),
            metavar="[SESSION]",
            is_hinted=True,
        ),
    ] = ""
    count: Annotated[
        int,
        Field(json_schema_extra={"minimum": 1, "maximum": MOST_ASKED}),
        Option(
            "How often each tool is asked, side by side; 1 to 5.",
            told="Ask each tool this often",
            words='how often each is asked: "ask it three times" = 3',
            is_hinted=True,
        ),
    ] = 1
    context: ContextOption = ()
    context_limit: ContextLimit = CONTEXT_KIB
    allow_secret_files: SecretFiles = False
    repo_access: Access = RepoAccess.NONE
