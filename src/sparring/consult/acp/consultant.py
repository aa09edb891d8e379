"""A consultant that is an agent: started for one question, talked with, and gone with its answer."""

import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from acp.connection import Connection
from acp.schema import AgentCapabilities, PromptResponse
from anyio.to_thread import run_sync

from sparring.consult.acp.agent import Agent
from sparring.consult.acp.answering import Turn, answer
from sparring.consult.acp.desk import Desk
from sparring.consult.acp.ending import AgentEndedError, AgentFailedError
from sparring.consult.acp.hearing import Hearing
from sparring.consult.acp.session import open_session
from sparring.consult.acp.transport import AgentTransport
from sparring.consult.commands import child_environment
from sparring.consult.confinement import Confinement, Surroundings, confine
from sparring.consult.furnishing import furnished
from sparring.consult.outputs import Asked
from sparring.consult.outputs.classification import failure, without_result
from sparring.consult.process import Command, Conversation, converse
from sparring.consult.prompt_file import PromptFiles
from sparring.consult.prompt_text import prompt_text
from sparring.consult.refusing import failed, not_started, refusal
from sparring.errors import ConfigurationError
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import FailureCode, Question, Reply
from sparring.schema.providers import AcpProvider
from sparring.text.redaction import Redactor

Converse = Callable[[Command], AbstractAsyncContextManager[Conversation]]
"""Begins a talk with what a command names, and leaves nothing of it behind."""

_STOPPING_S = 0.5  # for an agent to say that it has stopped; it is ended in any case


@dataclass(frozen=True)
class _Talk:
    """What one talk is about."""

    question: Question
    preamble: str
    cwd: Path


class AcpConsultant:
    """Asks the agent of ``spec``, started in ``surroundings`` with what ``spec`` allows of the environment.

    ``converse`` begins the talk with it; ``sparring.testing`` has an agent that needs no process.
    """

    def __init__(
        self, spec: AcpProvider, surroundings: Surroundings, *, redactor: Redactor, converse: Converse = converse
    ) -> None:
        self._converse_with = converse
        self._spec = spec
        self._surroundings = surroundings
        self._private_files = PromptFiles(surroundings.private_dir)
        self._redactor = redactor

    async def ask(self, question: Question) -> Reply:
        """The agent's answer, or why there is none."""
        if refused := refusal(self._spec, question, self._surroundings):
            return refused
        began = time.monotonic()
        try:
            confinement = await run_sync(confine, self._spec, question, self._surroundings)
            with (
                furnished(confinement, self._private_files) as confined,
                self._place(confined, question) as cwd,
            ):
                return await self._converse(self._command(confined, cwd), question, preamble=confined.preamble)
        except ConfigurationError as error:
            return failed(self._spec, FailureCode.UNSUPPORTED, str(error), duration_ms=_since(began))
        except OSError as error:
            return not_started(self._spec, error, duration_ms=_since(began))

    @contextmanager
    def _place(self, confinement: Confinement, question: Question) -> Generator[Path]:
        """Where the agent is started: in the project only if it may see it, else where there is nothing to see.

        A session that is to be found again needs a place that stays: agents keep sessions by folder.
        """
        private_dir, keeps = self._surroundings.private_dir, question.keep_session or question.session_id is not None
        if confinement.cwd is not None:
            yield confinement.cwd
        elif question.repo_access is RepoAccess.READ:
            yield self._surroundings.project
        elif keeps:
            folder = private_dir / "agents" / self._spec.name
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            yield folder
        else:
            private_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix="empty-", dir=private_dir, ignore_cleanup_errors=True) as folder:
                yield Path(folder)

    def _command(self, confinement: Confinement, cwd: Path) -> Command:
        env = child_environment(self._spec, self._surroundings.environment, also=confinement.passed_on)
        return Command(
            argv=(self._spec.program, *self._spec.argv, *confinement.arguments),
            env={**env, **confinement.variables},
            cwd=cwd,
        )

    async def _converse(self, command: Command, question: Question, *, preamble: str) -> Reply:
        asked = Asked(self._spec.name, question, self._redactor)
        late = f"{self._spec.name} gave no answer within {question.timeout_s:g} s."
        outcome: Turn | AgentFailedError = AgentFailedError(FailureCode.TIMEOUT, late)
        async with self._converse_with(command) as conversation:
            with anyio.move_on_after(question.timeout_s):
                outcome = await self._talk(conversation, _Talk(question, preamble, command.cwd))
        finished = conversation.finished()
        try:
            if isinstance(outcome, Turn):
                has_efforts = bool(self._spec.efforts)
                return answer(outcome, asked, has_efforts=has_efforts, duration_ms=finished.duration_ms)
        except AgentFailedError as error:
            outcome = error
        if isinstance(outcome, AgentEndedError):
            return without_result(asked, finished)
        return failure(asked, outcome.code, outcome.detail, finished)

    async def _talk(self, conversation: Conversation, talk: _Talk) -> Turn | AgentFailedError:
        question, tool = talk.question, self._spec.name
        hearing = Hearing()
        desk = Desk(hearing, self._surroundings.project, question.repo_access, self._redactor)
        transport = AgentTransport(conversation, tool)
        connection = Connection(desk, transport)
        try:
            agent = Agent(connection, transport, tool)
            told = await agent.initialize(may_read=question.repo_access is RepoAccess.READ)
            capabilities = told.agent_capabilities or AgentCapabilities()
            session = await open_session(agent, capabilities, spec=self._spec, question=question, cwd=talk.cwd)
            hearing.begin(session.id)
            response = await _prompted(agent, session.id, talk.preamble + prompt_text(self._spec, question))
            return Turn(session, response, hearing, desk)
        except AgentFailedError as error:
            return error
        finally:
            with anyio.CancelScope(shield=True):
                await connection.close()


async def _prompted(agent: Agent, session_id: str, text: str) -> PromptResponse:
    """Ask, and tell the agent when nobody waits for its answer any longer, so that it can stop what it has started.

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


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
