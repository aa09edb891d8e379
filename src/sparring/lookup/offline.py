"""The consultant that needs no AI tool: code finds passages of the project. It never argues and never judges.

It reads ``question.brief`` only; the prompt is for models. Passages are found by BM25 over an inverted
index: S. Robertson, H. Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond* (2009), section 3; ``K1`` and
``B`` as in K. Spärck Jones, S. Walker, S. Robertson, *A probabilistic model of information retrieval* (2000). The
inverse document frequency has one added inside the logarithm, so that a term in most passages weighs little instead of
less than nothing. Terms are words of prose and of identifiers. Deliberately small: no dictionary, no language model.
English endings are cut, words of other languages (Vietnamese among them) are kept whole.

Memory is bounded for every project.
"""

import json
import stat
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
from msgspec import Struct

from sparring.lookup.working_tree import FILE_LIMIT, list_evidence_files
from sparring.prompts import PromptLibrary, fence
from sparring.providers.receiving.causes import elapsed_ms
from sparring.schema.chaired_debate import CONJECTURE_LABEL, CONTENT_LIMIT, EntryType
from sparring.schema.consultation import Answer, Brief, Failure, FailureCode, Question, Reply, Usage
from sparring.text.terms import K1, B, keywords, rarity, terms

CORPUS_LIMIT = 12 * 1024 * 1024
"""Most characters that are kept. Shallow files come first, since they are the ones that explain the rest."""

_SHORTEST, _LONGEST = 6, 12
"""Lines of a passage: it ends at the first empty line after the shortest length, or at the longest."""

_MINIFIED_LINE = 1000
"""A longer line was not written by hand; it is passed over."""


class Passage(Struct, frozen=True):
    """Some consecutive lines of a file; line numbers count from 1."""

    path: str
    first_line: int
    text: str

    @property
    def last_line(self) -> int:
        """The last line of the passage."""
        return self.first_line + self.text.count("\n")


class Corpus(Struct, frozen=True):
    """Passages of a project.

    Attributes:
        passages: In the order of paths and lines.
        files_read: Number of their files.
        files_left_out: Files that were not read: binary, unreadable, too large, or beyond the total limit.
    """

    passages: tuple[Passage, ...] = ()
    files_read: int = 0
    files_left_out: int = 0


def read_corpus(project: Path, paths: Iterable[str], *, limit: int = CORPUS_LIMIT) -> Corpus:
    """Return the texts of ``paths`` below ``project``, at most ``limit`` characters."""
    passages: list[Passage] = []
    room, read, left_out = limit, 0, 0
    for path in sorted(paths, key=lambda path: (path.count("/"), path)):
        text = _text(project / path) if room > 0 else None
        if text is None or len(text) > room:
            left_out += 1
            continue
        room -= len(text)
        read += 1
        passages.extend(cut(path, text))
    passages.sort(key=lambda passage: (passage.path, passage.first_line))
    return Corpus(tuple(passages), read, left_out)


def cut(path: str, text: str) -> Iterator[Passage]:
    """Yield the passages of one file. Lines end at a line feed only, as editors and ``path:line`` count them."""
    lines = ["" if len(line) > _MINIFIED_LINE else line.removesuffix("\r") for line in text.split("\n")]
    start = 0
    for end, line in enumerate(lines, start=1):
        length = end - start
        is_complete = length == _LONGEST or (length >= _SHORTEST and not line.strip()) or end == len(lines)
        if not is_complete:
            continue
        filled = [number for number in range(start, end) if lines[number].strip()]
        if filled:
            first, last = filled[0], filled[-1]
            yield Passage(path, first + 1, "\n".join(lines[first : last + 1]))
        start = end


def _text(file: Path) -> str | None:
    try:
        status = file.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > FILE_LIMIT:
            return None
        content = file.read_bytes()
        return None if b"\0" in content else content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None


_PASSAGES = 4
_TOPIC_TERMS = 24
"""Most terms of a topic that are searched for; more would make every passage fit."""

_SHOWN_TERMS = 4
_MOST_TERMS_SHOWN = 6

Phrases = Callable[..., str]
"""Words a phrase of ``prompts/offline/phrases.md``."""


