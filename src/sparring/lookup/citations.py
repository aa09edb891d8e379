"""A consultant made of code: looks up in the project what speeches cite.

It reads ``question.brief``. For ``CITATIONS_STEP`` the finding is a ``CitationTable`` of all its speeches, where the
number of an answer is the round of its speech; for ``LEDGER_STEP`` a ``CitationLedger`` of its only one; for
``PLACES_STEP`` the places of its exhibits, which quote files. Each goes into the transcript as JSON, like
everything that depends on the world, so that nothing is looked up twice. Each question sees one state of the working
tree, and the next one may see another.
"""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path

import anyio

from sparring.checks.citations import check_ledger
from sparring.checks.citations.ledger import compare_citations
from sparring.checks.citations.lookup import root_relative
from sparring.checks.citations.tree import SourceText, read_source
from sparring.checks.code import Code, CodeLine
from sparring.errors import WorkerEndedError
from sparring.lookup.working_tree import SpelledFiles, look_at
from sparring.processes.workers import run_pure
from sparring.providers.receiving.causes import elapsed_ms
from sparring.schema.consultation import Answer, Exhibit, Failure, FailureCode, Question, Reply, Usage
from sparring.schema.lookups import CITATIONS_STEP, LEDGER_STEP, PLACES_STEP, CitationLedger, CitationTable
from sparring.schema.review import CodePlace, LocatedPlaces

_FILES_KEPT = 64
"""Cited files that are kept in memory for the next answer; each has 8 MiB at the most."""

_NOTHING = Usage(input_tokens=0, output_tokens=0, cost_usd=0.0)


class CitingConsultant:
    """Answers under the name of ``tool`` from the files of ``project``; ``environment`` is what git may see."""

    def __init__(self, project: Path, environment: Mapping[str, str], *, tool: str) -> None:
        self._project = project
        self._environment = environment
        self._tool = tool

    async def ask(self, question: Question) -> Reply:
        """Return the table, the ledger or the places; see ``Consultant.ask``."""
        began = time.monotonic()
        step, speeches = question.brief.step, len(question.brief.speeches)
        look_up = {CITATIONS_STEP: self._table, LEDGER_STEP: self._ledger, PLACES_STEP: self._places}.get(step)
        if look_up is None:
            return self._failure(FailureCode.UNSUPPORTED, f"there is no rule for the step {step[:80]!r}", began)
        if step == LEDGER_STEP and speeches != 1:
            return self._failure(FailureCode.UNSUPPORTED, f"a ledger is of one speech, here are {speeches}", began)
        with anyio.move_on_after(question.timeout_s), suppress(WorkerEndedError):
            answer = await look_up(question)
            text = answer.model_dump_json()
            return Answer(tool=self._tool, response=text, duration_ms=elapsed_ms(began), usage=_NOTHING)
        detail = f"the citations were not looked up within {question.timeout_s:g} s"
        return self._failure(FailureCode.TIMEOUT, detail, began)

    async def _table(self, question: Question) -> CitationTable:
        texts = {speech.round: speech.text for speech in question.brief.speeches}
        return await run_pure(_compared, texts, self._project, texts=tuple(texts.values()))

    async def _ledger(self, question: Question) -> CitationLedger:
        tree = await look_at(self._project, self._environment, timeout_s=question.timeout_s)
        (speech,) = question.brief.speeches
        check = partial(check_ledger, speech.text, tree, exhibits=question.brief.exhibits)
        return await run_pure(check, texts=(speech.text,))

    async def _places(self, question: Question) -> LocatedPlaces:
        quotes = question.brief.exhibits
        return await run_pure(_locations, quotes, self._project, texts=tuple(quote.text for quote in quotes))

    def _failure(self, code: FailureCode, detail: str, began: float) -> Failure:
        return Failure(tool=self._tool, code=code, detail=detail, duration_ms=elapsed_ms(began))


def _compared(texts: Mapping[int, str], project: Path) -> CitationTable:
    read = lru_cache(maxsize=_FILES_KEPT)(SpelledFiles(project).read)
    return compare_citations(texts, read)


def _locations(quotes: Sequence[Exhibit], project: Path) -> LocatedPlaces:
    """Find the code that ``quotes`` quote in their files; the place of a quote that is not found is None."""
    files = SpelledFiles(project)
    quotes_by_file = defaultdict[str, list[Exhibit]](list)
    for quote in quotes:
        quotes_by_file[quote.path].append(quote)
    places: dict[int, CodePlace] = {}
    for path, quotes_of_file in quotes_by_file.items():
        source = read_source(files.read, root_relative(path)) or SourceText("")
        code = Code([[CodeLine(number, line) for number, line in enumerate(source.lines, start=1)]])
        for quote in quotes_of_file:
            place = code.find(quote.text, quote.first, quote.last)
            if place:
                # The text of the quote was read without its secrets; the lines of the file may have some.
                first, last = place.first + 1, place.last + 1
                places[quote.number] = CodePlace(file=root_relative(path), first=first, last=last, text=quote.text)
    return LocatedPlaces(places=tuple(places.get(quote.number) for quote in quotes))
