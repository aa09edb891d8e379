"""Deleting or garbling a part of a citation, a quotation or a concession may only weaken what it counts for.

What is damaged is chosen so that no damage can spell another one that holds: the files are short, and the numbers long.
"""

from hypothesis import given
from hypothesis import strategies as st

from sparring.checks.citations import CitationStatus, check_citations, check_ledger
from support.working_trees import MemoryTree

FILES = {
    "app.py": "import os\n\nWIDTH = 5\nlimit = 5000\n",
    "auth/login.py": "def login(user):\n    return user\n",
    "kernel.cu": "__global__ void add() {}\n",
}
TREE = MemoryTree(FILES)

FALSE_CITATIONS = (
    "See app.py:777 for that.",
    "See `app.py:777` for that.",
    "See app.py#L777 for that.",
    "See `auth/login.py:777-999` for that.",
    "It is in app.py, line 777, as said.",
    "It is in app.py (lines 777 to 999).",
    "It is in lines 777 to 999 of app.py already.",
    "It is on line #777 of `app.py` already.",
    "It is in kernel.cu:777 already.",
    "It is in app.py at L777 already.",
)
SIGNS = " .,:;-–—_~@#()[]`'\"/x0189aLl&+*"


@st.composite
def damages(draw: st.DrawFn, text: str, most: int = 2) -> str:
    """``text`` with one or two characters inserted, changed or taken out."""
    for _ in range(draw(st.integers(1, most))):
        at = draw(st.integers(0, max(len(text) - 1, 0)))
        patch = draw(st.sampled_from(["", *SIGNS]))
        text = text[:at] + patch + text[at + draw(st.integers(0, 1)) :]
    return text


@given(st.sampled_from(FALSE_CITATIONS).flatmap(damages))
def test_a_damaged_citation_of_lines_that_are_not_there_is_never_verified(text: str) -> None:
    statuses = {entry.status for entry in check_ledger(text, TREE).entries}
    assert CitationStatus.VERIFIED not in statuses, text
    assert CitationStatus.VERIFIED not in {each.status for each in check_citations(text, FILES.get)}, text
