"""Everything that the rules of a step may look at: the topic, the speeches, the evidence, the words to say it in."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from sparring.checks.citations import CheckedCitation
from sparring.checks.conduct import Spoken, conduct
from sparring.consult.offline.corpus import Corpus
from sparring.consult.offline.evidence import Evidence, find_evidence
from sparring.consult.offline.reading import HeardSpeech, Point
from sparring.consult.offline.retrieval import Index
from sparring.consult.offline.terms import keywords
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.consultation import Brief, Speech
from sparring.schema.debate import SPEAKING_ORDER, Concession

TOPIC_TERMS = 24
"""Most terms of a text that are searched for; more would make every passage fit."""

_ECHO_LENGTH = 20
"""Characters of a topic that no line holds by chance."""

SHOWN_TERMS = 4


class Library:
    """What was read of a project, ready to be searched."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.index = Index(corpus.passages)


class Case:
    """One brief, and what is needed to answer it."""

    def __init__(
        self, brief: Brief, library: Library, read: Callable[[str], str | None], prompts: PromptLibrary, tool: str
    ) -> None:
        self.brief = brief
        self.library = library
        self.tool = tool
        self._read = read
        self.prompts = prompts

    def with_speeches(self, speeches: Iterable[Speech]) -> "Case":
        """The same case after ``speeches``."""
        brief = self.brief.model_copy(update={"speeches": tuple(speeches)})
        return Case(brief, self.library, self._read, self.prompts, self.tool)

    def say(self, phrase: str, **values: str) -> str:
        """The words of ``phrase`` in ``prompts/offline/phrases.md``."""
        return self.prompts.render(f"offline/phrases#{phrase}", values).strip()

    @property
    def unread(self) -> tuple[str, ...]:
        """That some files were not searched, in a sentence; nothing when all of them were."""
        left_out = self.library.corpus.files_left_out
        return (self.say("basis-unread", count=f"{left_out:,}"),) if left_out else ()

    @cached_property
    def topic(self) -> dict[str, str]:
        """The terms of the topic that the project knows, with the words they stood for."""
        found = {term: word for term, word in keywords(self.brief.topic).items() if self.library.index.frequency(term)}
        rarest = set(sorted(found, key=self.library.index.frequency)[:TOPIC_TERMS])
        return {term: word for term, word in found.items() if term in rarest}

    @cached_property
    def heard(self) -> tuple[HeardSpeech, ...]:
        """All speeches so far, taken apart."""
        return tuple(HeardSpeech(speech, self._read) for speech in self.brief.speeches)

    @cached_property
    def quoted(self) -> set[tuple[str, int]]:
        """Every place that somebody has cited."""
        return {
            (found.citation.path, line)
            for speech in self.heard
            for found in speech.citations
            for line in cited_lines(found)
        }

    @cached_property
    def concessions(self) -> tuple[Concession, ...]:
        """What the debaters gave up, in the order of speaking, and what of it they took back."""
        spoken = [
            Spoken(side, speech.round, speech.text, None)
            for speech in self.brief.speeches
            for side in SPEAKING_ORDER
            if speech.role is side
        ]
        return conduct(spoken).concessions

    def by(self, role: Role, *, until: int | None = None) -> tuple[HeardSpeech, ...]:
        """The speeches of one side, oldest first, up to the round ``until``."""
        return tuple(
            speech for speech in self.heard if speech.role is role and (until is None or speech.round <= until)
        )

    def latest(self, role: Role) -> tuple[Point, ...]:
        """The points of the last speech of one side; empty when it has not spoken."""
        speeches = self.by(role)
        return speeches[-1].points if speeches else ()

    def evidence(
        self, query: Mapping[str, float], *, avoid: Iterable[tuple[str, int]] = (), limits_first: bool = False
    ) -> Iterable[Evidence]:
        """Quotations on ``query`` that nobody has used yet, best first."""
        found = find_evidence(self.library.index, query, avoid=self.quoted.union(avoid), limits_first=limits_first)
        return (evidence for evidence in found if not self._repeats_the_topic(evidence))

    def _repeats_the_topic(self, evidence: Evidence) -> bool:
        """Whether a line is the question itself, as a script or a log holds it: that supports no side."""
        asked = " ".join(self.brief.topic.split()).casefold()
        return len(asked) >= _ECHO_LENGTH and asked in evidence.words.casefold()

    def words(self, chosen: Iterable[str], known: Mapping[str, str] | None = None) -> str:
        """A few terms in italics, in the order and the spelling of the text that they are from."""
        spelled = self.topic if known is None else known
        wanted = set(chosen)
        return ", ".join([f"*{word}*" for term, word in spelled.items() if term in wanted][:SHOWN_TERMS])


def cited_lines(found: CheckedCitation) -> range:
    """The lines that a citation names; none for a whole file."""
    citation = found.citation
    if citation.line is None or citation.end_line is None:
        return range(0)
    return range(citation.line, min(citation.end_line, citation.line + 1000) + 1)


def places(evidence: Evidence) -> list[tuple[str, int]]:
    """The places that quoting ``evidence`` uses up."""
    return [(evidence.path, line) for line in range(evidence.line, evidence.end_line + 1)]
