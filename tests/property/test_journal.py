"""What a journal promises whatever happens to its bytes: a prefix of what was said, or a refusal."""

import tempfile
from itertools import accumulate
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import StateCorruptError
from sparring.schema.transcript import Turn
from sparring.store.journal import ReadJournal, read_journal
from support.journals import keep, lines_of, turn

SPEECHES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
TURNS = st.lists(st.tuples(st.integers(0, 5), SPEECHES), max_size=5).map(
    lambda drawn: tuple(turn(number, said=said) for number, said in drawn)
)


def said_in(journal: ReadJournal) -> tuple[Turn, ...]:
    return journal.transcript.turns + journal.pending


def read(content: bytes) -> ReadJournal | None:
    """The journal of those bytes; None when it is refused."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return read_journal(keep(Path(folder), [content]))
        except StateCorruptError:
            return None


@given(turns=TURNS, ended=st.booleans(), data=st.data())
def test_a_journal_cut_at_any_byte_holds_exactly_the_turns_of_its_whole_lines(
    *, turns: tuple[Turn, ...], ended: bool, data: st.DataObject
):
    lines = lines_of(turns, ended=ended)
    content = b"".join(lines)
    cut = data.draw(st.integers(0, len(content)))
    whole_lines = sum(end <= cut for end in accumulate(map(len, lines)))
    journal = read(content[:cut])
    assert (journal is None) == (whole_lines == 0)
    if journal:
        assert said_in(journal) == turns[: whole_lines - 1]
        assert (journal.outcome is not None) == (ended and cut == len(content))


@given(TURNS, st.data())
def test_a_changed_byte_is_refused_or_costs_no_more_than_the_end_of_the_journal(
    turns: tuple[Turn, ...], data: st.DataObject
):
    lines = lines_of(turns)
    content = bytearray(b"".join(lines))
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    journal = read(bytes(content))
    if journal:
        # A newline that is changed makes one line of two, so at most two are lost, and never without a notice.
        assert said_in(journal) in (turns[:-1], turns[:-2])
        assert journal.notices
