"""What the project says on a topic: the passages that fit it best, word for word. What they mean is left to readers."""

from collections.abc import Callable, Iterable

from sparring.prompts import fence
from sparring.providers.offline.corpus import Corpus
from sparring.providers.offline.retrieval import Index, keywords
from sparring.schema.chaired_debate import CONJECTURE_LABEL, CONTENT_LIMIT

_PASSAGES = 4
_TOPIC_TERMS = 24
"""Most terms of a topic that are searched for; more would make every passage fit."""

_SHOWN_TERMS = 4
_TERMS_NOT_FOUND = 6

Say = Callable[..., str]
"""Words a phrase of ``prompts/offline/phrases.md``."""


class Library:
    """What was read of a project, ready to be searched."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._index = Index(corpus.passages)

    def answer(self, topic: str, say: Say, *, most: int = _PASSAGES) -> str:
        """Up to ``most`` passages, each with its place and with the words of ``topic`` that it holds."""
        files = f"{self._corpus.files_read:,}"
        terms = self._terms(topic)
        hits = self._index.search(terms, limit=most)
        if not hits:
            searched = ", ".join(f"*{word}*" for word in list(keywords(topic).values())[:_TERMS_NOT_FOUND]) or "*?*"
            return "\n\n".join([say("answer-none", files=files, terms=searched), *self._unread(say)])
        parts = [say("answer-lead", count=str(len(hits)), files=files)]
        for hit in hits:
            passage = hit.passage
            place = f"`{passage.path}:{passage.first_line}-{passage.last_line}`"
            shared = ", ".join([f"*{word}*" for term, word in terms.items() if term in hit.matched][:_SHOWN_TERMS])
            parts.append(say("answer-passage", place=place, terms=shared, text=fence(passage.text)))
        return "\n\n".join([*parts, *self._unread(say)])

    def entry(self, topic: str, say: Say) -> str:
        """The same as the content of an entry in the log of a chaired debate: a conjecture, and no longer than one."""
        answers = [f"{CONJECTURE_LABEL} {self.answer(topic, say, most=most)}" for most in (_PASSAGES, 1)]
        return next((content for content in answers if len(content) <= CONTENT_LIMIT), answers[-1])

    def _terms(self, topic: str) -> dict[str, str]:
        """The terms of ``topic`` that the project knows, with the words they stood for; the rarest if they are many."""
        found = {term: word for term, word in keywords(topic).items() if self._index.frequency(term)}
        rarest = set(sorted(found, key=self._index.frequency)[:_TOPIC_TERMS])
        return {term: word for term, word in found.items() if term in rarest}

    def _unread(self, say: Say) -> Iterable[str]:
        """That some files were not searched, in a sentence; nothing when all of them were."""
        left_out = self._corpus.files_left_out
        return (say("basis-unread", count=f"{left_out:,}"),) if left_out else ()
