"""Options of a consultation, and the request made from them: tools, number of answers, session."""

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar

from msgspec import Struct
from msgspec.structs import replace
from pydantic import Field

from sparring.errors import UsageError
from sparring.participants import options as shared
from sparring.participants.seats import NamedTool, ProjectContext, Tools, blind_notices, model_of, quoted, split_tools
from sparring.schema.base import Effort, Record, RepoAccess, Role
from sparring.schema.consult import (
    MOST_ASKED,
    ConsultedTool,
    ConsultRequest,
    LastMultiSession,
    LastSession,
    SavedSession,
)
from sparring.text.tidying import one_line

LAST = "last"
"""Stands for the session of the last consultation."""


class ConsultOptions(shared.Options[ConsultRequest]):
    """Options of a consultation; ``model`` is for a single tool, and without a tool sparring chooses."""

    format: ClassVar[str] = "consult"
    presets: ClassVar[Mapping[shared.Preset, Mapping[str, object]]] = {
        shared.Preset.QUICK: {"effort": "low"},
        shared.Preset.THOROUGH: {"effort": "high", "timeout_s": 600.0},
    }

    question: Annotated[
        str,
        shared.Option(
            "What to ask; `-` reads it from standard input.",
            mcp="All it reads, with context",
            is_subject=True,
        ),
    ]
    tool: Annotated[
        str,
        shared.Option(
            "Tool to ask, or several: claude,codex. A model of its own: claude:MODEL. By default the first one.",
            mcp="claude; several: claude,codex:MODEL; empty: the first installed",
            value="TOOL,TOOL",
            is_hinted=True,
        ),
    ] = ""
    participants: Annotated[
        str,
        shared.with_option("The same as --tool, as in the other commands.", mcp=None, is_hinted=False),
    ] = ""
    model: Annotated[str, shared.Option(shared.MODEL_HELP, value="MODEL", is_hinted=True, is_rare=True)] = ""
    effort: shared.SessionEffort = None
    preset: shared.PresetOption = None
    substitute: shared.SubstituteOption = ""
    timeout_s: Annotated[float, shared.timeout()] = 120.0
    session_id: Annotated[
        str,
        shared.Option(
            "Continue the last session, answer 2 of the last several (2), or a session by its id.",
            mcp='To continue: an id; "last"; "2": answer 2 of the last',
            value="SESSION",
            flags=("--continue",),
            metavar="[SESSION]",
            is_hinted=True,
        ),
    ] = ""
    count: Annotated[
        int,
        Field(json_schema_extra={"minimum": 1, "maximum": MOST_ASKED}),
        shared.Option("Answers per tool, in parallel; 1 to 5.", is_hinted=True, is_rare=True),
    ] = 1
    context: shared.ContextOption = ()
    max_kib: Annotated[int | None, shared.max_kib(f"{shared.CONTEXT_KIB} of context")] = None
    allow_secret_files: shared.SecretFiles = False
    repo_access: shared.Access = RepoAccess.NONE


def complete(options: ConsultOptions, project: ProjectContext) -> ConsultRequest:
    """The whole request; raises ``UsageError`` if it contradicts itself or names something that does not exist."""
    if options.tool.strip() and options.participants.strip():
        raise UsageError("The tools are named twice: --tool and --with.", hint="Leave one of them out.")
    spelled = options.tool if options.tool.strip() else options.participants
    roster = project.tools
    named = named_tools(spelled, options.model)
    material = project.context(
        options.context,
        shared.CONTEXT_KIB if options.max_kib is None else options.max_kib,
        secrets_allowed=options.allow_secret_files,
    )
    effort = options.effort
    session = None
    if options.session_id:
        session = continued(options, named, project)
        answering = (session.named,)
        effort = effort or session.effort
    else:
        answering = asked(named or named_tools(default_tool(roster), options.model), options.count, roster)
    if roster.host in {tool.tool for tool in answering}:
        raise UsageError(
            f"{roster.host} is you, the calling agent.", hint="Name another tool, or none to have one chosen."
        )
    question = project.redact(options.question)
    if not question.text.strip():
        raise UsageError("question must not be empty.")
    notices = [
        *roster.notices,
        *material.notices,
        *blind_notices((tool.tool for tool in answering), material),
    ]
    return shared.valid(
        lambda: options.as_request(
            ConsultRequest,
            question=question.text,
            context=material.parts,
            asked=tuple(
                ConsultedTool(tool=tool.tool, model=tool.model, transport=tool.transport) for tool in answering
            ),
            effort=effort or Effort.MEDIUM,
            session_id=session.session_id if session else None,
            redactions=question.count + material.redactions,
            unnamed=() if spelled.strip() or session else (Role.CONSULTANT,),
            notices=tuple(notices),
        )
    )


def named_tools(tool: str, model: str) -> tuple[NamedTool, ...]:
    """Return the tools that ``tool`` names, each with its model; empty if it names none.

    Raises:
        UsageError: The text contradicts itself. Whether the names are well formed and known is not checked.
    """
    if "," in tool and model_of(model):
        raise UsageError(
            "One model cannot be for several tools.", hint="Name it with its tool, as in claude:MODEL,codex."
        )
    entries = split_tools(tool, model)
    if len(set(entries)) < len(entries):
        raise UsageError(f"{quoted(tool)} names a tool twice.", hint="To call one several times use count.")
    return entries


