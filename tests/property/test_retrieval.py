"""Whatever the files and the topic: what is quoted stands where it is cited, and the same is found again."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.checks.citations import CitationStatus, check_citations
from sparring.consult.offline.case import Case, Library
from sparring.consult.offline.consultant import compose
from sparring.consult.offline.corpus import Corpus, cut
from sparring.consult.offline.retrieval import Index
from sparring.consult.offline.terms import keywords, terms
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.consultation import Brief, Speech

WORDS = [
    "cache",
    "disk",
    "The",
    "must",
    "write",
    "`code`",
    "``x``",
    "because",
    "it",
    "fails.",
    "#",
    "-",
    "secret",
    "đĩa",
]
LINES = st.one_of(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), st.text(max_size=60))
TEXTS = st.lists(LINES, max_size=40).map("\n".join)
FILES = st.dictionaries(st.sampled_from(["a.md", "src/b.py", "tests/test_c.py", "my docs/d e.md"]), TEXTS, max_size=4)
TOPICS = st.lists(st.sampled_from([*WORDS, "or", "Should"]), min_size=1, max_size=8).map(" ".join)
PROMPTS = PromptLibrary()
ORDER = [
    (Role.PROPOSER, "debate/opening", 1),
    (Role.CHALLENGER, "debate/response", 1),
    (Role.PROPOSER, "debate/defense", 2),
    (Role.CHALLENGER, "debate/follow-up", 2),
]


def debated(files: dict[str, str], topic: str) -> list[str]:
    passages = tuple(passage for path, text in sorted(files.items()) for passage in cut(path, text))
    library = Library(Corpus(passages, len(files)))
    speeches: tuple[Speech, ...] = ()
    for role, step, round_ in ORDER:
        brief = Brief(step=step, topic=topic, role=role, round=round_, speeches=speeches)
        text = compose(Case(brief, library, files.get, PROMPTS, "offline"))
        speeches += (Speech(role=role, round=round_, text=text),)
    return [speech.text for speech in speeches]


@settings(deadline=None)
@given(FILES, TOPICS)
def test_every_quotation_of_every_speech_stands_where_it_is_cited(files: dict[str, str], topic: str) -> None:
    for text in debated(files, topic):
        for found in check_citations(text, files.get):
            assert found.status is CitationStatus.VERIFIED, (found, text)


@settings(deadline=None, max_examples=30)
@given(FILES, TOPICS)
def test_the_same_files_and_topic_give_the_same_words(files: dict[str, str], topic: str) -> None:
    assert debated(files, topic) == debated(dict(reversed(files.items())), topic)


@given(TEXTS)
def test_passages_are_the_lines_of_the_file_in_order(text: str) -> None:
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    covered: list[int] = []
    for passage in cut("a.md", text):
        numbers = range(passage.first_line, passage.last_line + 1)
        assert [lines[number - 1] for number in numbers] == passage.text.split("\n")
        covered.extend(numbers)
    assert covered == sorted(set(covered))
    assert {number for number, line in enumerate(lines, start=1) if line.strip()} <= set(covered)


@given(FILES, TOPICS)
def test_hits_hold_what_was_asked_for_and_come_best_first(files: dict[str, str], topic: str) -> None:
    passages = [passage for path, text in files.items() for passage in cut(path, text)]
    query = dict.fromkeys(keywords(topic), 1.0)
    hits = Index(passages).search(query, limit=5)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for hit in hits:
        held = set(terms(f"{hit.passage.path}\n{hit.passage.text}"))
        assert hit.matched == held & query.keys()
        assert hit.score > 0
