"""The consultant without a model. Reads ``question.brief`` only; the prompt is for those who read prose."""

import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread

from sparring.consult.offline.answering import answer
from sparring.consult.offline.case import Case, Library
from sparring.consult.offline.chairing import LITERAL_STEPS as CHAIRED_LITERALLY
from sparring.consult.offline.chairing import STEPS as CHAIRED
from sparring.consult.offline.corpus import read_corpus
from sparring.consult.offline.debating.challenging import response
from sparring.consult.offline.debating.defending import defense
from sparring.consult.offline.debating.following_up import follow_up
from sparring.consult.offline.debating.judging import synthesis
from sparring.consult.offline.debating.opening import opening
from sparring.consult.offline.debating.opening_against import opening_against
from sparring.consult.offline.debating.summarizing import summary
from sparring.consult.offline.writing import notice
from sparring.consult.working_tree import list_evidence_files, read_cited
from sparring.prompts import PromptLibrary
from sparring.schema.consultation import Answer, Brief, Failure, FailureCode, Question, Reply, Usage

_ON_THE_PROJECT: Mapping[str, Callable[[Case], str]] = {
    "consult/question": answer,
    "debate/opening": opening,
    "debate/blind-opening": opening_against,
    "debate/response": response,
    "debate/defense": defense,
    "debate/follow-up": follow_up,
    "debate/summary": summary,
    "debate/synthesis": synthesis,
    **CHAIRED,
}
_ABOUT_TEXTS = ("fact-check/", "jury/")

_PLAIN_ENVIRONMENT = {"PATH": os.defpath}


class OfflineConsultant:
    """Answers by rule from the text of a project; the same brief and files always give the same words.

    The project is read once, when it is first needed, so that one run argues about one state of it.
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
        """See ``Consultant.ask``. A session or a model cannot be had here, and a wish for one is refused."""
        began = time.monotonic()
        if problem := _unsupported(question):
            return self._failure(FailureCode.UNSUPPORTED, problem, began)
        with anyio.move_on_after(question.timeout_s):
            words = await self._words(question)
            return Answer(tool=self._tool, response=words, duration_ms=_since(began), usage=Usage(cost_usd=0.0))
        return self._failure(FailureCode.TIMEOUT, f"no answer within {question.timeout_s:g} s", began)

    async def _words(self, question: Question) -> str:
        brief = question.brief
        if brief.step.startswith(_ABOUT_TEXTS):
            words = partial(_compose_on_texts, brief, self._prompts, self._tool)
        else:
            words = partial(self._compose, brief, await self._read_once(question.timeout_s))
        return await anyio.to_thread.run_sync(words, abandon_on_cancel=True)

    async def _read_once(self, timeout_s: float) -> Library:
        async with self._reading:
            if self._library is None:
                paths = await list_evidence_files(self._project, self._environment, timeout_s=timeout_s)
                read = partial(_read_library, self._project, paths)
                self._library = await anyio.to_thread.run_sync(read, abandon_on_cancel=True)
            return self._library

    def _compose(self, brief: Brief, library: Library) -> str:
        case = Case(brief, library, partial(read_cited, self._project), self._prompts, self._tool)
        return compose(case)

    def _failure(self, code: FailureCode, detail: str, began: float) -> Failure:
        return Failure(tool=self._tool, code=code, detail=detail, duration_ms=_since(began))


def compose(case: Case) -> str:
    """The whole answer to a case; its first line says that no model wrote it, unless each word is laid down."""
    words = _ON_THE_PROJECT[case.brief.step](case)
    return words if case.brief.step in CHAIRED_LITERALLY else f"{notice(case.prompts, case.tool)}\n\n{words}"


def _read_library(project: Path, paths: tuple[str, ...]) -> Library:
    return Library(read_corpus(project, paths))


def _compose_on_texts(brief: Brief, prompts: PromptLibrary, tool: str) -> str:
    from sparring.consult.offline.texts import compose_on_texts  # noqa: PLC0415 -- see that module's docstring

    return compose_on_texts(brief, prompts, tool)


def _is_known(step: str) -> bool:
    if not step.startswith(_ABOUT_TEXTS):
        return step in _ON_THE_PROJECT
    from sparring.consult.offline.texts import STEPS  # noqa: PLC0415 -- see that module's docstring

    return step in STEPS


def _unsupported(question: Question) -> str:
    if not _is_known(question.brief.step):
        return f"there is no rule for the step {question.brief.step[:80]!r}"
    if question.session_id:
        return "there are no sessions to continue without a model"
    return f"there is no model to choose, {question.model[:80]!r} was asked for" if question.model else ""


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