class Library:
    """Passages of a project, with an inverted index of them, built once in linear time."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._lengths = array("I")
        self._postings: dict[str, array[int]] = {}
        for position, passage in enumerate(corpus.passages):
            counts = Counter(terms(f"{passage.path}\n{passage.text}"))  # the name of a file describes its content
            self._lengths.append(counts.total())
            for term, count in counts.items():
                self._postings.setdefault(term, array("I")).extend((position, count))
        self._average = sum(self._lengths) / len(corpus.passages) if corpus.passages else 0.0

    def answer(self, topic: str, phrase: Phrases, *, most: int = _PASSAGES) -> str:
        """Word up to ``most`` passages, each with its place and with the words of ``topic`` that are in it."""
        files = f"{self._corpus.files_read:,}"
        words_by_term = self._terms(topic)
        matched = self._search(words_by_term, most)
        if matched:
            parts = [phrase("answer-lead", count=str(len(matched)), files=files)]
        else:
            words = list(keywords(topic).values())[:_MOST_TERMS_SHOWN] or ["?"]
            parts = [phrase("answer-none", files=files, terms=_emphasised(words))]
        for passage, terms_in_it in matched.items():
            place = f"`{passage.path}:{passage.first_line}-{passage.last_line}`"
            shared = [word for term, word in words_by_term.items() if term in terms_in_it][:_SHOWN_TERMS]
            parts.append(phrase("answer-passage", place=place, terms=_emphasised(shared), text=fence(passage.text)))
        left_out = self._corpus.files_left_out
        if left_out:
            parts.append(phrase("basis-unread", count=f"{left_out:,}"))
        return "\n\n".join(parts)

    def entry(self, topic: str, phrase: Phrases) -> str:
        """Word the same as the content of an entry in the log of a chaired debate: a conjecture, no longer than one."""
        content = f"{CONJECTURE_LABEL} {self.answer(topic, phrase)}"
        if len(content) > CONTENT_LIMIT:
            content = f"{CONJECTURE_LABEL} {self.answer(topic, phrase, most=1)}"
        return content

    def _terms(self, topic: str) -> dict[str, str]:
        """Return the terms of ``topic`` in the project, with the words they stood for; the rarest if they are many."""
        words_by_term = {term: word for term, word in keywords(topic).items() if term in self._postings}
        rarest = set(sorted(words_by_term, key=lambda term: len(self._postings[term]))[:_TOPIC_TERMS])
        return {term: word for term, word in words_by_term.items() if term in rarest}

    def _search(self, terms: Iterable[str], limit: int) -> dict[Passage, set[str]]:
        """Return the best passages for ``terms``, each with those that are in it; ties in their order."""
        scores: dict[int, float] = {}
        matched: dict[int, set[str]] = {}
        for term in terms:
            postings = self._postings[term]
            weight = rarity(
                len(postings) // 2, len(self._corpus.passages)
            )  # a posting is the number of a passage, and a count
            for position, count in zip(postings[::2], postings[1::2], strict=True):
                norm = K1 * (1 - B + B * self._lengths[position] / self._average)
                scores[position] = scores.get(position, 0.0) + weight * count * (K1 + 1) / (count + norm)
                matched.setdefault(position, set()).add(term)
        best = sorted(scores, key=lambda position: (-scores[position], position))[:limit]
        return {self._corpus.passages[position]: matched[position] for position in best}


def _emphasised(words: Iterable[str]) -> str:
    return ", ".join(f"*{word}*" for word in words)


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
"""Steps that are answered with passages on the topic, regardless of earlier speeches."""

_ENTRIES = {
    "chaired-debate/opening": EntryType.OPENING_STATEMENT,
    "chaired-debate/action": EntryType.CONJECTURE,
    "chaired-debate/closing": EntryType.CLOSING_STATEMENT,
}
"""Steps that are answered with the same, as an entry of a log."""


class OfflineConsultant:
    """Answers by rule from the text of a project; the same brief and files always give the same words.

    The project is read once, when it is first needed, so that one run is about one state of it.
    """

    def __init__(self, project: Path, prompts: PromptLibrary, *, tool: str, environment: Mapping[str, str]) -> None:
        self._project = project
        self._prompts = prompts
        self._tool = tool
        self._environment = environment
        self._library: Library | None = None
        self._reading = anyio.Lock()

    async def ask(self, question: Question) -> Reply:
        """See ``Consultant.ask``. Requests for a model, a session or a judgement are refused."""
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

                def read() -> Library:
                    return Library(read_corpus(self._project, paths))

                self._library = await anyio.to_thread.run_sync(read, abandon_on_cancel=True)
            return self._library

    def _unsupported(self, question: Question) -> str:
        if question.brief.step not in {*_SPEECHES, *_ENTRIES, _READY}:
            return f"{self._tool} has no model: it finds passages and does not judge"
        if question.session_id:
            return "there are no sessions to continue without a model"
        if question.model:
            return f"it has no models; {question.model[:80]!r} was requested"
        return ""

    def _failure(self, code: FailureCode, detail: str, began: float) -> Failure:
        return Failure(tool=self._tool, code=code, detail=detail, duration_ms=elapsed_ms(began))


def compose(brief: Brief, library: Library, prompts: PromptLibrary, tool: str) -> str:
    """Compose the reply of a step from passages of the project; its first line states that no model wrote it."""

    def phrase(name: str, **values: str) -> str:
        return prompts.render(f"offline/phrases#{name}", values).strip()

    if brief.step == _READY:  # must be literal, with nothing before it
        return phrase("ready", role=brief.role.capitalize(), topic=brief.topic)
    notice = phrase("notice", tool=tool)
    if brief.step in _SPEECHES:
        return f"{notice}\n\n{library.answer(brief.topic, phrase)}"
    entry: dict[str, object] = {
        "type": _ENTRIES[brief.step],
        "content": library.entry(brief.topic, phrase),
        "sources": [],
        "rebuttal_to_seq": None,
        "target_seq": None,
        "source_challenge": None,
    }
    # An encoder's escapes keep a quoted fence from closing ours.
    text = json.dumps(entry, indent=2, ensure_ascii=False).replace("`", "\\u0060")
    return f"{notice}\n\n```json\n{text}\n```"