def asked(tools: tuple[NamedTool, ...], count: int, roster: Tools) -> tuple[NamedTool, ...]:
    """Return each of ``tools``, ``count`` times, with the way it is reached.

    Raises:
        UsageError: A tool does not exist, or there are too many.
    """
    if not 1 <= count <= MOST_ASKED:
        raise UsageError(f"The count must be 1 to {MOST_ASKED}; it is {count}.")
    calls = count * len(tools)
    if calls > MOST_ASKED:
        times = f", {count} times each," if count > 1 else ""
        raise UsageError(f"{len(tools)} tools{times} are {calls} at once; the limit is {MOST_ASKED}.")
    answering: list[NamedTool] = []
    for tool in tools:
        answering += [with_transport(tool, roster)] * count
    return tuple(answering)


def with_transport(tool: NamedTool, roster: Tools) -> NamedTool:
    """Return ``tool`` with its transport; raises ``UsageError`` when there is no such tool."""
    return replace(tool, transport=roster.spec(tool.tool).kind)


def default_tool(roster: Tools) -> str:
    """Return the first AI tool that is ready; raises ``SparringError`` without one."""
    tool = next(roster.ai_tools(), None)
    if tool is None:
        raise roster.no_tool_error()
    return tool


LAST_FILES: tuple[tuple[str, type[Record]], ...] = (
    ("consult/last-session.json", LastSession),
    ("consult/last-multi-session.json", LastMultiSession),
)
"""Files of the last session with one tool, and of the last sessions with several."""

_NUMBER = re.compile(r"[1-9]")
_SHOWN = 100


class ContinuedSession(Struct, frozen=True):
    """The session to continue. ``effort`` is that of its beginning, None if unknown."""

    named: NamedTool
    session_id: str
    effort: Effort | None = None


def continued(options: ConsultOptions, named: tuple[NamedTool, ...], project: ProjectContext) -> ContinuedSession:
    """Return the session that ``options`` name; its saved data is checked against the present state.

    An id without saved data is passed to the tool that is named with it, which knows its own sessions.

    Raises:
        UsageError: There is no such session, or it cannot be continued; the message is one sentence with the reason.
        StoreError: The saved data cannot be read.
    """
    if options.count != 1 or len(named) > 1:
        raise UsageError("A session is continued by one answer; leave out the count and name at most one tool.")
    wanted = options.session_id.strip()
    saved = _saved(wanted, project)
    if saved is not None:
        return _checked(saved, options, named, project.tools)
    if not named:
        shown = one_line(repr(wanted), _SHOWN)
        raise UsageError(f"There is no session {shown} among the last ones.", hint="Name its tool with it.")
    return ContinuedSession(with_transport(named[0], project.tools), wanted)


def _checked(
    saved: SavedSession, options: ConsultOptions, named: tuple[NamedTool, ...], roster: Tools
) -> ContinuedSession:
    if named and named[0].tool != saved.tool:
        raise UsageError(f"That session is one of {saved.tool}, not of {one_line(named[0].tool, _SHOWN)}.")
    kind = roster.spec(saved.tool).kind
    if saved.transport is not None and saved.transport is not kind:
        raise UsageError(
            f"{saved.tool} was reached as {saved.transport.value!r} when that session started and is reached as "
            f"{kind.value!r} now; the session cannot be continued."
        )
    if saved.session_id is None or not saved.continuable:
        raise UsageError(f"That session of {saved.tool} cannot be continued.")
    model = named[0].model if named else model_of(options.model)
    return ContinuedSession(NamedTool(saved.tool, model or saved.model_asked, kind), saved.session_id, saved.effort)


def _saved(wanted: str, project: ProjectContext) -> SavedSession | None:
    """Return the saved session that ``wanted`` names; None for an id that is not saved."""
    paths = {record: path for path, record in LAST_FILES}
    single = project.kept(paths[LastSession], LastSession)
    several = project.kept(paths[LastMultiSession], LastMultiSession)
    if wanted == LAST:
        return _last(single, several)
    if _NUMBER.fullmatch(wanted):
        return _numbered(int(wanted), several)
    sessions: list[SavedSession] = []
    if single:
        sessions.append(single)
    if several:
        sessions += several.sessions
    return next((session for session in sessions if session.session_id == wanted), None)


def _last(single: LastSession | None, several: LastMultiSession | None) -> SavedSession:
    if several and (single is None or single.timestamp < several.timestamp):
        able = [session for session in several.sessions if session.continuable]
        if len(able) == 1:
            return able[0]
        if not able:
            raise UsageError("The last consultation had several answers, and none of them can be continued.")
        choice = ", ".join(f"{session.number} ({session.tool})" for session in able)
        raise UsageError(f"The last consultation had several answers; give the number of one: {choice}.")
    if single is None:
        raise UsageError("There is no session to continue: you have no consultation with one in this project.")
    return single


def _numbered(number: int, several: LastMultiSession | None) -> SavedSession:
    sessions = several.sessions if several else ()
    meant = next((session for session in sessions if session.number == number), None)
    if meant is None:
        known = ", ".join(str(session.number) for session in sessions) or "none"
        raise UsageError(f"There is no answer {number} to continue; the last consultation has: {known}.")
    return meant
