"""The plain consultation: the passages that fit a question best, word for word."""

from sparring.consult.offline.case import Case
from sparring.consult.offline.evidence import code_span
from sparring.consult.offline.terms import keywords
from sparring.prompts import fence

_PASSAGES = 4


def answer(case: Case) -> str:
    """Up to four passages, each with its place and with the words of the question that it holds."""
    files = f"{case.library.corpus.files_read:,}"
    hits = case.library.index.search(dict.fromkeys(case.topic, 1.0), limit=_PASSAGES)
    if not hits:
        searched = ", ".join(f"*{word}*" for word in list(keywords(case.brief.topic).values())[:6]) or "*?*"
        return "\n\n".join([case.say("answer-none", files=files, terms=searched), *case.unread])
    parts = [case.say("answer-lead", count=str(len(hits)), files=files)]
    for hit in hits:
        passage = hit.passage
        place = code_span(f"{passage.path}:{passage.first_line}-{passage.last_line}")
        parts.append(case.say("answer-passage", place=place, terms=case.words(hit.matched), text=fence(passage.text)))
    return "\n\n".join([*parts, *case.unread])
