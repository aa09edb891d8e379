"""Questions to the calling agent: they wait in a mailbox until the agent answers with a call of its own.

An agent cannot be called back. So an ask is posted here, the server hands it to the agent and brings its
answer, and the waiting consultant continues. This module does not know the connection to the agent.
"""

import math
from collections.abc import Callable

import anyio
from msgspec import Struct, field

from sparring.errors import HostSilentError, UsageError
from sparring.schema.consultation import Answer, Question, Reply
from sparring.schema.transcript import Ask, Placed
from sparring.text.tidying import one_line

ANSWER_LIMIT = 1024 * 1024
"""Most characters of an answer: as much as a prompt that a tool is asked with (design: Consult)."""

_ID_SHOWN = 60


class PostedQuestion(Struct, frozen=True):
    """Something the agent is asked. ``prompt`` holds no secrets, when a consultant that redacts posted it."""

    ask_id: str
    place: Placed
    prompt: str


class _PendingQuestion(Struct):
    posted: PostedQuestion
    answer: str | None = None
    answered: anyio.Event = field(default_factory=anyio.Event)


class Mailbox:
    """Questions to the calling agent in one run.

    Args:
        run_id: The run, for messages about it.
        answered: Ids of asks that were answered before this process took up the run.
        silence_limit_s: Seconds without a sign of the agent after which the run is interrupted.
    """

    def __init__(
        self, run_id: str, *, answered: frozenset[str] = frozenset(), silence_limit_s: float = math.inf
    ) -> None:
        self._run_id = run_id
        self._answered = set(answered)
        self._unkept = set[str]()
        self._silence_limit_s = silence_limit_s
        self._pending_questions: dict[str, _PendingQuestion] = {}
        self._last_active_at = -math.inf
        self._on_posted: Callable[[], None] = lambda: None

    @property
    def waiting(self) -> tuple[PostedQuestion, ...]:
        """Questions without an answer, the oldest first."""
        return tuple(slip.posted for slip in self._pending_questions.values())

    @property
    def needs_answer(self) -> bool:
        """Return whether the agent should be shown what waits: not before its earlier answers are safe."""
        return bool(self._pending_questions) and not self._unkept

    def on_posted(self, notify: Callable[[], None]) -> None:
        """Have ``notify`` called after each new post."""
        self._on_posted = notify

    def kept(self, ask_id: str) -> None:
        """Note that the turn of that ask is written down."""
        self._unkept.discard(ask_id)

    def note_activity(self) -> None:
        """Note that the agent is still there."""
        self._last_active_at = anyio.current_time()

    def consultant(self, ask: Ask) -> "HostConsultant":
        """Return the consultant that passes ``ask`` to the agent."""
        return HostConsultant(ask, self)

    def answer(self, ask_id: str, text: str) -> None:
        """Take the agent's answer.

        Raises:
            UsageError: No ask waits for it, or it is no answer; the open asks stay.
        """
        self.note_activity()
        pending = self._pending_questions.get(ask_id)
        if pending is None:
            raise self._unexpected(ask_id)
        if not text.strip():
            raise UsageError(f"The answer to {ask_id} is empty.", hint="Write it, and call answer again.")
        if len(text) > ANSWER_LIMIT:
            raise UsageError(
                f"The answer to {ask_id} has {len(text):,} characters; at most {ANSWER_LIMIT:,} are taken.",
                hint="Shorten it, and call answer again.",
            )
        pending.answer = text
        del self._pending_questions[ask_id]
        self._answered.add(ask_id)
        self._unkept.add(ask_id)
        pending.answered.set()

    async def post(self, posted: PostedQuestion) -> str:
        """Post something and wait for its answer; raises ``HostSilentError``. Nothing is left of it when cancelled."""
        self._pending_questions[posted.ask_id] = slip = _PendingQuestion(posted)
        self._last_active_at = max(self._last_active_at, anyio.current_time())
        self._on_posted()
        try:
            while slip.answer is None:
                # An agent that answers something else, or queries the open asks, is still there.
                if anyio.current_time() >= self._last_active_at + self._silence_limit_s:
                    raise HostSilentError(_silence(posted, self._silence_limit_s), hint="Answers so far are kept.")
                with anyio.CancelScope(deadline=self._last_active_at + self._silence_limit_s):
                    await slip.answered.wait()
        finally:
            self._pending_questions.pop(posted.ask_id, None)
        return slip.answer

    def _unexpected(self, ask_id: str) -> UsageError:
        waiting = " and ".join(self._pending_questions)
        way_out = f"Waiting for your answer: {waiting}." if waiting else "Call wait: it returns when you are asked."
        if ask_id in self._answered:
            return UsageError(f"{ask_id} has been answered already; the first answer counts.", hint=way_out)
        return UsageError(f"Run {self._run_id} does not ask you {one_line(repr(ask_id), _ID_SHOWN)}.", hint=way_out)


class HostConsultant:
    """Puts one ask to the agent and waits without a limit: it may have to talk with its user.

    Unlike other consultants it does not end with ``question.timeout_s``, and it raises ``HostSilentError``:
    an agent that has disconnected should find its run unchanged, without a failure for rules to react to.
    """

    def __init__(self, ask: Ask, mailbox: Mailbox) -> None:
        self._ask = ask
        self._mailbox = mailbox

    async def ask(self, question: Question) -> Reply:
        """The agent's answer to ``question``, which is that of the ask, without secrets."""
        began = anyio.current_time()
        ask = self._ask
        text = await self._mailbox.post(PostedQuestion(ask.id, ask, question.prompt))
        duration_ms = round((anyio.current_time() - began) * 1000)
        return Answer(tool=ask.tool, response=text, duration_ms=duration_ms)


def _silence(posted: PostedQuestion, silence_limit_s: float) -> str:
    minutes = f"{silence_limit_s / 60:g} minutes"
    return f"{posted.place.tool}, the calling agent, was asked {posted.ask_id} and has not answered for {minutes}."
