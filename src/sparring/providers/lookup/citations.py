"""A consultant made of code: looks up in the project what speeches cite.

It reads ``question.brief``. For ``CITATIONS_STEP`` the finding is a ``CitationTable`` of all its speeches, where the
number of an answer is the round of its speech; for ``LEDGER_STEP`` a ``Ledger`` of its only one. Either goes into the
transcript as JSON, like anything else that depends on the world, so that nobody has to look twice. Each question sees
one state of the working tree, and the next one may see another.
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path

import anyio

from sparring.checks.citations import check_ledger
from sparring.checks.citations.ledger import compare_citations
from sparring.errors import WorkerEndedError
from sparring.providers.failures import elapsed_ms
from sparring.providers.lookup.working_tree import SpelledFiles, look_at
from sparring.providers.worker import run_pure
from sparring.schema.consultation import Answer, Brief, Failure, FailureCode, Question, Reply, Usage
from sparring.schema.lookups import CITATIONS_STEP, LEDGER_STEP, CitationTable, Ledger

_FILES_KEPT = 64
"""Cited files that are kept in memory while the next answer is looked at; each has 8 MiB at the most."""

_NOTHING = Usage(input_tokens=0, output_tokens=0, cost_usd=0.0)


class CitingConsultant:
    """Answers under the name of ``tool`` from the files of ``project``; ``environment`` is what git may see."""

    def __init__(self, project: Path, environment: Mapping[str, str], *, tool: str) -> None:
        self._project = project
        self._environment = environment
        self._tool = tool

    async def ask(self, question: Question) -> Reply:
        """The table or the ledger; see ``Consultant.ask``."""
        began = time.monotonic()
        step, speeches = question.brief.step, len(question.brief.speeches)
        if step not in (CITATIONS_STEP, LEDGER_STEP):
            return self._failure(FailureCode.UNSUPPORTED, f"there is no rule for the step {step[:80]!r}", began)
        if step == LEDGER_STEP and speeches != 1:
            return self._failure(FailureCode.UNSUPPORTED, f"a ledger is of one speech, here are {speeches}", began)
        with anyio.move_on_after(question.timeout_s), suppress(WorkerEndedError):
            found = await (self._ledger if step == LEDGER_STEP else self._table)(question)
            return Answer(
                tool=self._tool, response=found.model_dump_json(), duration_ms=elapsed_ms(began), usage=_NOTHING
            )
        detail = f"the citations were not looked up within {question.timeout_s:g} s"
        return self._failure(FailureCode.TIMEOUT, detail, began)

    async def _table(self, question: Question) -> CitationTable:
        texts = {speech.round: speech.text for speech in question.brief.speeches}
        return await run_pure(_compared, texts, self._project, texts=tuple(texts.values()))

    async def _ledger(self, question: Question) -> Ledger:
        tree = await look_at(self._project, self._environment, timeout_s=question.timeout_s)
        text = _only_text(question.brief)
        check = partial(check_ledger, text, tree, exhibits=question.brief.exhibits)
        return await run_pure(check, texts=(text,))

    def _failure(self, code: FailureCode, detail: str, began: float) -> Failure:
        return Failure(tool=self._tool, code=code, detail=detail, duration_ms=elapsed_ms(began))


def _compared(texts: Mapping[int, str], project: Path) -> CitationTable:
    return compare_citations(texts, lru_cache(maxsize=_FILES_KEPT)(SpelledFiles(project).read))


def _only_text(brief: Brief) -> str:
    (speech,) = brief.speeches
    return speech.text
