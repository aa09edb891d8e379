"""The consultant without a model. Reads ``question.brief`` only; the prompt is for those who read prose."""

import json
import os
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread

from sparring.prompts import PromptLibrary
from sparring.providers.failures import elapsed_ms
from sparring.providers.lookup.working_tree import list_evidence_files
from sparring.providers.offline.passages import Library, read_corpus
from sparring.schema.chaired_debate import EntryType
from sparring.schema.consultation import Answer, Brief, Failure, FailureCode, Question, Reply, Usage

_READY = "chaired-debate/ready"
_SPEECHES = frozenset(
    {
        "consult/question",
        "debate/opening",
        "debate/blind-opening",
        "debate/response",
        "debate/defense",
        "debate/follow-up",
    }
)
"""Steps that are answered with what the project says on the topic, whatever was said before."""

_ENTRIES = {
    "chaired-debate/opening": EntryType.OPENING_STATEMENT,
    "chaired-debate/action": EntryType.CONJECTURE,
    "chaired-debate/closing": EntryType.CLOSING_STATEMENT,
}
"""Steps that are answered with the same, as an entry of a log."""

_PLAIN_ENVIRONMENT = {"PATH": os.defpath}


class OfflineConsultant:
    """Answers by rule from the text of a project; the same brief and files always give the same words.

    The project is read once, when it is first needed, so that one run is about one state of it.
    """

    def __init__(
        self,
        project: Path,
        prompts: PromptLibrary,
        *,
        tool: str = "offline",
        environment: Mapping[str, str] = _PLAIN_ENVIRONMENT,
    ) -> None:
        self._project = project
        self._prompts = prompts
        self._tool = tool
        self._environment = environment
        self._library: Library | None = None
        self._reading = anyio.Lock()

    async def ask(self, question: Question) -> Reply:
        """See ``Consultant.ask``. What needs a model, a session or a judgement is refused."""
        began = time.monotonic()
        if problem := self._unsupported(question):
            return self._failure(FailureCode.UNSUPPORTED, problem, began)
        with anyio.move_on_after(question.timeout_s):
            words = await self._words(question)
            return Answer(tool=self._tool, response=words, duration_ms=elapsed_ms(began), usage=Usage(cost_usd=0.0))
        return self._failure(FailureCode.TIMEOUT, f"no answer within {question.timeout_s:g} s", began)

    async def _words(self, question: Question) -> str:
        library = await self._read_once(question.timeout_s)
        words = partial(compose, question.brief, library, self._prompts, self._tool)
        return await anyio.to_thread.run_sync(words, abandon_on_cancel=True)

    async def _read_once(self, timeout_s: float) -> Library:
        async with self._reading:
            if self._library is None:
                paths = await list_evidence_files(self._project, self._environment, timeout_s=timeout_s)
                read = partial(_read_library, self._project, paths)
                self._library = await anyio.to_thread.run_sync(read, abandon_on_cancel=True)
            return self._library

    def _unsupported(self, question: Question) -> str:
        if not _is_known(question.brief.step):
            return f"{self._tool} has no model: it finds passages and does not judge"
        if question.session_id:
            return "there are no sessions to continue without a model"
        return f"there is no model to choose, {question.model[:80]!r} was asked for" if question.model else ""

    def _failure(self, code: FailureCode, detail: str, began: float) -> Failure:
        return Failure(tool=self._tool, code=code, detail=detail, duration_ms=elapsed_ms(began))


def compose(brief: Brief, library: Library, prompts: PromptLibrary, tool: str) -> str:
    """What the project says on the topic, in the form of the step; the first line says that no model wrote it."""

    def say(phrase: str, **values: str) -> str:
        return prompts.render(f"offline/phrases#{phrase}", values).strip()

    if brief.step == _READY:  # has to be said word for word, with nothing before it
        return say("ready", role=brief.role.capitalize(), topic=brief.topic)
    if brief.step in _SPEECHES:
        return f"{notice(prompts, tool)}\n\n{library.answer(brief.topic, say)}"
    entry: dict[str, object] = {
        "type": _ENTRIES[brief.step],
        "content": library.entry(brief.topic, say),
        "sources": [],
        "rebuttal_to_seq": None,
        "target_seq": None,
        "source_challenge": None,
    }
    return f"{notice(prompts, tool)}\n\n{json_block(entry)}"


def notice(prompts: PromptLibrary, tool: str) -> str:
    """That no model wrote the answer: the first line of each."""
    return prompts.render("offline/phrases#notice", {"tool": tool}).strip()


def json_block(value: Mapping[str, object]) -> str:
    """``value`` as one JSON object in a fence."""
    # An encoder's escapes keep a quoted fence from closing ours.
    text = json.dumps(value, indent=2, ensure_ascii=False).replace("`", "\\u0060")
    return f"```json\n{text}\n```"


def _read_library(project: Path, paths: tuple[str, ...]) -> Library:
    return Library(read_corpus(project, paths))


def _is_known(step: str) -> bool:
    return step in _SPEECHES or step in _ENTRIES or step == _READY
