"""Whatever is said, a ledger is exact about where it is said, and what was made up is never found."""

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from sparring.checks.citations import check_ledger
from sparring.schema.lookups import CitationKind, CitationStatus
from support.working_trees import MemoryTree

TREE = MemoryTree(
    {
        "src/a.py": "class Runner:\n    def run_all(self):\n        return self.run_all()\n\n\nLIMIT = 3\n",
        "docs/b.md": "Some words.\n",
    }
)
WORDS = [
    *("`src/a.py:2`", "src/a.py:9", "src\\a.py:1", "`Runner.run_all()`", "`Runner`", "`LIMIT`", "`no_such`", "`x.y`"),
    *("commit 4b825dc", "`4b825dc..4b825dd`", "https://x.org/a_(b)", "`return self.run_all()`", "3.4x", "12 ms"),
    *("takes", "there is no", "add", "(", ")", "[", "]", "`", "``", "“", "”", '"', ".", ":", "?", "\n", "\n\n", "- "),
    *("1. ", "> ", "# ", "```\n", "| ", "**", "_", "line 3 of ", ", lines 3 to 9", "It says so and so very often."),
]
SPEECHES = st.one_of(
    st.lists(st.sampled_from(WORDS)).map(" ".join), st.lists(st.sampled_from(WORDS)).map("".join), st.text()
)


@given(SPEECHES)
@example("`\u2028`a.py:1\r\n`a_b`\x0b`c.d`")
def test_every_place_is_exact_and_in_order_and_nothing_overlaps_nor_is_what_cites_unsupported(text: str) -> None:
    ledger = check_ledger(text, TREE)
    for spans in (ledger.entries, ledger.unsupported):
        assert [text[span.start : span.end] for span in spans] == [span.text for span in spans]
        assert all(one.end <= other.start for one, other in pairwise(spans))
    for claim in ledger.unsupported:
        assert not any(claim.start <= entry.start < claim.end for entry in ledger.entries)


@given(SPEECHES)
def test_without_files_nothing_is_verified(text: str) -> None:
    ledger = check_ledger(text, MemoryTree({}))
    assert ledger.count(CitationStatus.VERIFIED) == 0


@given(st.from_regex(r"[a-z]{3,8}_[a-z]{3,8}_zz", fullmatch=True), SPEECHES)
def test_a_name_that_no_file_holds_is_never_verified(name: str, text: str) -> None:
    ledger = check_ledger(f"{text}\n\n`{name}`, `Runner.{name}()`, `src/a.py` defines `{name}`, `{name}(1)`.", TREE)
    about = [entry for entry in ledger.entries if name in entry.text and entry.kind is not CitationKind.BENCHMARK]
    assert all(entry.status is not CitationStatus.VERIFIED for entry in about)
