"""A consultant made of code: lists what several answers cite, and looks the cited places up in the project.

It reads ``question.brief``; the number of an answer is the round of its speech. The finding is a ``CitationTable`` as
JSON: it goes into the transcript like anything else that depends on the world, so that nobody has to look twice.
"""

import time
from functools import lru_cache, partial
from pathlib import Path

import anyio
import anyio.to_thread

from sparring.checks.side_by_side import compare_citations
from sparring.consult.offline.listing import read_cited
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Reply, Usage

_FILES_KEPT = 64
"""Cited files that are kept in memory while the next answer is looked at; each has 8 MiB at the most."""

_NOTHING = Usage(input_tokens=0, output_tokens=0, cost_usd=0.0)


class CitingConsultant:
    """Answers under the name of ``tool`` from the files of ``project``."""

    def __init__(self, project: Path, *, tool: str) -> None:
        self._project = project
        self._tool = tool

    async def ask(self, question: Question) -> Reply:
        """The table; see ``Consultant.ask``."""
        began = time.monotonic()
        texts = {speech.round: speech.text for speech in question.brief.speeches}
        with anyio.move_on_after(question.timeout_s):
            read = lru_cache(maxsize=_FILES_KEPT)(partial(read_cited, self._project))
            table = await anyio.to_thread.run_sync(compare_citations, texts, read, abandon_on_cancel=True)
            return Answer(tool=self._tool, response=table.model_dump_json(), duration_ms=_since(began), usage=_NOTHING)
        detail = f"the citations were not looked up within {question.timeout_s:g} s"
        return Failure(tool=self._tool, code=FailureCode.TIMEOUT, detail=detail, duration_ms=_since(began))


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
