"""Asking the consultant that looks sources up."""

from collections.abc import Mapping

from msgspec import Struct, field

from sparring.lookup.fetching import SourceLimits
from sparring.lookup.sources import SourceConsultant, SourceWorld
from sparring.schema.base import Role
from sparring.schema.consultation import Answer, Brief, Question, Source
from sparring.schema.lookups import SOURCES_STEP, SourceFinding, SourceFindings
from support.pages import Site

TOOL = "sparring-sources"


class Names(Struct):
    """A resolver that knows the addresses it was given: each look-up takes the next, and the last one stays."""

    known: Mapping[str, list[tuple[str, ...]]]
    asked: list[str] = field(default_factory=list[str])
    sources: Mapping[str, str] = field(default_factory=dict[str, str])

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        self.asked.append(f"{host}:{port}")
        answers = self.known.get(host)
        if answers is None:
            raise OSError(-2, "Name or service not known")
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def source(self, place: str) -> str | None:
        return self.sources.get(place)


def question(*sources: Source, timeout_s: float = 60, step: str = SOURCES_STEP) -> Question:
    brief = Brief(step=step, topic="sources", role=Role.VERIFIER, round=1, sources=sources)
    return Question(prompt="Not read.", brief=brief, timeout_s=timeout_s)


def consultant(*allowed: str, world: SourceWorld | None = None, limits: SourceLimits | None = None) -> SourceConsultant:
    """One that may ask ``allowed`` although they are not public."""
    made = world or SourceWorld(limits=limits or SourceLimits())
    return SourceConsultant({"SPARRING_SOURCES_ALLOW": ",".join(allowed)}, tool=TOOL, world=made)


def allowing(site: Site, limits: SourceLimits | None = None) -> SourceConsultant:
    """One that may ask ``site``."""
    return consultant(f"127.0.0.1:{site.port}", limits=limits)


async def findings(asked: SourceConsultant, *sources: Source, timeout_s: float = 60) -> tuple[SourceFinding, ...]:
    reply = await asked.ask(question(*sources, timeout_s=timeout_s))
    assert isinstance(reply, Answer)
    return SourceFindings.model_validate_json(reply.response).findings


async def finding(asked: SourceConsultant, url: str, quote: str = "", *, timeout_s: float = 60) -> SourceFinding:
    (found,) = await findings(asked, Source(url=url, quote=quote), timeout_s=timeout_s)
    return found
