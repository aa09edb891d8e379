"""Answers a brief's ``sources`` with a ``SourceFindings``.

What depends on the world stays here; what a page means for a source is said by ``checks.sources``.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import anyio
import anyio.to_thread

from sparring.checks.sources import judge
from sparring.consult.http import HttpClient
from sparring.consult.sources.admission import Admission
from sparring.consult.sources.fetching import Fetcher
from sparring.consult.sources.limits import Limits
from sparring.consult.sources.pages import Pages
from sparring.consult.sources.pdf import PdfReading
from sparring.consult.sources.resolving import Resolver, SystemResolver
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Reply, Usage
from sparring.schema.sources import SOURCES_STEP, Page, PageProblem, Source, SourceFinding, SourceFindings

_NOTHING = Usage(input_tokens=0, output_tokens=0, cost_usd=0.0)


@dataclass(frozen=True)
class World:
    """What looking sources up depends on.

    Attributes:
        clock: Seconds from some moment on; how old a remembered page is.
    """

    limits: Limits = field(default_factory=Limits)
    resolver: Resolver = field(default_factory=SystemResolver)
    clock: Callable[[], float] = time.monotonic


class SourceConsultant:
    """Answers under the name of ``tool``. Pages are remembered from one question to the next.

    ``environment`` says which hosts may be asked although they are not public (``SPARRING_SOURCES_ALLOW``), and where
    the certificates are. The proxies that it names are not used: see ``fetching``.
    """

    def __init__(self, environment: Mapping[str, str], *, tool: str, world: World | None = None) -> None:
        world = world or World()
        self._environment = environment
        self._tool = tool
        self._limits = world.limits
        self._admission = Admission.read(environment)
        fetcher = Fetcher(world.limits, world.resolver, self._admission)
        self._pages = Pages(fetcher, PdfReading(world.limits), world.limits, world.clock)

    async def ask(self, question: Question) -> Reply:
        """The findings; see ``Consultant.ask``. What could not be looked up in time is unreachable."""
        began = time.monotonic()
        if question.brief.step != SOURCES_STEP:
            detail = "this tool looks sources up, and does nothing else"
            return Failure(tool=self._tool, code=FailureCode.UNSUPPORTED, detail=detail)
        sources = question.brief.sources
        found: dict[int, SourceFinding] = {}
        with anyio.move_on_after(question.timeout_s):
            await self._look_up(sources, found)
        late = f"it was not looked up within {question.timeout_s:g} s"
        findings = tuple(found.get(place) or _missed(source, late) for place, source in enumerate(sources))
        return Answer(
            tool=self._tool,
            response=SourceFindings(findings=findings).model_dump_json(),
            duration_ms=round((time.monotonic() - began) * 1000),
            usage=_NOTHING,
            warnings=self._admission.warnings,
        )

    async def _look_up(self, sources: Sequence[Source], found: dict[int, SourceFinding]) -> None:
        """Put the findings into ``found`` as they come, by the places of ``sources``."""
        places: dict[str, list[int]] = {}
        for place, source in enumerate(sources):
            places.setdefault(source.url.partition("#")[0].strip(), []).append(place)
        client = HttpClient(self._environment)
        turns = anyio.Semaphore(self._limits.at_once)

        async def look_up(url: str) -> None:
            async with turns:
                page = await self._pages.page(client, url)
                for place in places[url]:
                    found[place] = await anyio.to_thread.run_sync(judge, sources[place], page, abandon_on_cancel=True)

        try:
            async with anyio.create_task_group() as tasks:
                for url in places:
                    tasks.start_soon(look_up, url)
        finally:
            await client.aclose()


def _missed(source: Source, why: str) -> SourceFinding:
    return judge(source, Page(url=source.url, problem=PageProblem.FAILED, detail=why))
