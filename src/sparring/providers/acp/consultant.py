"""A consultant that is an agent: it is started for one question, and ends after its answer.

The prompt is sent only after all requested settings are confirmed in the session.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import anyio
from acp.connection import Connection
from acp.schema import AgentCapabilities, Cost
from anyio.to_thread import run_sync
from msgspec import Struct
from pydantic import TypeAdapter, ValidationError

from sparring.processes import children
from sparring.processes.call_folders import CallFolder, CallFolders
from sparring.processes.supervision import ConsultTerms, converse
from sparring.providers.acp.agent import (
    Agent,
    AgentEndedError,
    AgentFailedError,
    AgentTransport,
    Category,
    PromptResponse,
    SessionState,
)
from sparring.providers.acp.client import AgentClient, SessionUpdates
from sparring.providers.cli import consultant, output
from sparring.providers.cli.confinement import Surroundings, confine
from sparring.providers.receiving.causes import AskedQuestion
from sparring.schema.base import RepoAccess, SessionId
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Ending, FailureCode, Question, Reply, Usage
from sparring.schema.providers import AcpProvider
from sparring.text.redaction import Redactor
from sparring.text.tidying import one_line

_OFFERED = 6
"""Values that a refusal names."""

_WORDS: dict[Category, str] = {"mode": "session mode", "model": "model", "thought_level": "effort level"}


class _OpenSession(Struct, frozen=True):
    """A session that is ready for a prompt.

    Attributes:
        model: Its model, None when the agent does not report it.
        can_be_continued: Whether the agent supports that.
    """

    id: str
    model: str | None
    can_be_continued: bool


async def _open_session(
    agent: Agent, capabilities: AgentCapabilities, *, spec: AcpProvider, question: Question, cwd: Path
) -> _OpenSession:
    """Begin a session for ``question``, or continue the one that it names.

    Raises:
        AgentFailedError: The agent lacks a feature that the question needs, or refuses.
    """
    state = await _begin_session(agent, capabilities, spec=spec, question=question, cwd=str(cwd))
    for category, value in _requested_options(spec, question):
        state = await _chosen(agent, state, category, value, tool=spec.name)
    model = state.choice("model")
    return _OpenSession(state.session_id, model and model.current, _can_continue(capabilities))


async def _begin_session(
    agent: Agent, capabilities: AgentCapabilities, *, spec: AcpProvider, question: Question, cwd: str
) -> SessionState:
    if question.session_id is not None:
        if not _can_continue(capabilities):
            raise AgentFailedError(FailureCode.UNSUPPORTED, f"{spec.name} cannot continue a session.")
        return await agent.continue_session(question.session_id, cwd, resumes=_can_resume(capabilities))
    state = await agent.new_session(cwd)
    if not state.session_id:
        raise AgentFailedError(FailureCode.PARSE, f"{spec.name} began a session without an id.")
    return state


def _requested_options(spec: AcpProvider, question: Question) -> list[tuple[Category, str]]:
    effort = spec.efforts.get(question.effort) if question.effort is not None else None
    # The model before the effort, since which levels there are depends on it.
    requested: dict[Category, str | None] = {"mode": spec.mode, "model": question.model, "thought_level": effort}
    return [(category, value) for category, value in requested.items() if value is not None]


async def _chosen(agent: Agent, state: SessionState, category: Category, value: str, *, tool: str) -> SessionState:
    offered = state.choice(category)
    if offered is None or value not in offered.values:
        raise AgentFailedError(FailureCode.UNSUPPORTED, _refusal(tool, category, value, offered and offered.values))
    if offered.option is not None:
        # Set also where it is the current value already: the reported value may differ from the one in use.
        response = await agent.set_option(state.session_id, offered.option, value)
        state = state.model_copy(update={"config_options": response.config_options})
    elif category == "model":
        await agent.set_model(state.session_id, value)
        state = state.model_copy(update={"models": state.models and state.models.model_copy(update={"current": value})})
    else:
        await agent.set_mode(state.session_id, value)
        return state
    now = state.choice(category)
    if now is None or now.current != value:
        detail = f"{tool} offers the {_WORDS[category]} {value!r} but does not use it."
        raise AgentFailedError(FailureCode.UNSUPPORTED, detail)
    return state


def _refusal(tool: str, category: Category, value: str, offered: tuple[str, ...] | None) -> str:
    if not offered:
        way_out = " `efforts = {}` in its provider file skips this check." if category == "thought_level" else ""
        return f"{tool} has no choice of {_WORDS[category]}; it cannot use {value!r}.{way_out}"
    more = f" and {len(offered) - _OFFERED} more" if len(offered) > _OFFERED else ""
    return f"{tool} does not offer the {_WORDS[category]} {value!r}; it offers: {', '.join(offered[:_OFFERED])}{more}."


def _can_resume(capabilities: AgentCapabilities) -> bool:
    return capabilities.session_capabilities is not None and capabilities.session_capabilities.resume is not None


def _can_continue(capabilities: AgentCapabilities) -> bool:
    return bool(capabilities.load_session) or _can_resume(capabilities)


_THINGS_SHOWN = 4
"""Things that a warning names."""

_SESSION_ID: TypeAdapter[str] = TypeAdapter(SessionId)
_CUT_SHORT = frozenset({"max_tokens", "max_turn_requests"})
_REQUESTS = "max_turn_requests"


class _Turn(Struct, frozen=True):
    """A prompt that the agent has finished with."""

    session: _OpenSession
    response: PromptResponse
    updates: SessionUpdates
    client: AgentClient


def _answer(turn: _Turn, ended: output.EndedProgram, *, has_efforts: bool) -> Answer:
    """Return the answer.

    Raises:
        AgentFailedError: There is none.
    """
    question = ended.question.question
    reply = ended.answer(
        _text(turn, ended.tool),
        session_id=_session_id(turn.session.id),
        model=turn.session.model or "",
        usage=_usage(turn, resumed=question.session_id is not None),
        ending=Ending.CUT_OFF if turn.response.stop_reason in _CUT_SHORT else Ending.COMPLETE,
        warnings=_warnings(turn, ended.question, has_efforts),
    )
    own = {
        "effort": question.effort if has_efforts else None,
        "continuable": reply.continuable and turn.session.can_be_continued,
        "redactions": reply.redactions + turn.client.redactions,
    }
    return reply.model_copy(update=own)


def _text(turn: _Turn, tool: str) -> str:
    reason, text = turn.response.stop_reason, turn.updates.text()
    if turn.updates.is_broken:
        raise AgentFailedError(FailureCode.PARSE, f"{tool} sent a part of its answer that cannot be parsed.")
    if reason == "cancelled":
        raise AgentFailedError(FailureCode.CANCELLED, f"{tool} says that the question was cancelled.")
    if reason == "refusal":
        raise AgentFailedError(FailureCode.REFUSED, f"{tool} refused to answer. {text}")
    if text.strip():
        return text
    if turn.client.refused:
        asked_for = f"It asked for what it may not do: {_listed(list(turn.client.refused))}."
        raise AgentFailedError(FailureCode.PERMISSION, f"{tool} gave no answer. {asked_for}")
    if reason in _CUT_SHORT:
        raise AgentFailedError(FailureCode.CUT_OFF, f"{tool} reached a limit before it answered.")
    raise AgentFailedError(FailureCode.EMPTY, f"{tool} gave an empty answer.")


def _warnings(turn: _Turn, asked: AskedQuestion, has_efforts: bool) -> list[str]:  # noqa: FBT001 - private
    tool, question = asked.tool, asked.question
    own_actions, refused = turn.client.own_actions(), list(turn.client.refused)
    conditions = {
        f"{tool} reached its limit of requests to the model.": turn.response.stop_reason == _REQUESTS,
        f"{tool} sent a part that is not text; it is left out.": turn.updates.left_out,
        f"{tool} asked for what it may not do, and was refused: {_listed(refused)}.": bool(refused),
        f"{tool} used tools of its own that were not allowed: {_listed(own_actions)}.": bool(own_actions),
        f"{tool} ignores --effort.": bool(question.effort and not has_efforts),
    }
    return [warning for warning, holds in conditions.items() if holds]


def _listed(things: Sequence[str]) -> str:
    more = f" and {len(things) - _THINGS_SHOWN} more" if len(things) > _THINGS_SHOWN else ""
    return ", ".join(one_line(thing, DETAIL_LIMIT) for thing in things[:_THINGS_SHOWN]) + more


def _session_id(reported: str) -> SessionId | None:
    try:
        return _SESSION_ID.validate_python(reported)
    except ValidationError:
        return None  # usable here, but its id cannot be returned to the user


def _usage(turn: _Turn, *, resumed: bool) -> Usage:
    tokens = turn.response.usage
    if resumed:
        # The protocol counts a session, some agents count a turn; of the first turn it is the same.
        return Usage()
    cost = _dollars(turn.updates.cost)
    if tokens is None:
        return Usage(cost_usd=cost)
    # opencode 1.18.33 counts cached tokens in addition to the input, Copilot 1.0.102 as part of it; the total decides.
    cached = (tokens.cached_read_tokens or 0) + (tokens.cached_write_tokens or 0)
    is_separate = tokens.total_tokens >= tokens.input_tokens + tokens.output_tokens + cached
    return Usage(
        input_tokens=tokens.input_tokens + (cached if is_separate else 0),
        cached_tokens=tokens.cached_read_tokens,
        output_tokens=tokens.output_tokens,
        reasoning_tokens=tokens.thought_tokens,
        cost_usd=cost,
    )


def _dollars(cost: Cost | None) -> float | None:
    return cost.amount if cost is not None and cost.currency == "USD" and 0 <= cost.amount < float("inf") else None


class _AgentFolders(Struct, frozen=True):
    """The folder in which an agent is started, and the folder of the files that it may request."""

    cwd: Path
    project: Path


Converse = Callable[[children.Command, CallFolder, ConsultTerms], AbstractAsyncContextManager[children.Conversation]]
"""Begins a conversation with the program of a command, and leaves no process behind."""

_STOPPING_S = 0.25  # for an agent to say that it has stopped; it is ended in any case


class AcpConsultant:
    """Asks the agent of ``spec``, started in ``surroundings`` with the variables that ``spec`` allows.

    ``converse`` begins the conversation; ``sparring.testing`` has an agent that needs no process.
    """

    def __init__(
        self,
        spec: AcpProvider,
        surroundings: Surroundings,
        *,
        redactor: Redactor,
        calls: CallFolders | None = None,
        converse: Converse = converse,
    ) -> None:
        self._converse = converse
        self._spec = spec
        self._surroundings = surroundings
        self._calls = calls or CallFolders(surroundings.private_dir)
        self._redactor = redactor

    async def ask(self, question: Question) -> Reply:
        """Return the agent's answer, or the failure."""
        return await consultant.unless_refused(self._spec, question, self._surroundings, self._asked)

    async def _asked(self, question: Question) -> Reply:
        with self._calls.new_folder() as folder:
            place = await run_sync(self._surroundings.readable, question.repo_access)
            confined = await run_sync(confine, self._spec, question.terms, place, folder.make_own)
            argv = (self._spec.program, *self._spec.argv, *confined.arguments)
            command = children.Command(argv, confined.environment, confined.cwd)
            # This process enforces the deadline, to ask the agent to stop; after its end, the supervisor does.
            terms = ConsultTerms(question.timeout_s + _STOPPING_S)
            text = confined.preamble + consultant.prompt_text(self._spec, question)
            conversation = self._converse(command, folder, terms)
            reply = await self._reply(conversation, question, text, _AgentFolders(confined.cwd, place.project))
            return self._surroundings.with_project_paths(reply, question.repo_access)

    async def _reply(
        self,
        converse: AbstractAsyncContextManager[children.Conversation],
        question: Question,
        text: str,
        folders: _AgentFolders,
    ) -> Reply:
        tool = self._spec.name
        late = f"{tool} gave no answer within {question.deadline_s:g} s."
        outcome: _Turn | AgentFailedError = AgentFailedError(FailureCode.TIMEOUT, late)
        async with converse as conversation:
            with anyio.move_on_after(question.timeout_s):
                outcome = await self._talk(conversation, question, text, folders)
        ended = output.EndedProgram(AskedQuestion(tool, question, self._redactor), conversation.finished())
        try:
            if isinstance(outcome, _Turn):
                return _answer(outcome, ended, has_efforts=bool(self._spec.efforts))
        except AgentFailedError as error:
            outcome = error
        if isinstance(outcome, AgentEndedError):
            return ended.without_result()
        if outcome.code is FailureCode.TIMEOUT and (last := self._last_try(ended.finished)):
            return ended.failure(last.code, f"{outcome.detail} Its last try failed: {last.detail}")
        return ended.failure(outcome.code, outcome.detail)

    def _last_try(self, finished: children.FinishedProcess) -> output.LastAttempt | None:
        known = self._spec.confinement
        return output.output_of(known).last_attempt(finished) if known else None

    async def _talk(
        self, conversation: children.Conversation, question: Question, text: str, folders: _AgentFolders
    ) -> _Turn | AgentFailedError:
        updates = SessionUpdates()
        client = AgentClient(
            updates, folders.project, question.repo_access, self._redactor, self._surroundings.read_file
        )
        transport = AgentTransport(conversation, self._spec.name)
        connection = Connection(client, transport)
        try:
            agent = Agent(connection, transport, self._spec.name)
            response = await agent.initialize(may_read=question.repo_access is RepoAccess.READ)
            capabilities = response.agent_capabilities or AgentCapabilities()
            session = await _open_session(agent, capabilities, spec=self._spec, question=question, cwd=folders.cwd)
            updates.begin(session.id)
            return _Turn(session, await _prompt_session(agent, session.id, text), updates, client)
        except AgentFailedError as error:
            return error
        finally:
            with anyio.CancelScope(shield=True):
                await connection.close()


async def _prompt_session(agent: Agent, session_id: str, text: str) -> PromptResponse:
    """Ask, and cancel the agent's turn when the caller is cancelled, so that it can stop what it has started.

    Raises:
        AgentFailedError: There is no answer.
    """
    outcomes: list[PromptResponse | AgentFailedError] = []
    asking = anyio.CancelScope(shield=True)
    over = anyio.Event()

    async def ask() -> None:
        with asking:
            try:
                outcomes.append(await agent.prompt(session_id, text))
            except AgentFailedError as error:
                outcomes.append(error)
        over.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        try:
            await over.wait()
        finally:
            with anyio.CancelScope(shield=True), anyio.move_on_after(_STOPPING_S):
                if not over.is_set():
                    await agent.cancel(session_id)
                    await over.wait()
            asking.cancel()
    (outcome,) = outcomes
    if isinstance(outcome, AgentFailedError):
        raise outcome
    return outcome
