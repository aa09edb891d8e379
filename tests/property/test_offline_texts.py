"""Whatever the claim, the texts, the files and the topic: answers made by rule can be read, and quote what is there."""

from hypothesis import assume, given
from hypothesis import strategies as st

from sparring.checks.citations import check_citations
from sparring.lookup.offline import cut
from support.projects import brief, composed

WORDS_TEXT = """
    The tower|Anna|of Oslo|is|was|not|never|30 metres|1,200|5 %|March 3, 2020|in 1961|more than|tall|opened|because|and
    |,|.|“so”|"so"|``|'s|```json|{"a": 1}|\n|Tháp|cao|năm 1889|không|e\u0301cole|東京|\ufffd|(|)|-|e.g.|cache|disk|must
    |write|`code`|``x``|fails.|#|secret|đĩa
"""
WORDS = [word.strip(" ") for word in WORDS_TEXT.replace("\n    ", " ").strip().split("|")]
LINES = st.lists(st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join), max_size=12).map("\n".join)
FILES = st.dictionaries(st.sampled_from(["a.md", "src/b.py", "tests/test_c.py", "my docs/d e.md"]), LINES, max_size=4)
TOPICS = st.lists(st.sampled_from([*WORDS, "or", "Should"]), min_size=1, max_size=8).map(" ".join)


@given(FILES, TOPICS)
def test_every_passage_stands_where_it_is_cited(files: dict[str, str], topic: str) -> None:
    assume(topic.strip())
    text = composed(brief("consult/question", topic), files)
    for found in check_citations(text, files.get):
        assert found.status.exists, (found, text)


@given(LINES)
def test_passages_are_the_lines_of_the_file_in_order(text: str) -> None:
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    covered: list[int] = []
    for passage in cut("a.md", text):
        numbers = range(passage.first_line, passage.last_line + 1)
        assert [lines[number - 1] for number in numbers] == passage.text.split("\n")
        covered.extend(numbers)
    assert covered == sorted(set(covered))
    assert {number for number, line in enumerate(lines, start=1) if line.strip()} <= set(covered)
