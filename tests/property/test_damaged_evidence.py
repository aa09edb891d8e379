"""Deleting or garbling a part of a citation, a quotation or a concession may only weaken what it counts for.

What is damaged is chosen so that no damage can spell another one that holds: the files are short, and the numbers long.
"""

from hypothesis import given
from hypothesis import strategies as st

from sparring.checks.citations import CitationStatus, check_citations, check_ledger
from sparring.checks.concessions import CheckedSpeech, analyse_conduct
from sparring.checks.quotes import Evidence
from sparring.schema.base import Role
from sparring.schema.lookups import QuoteVerdict
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


EVIDENCE = "It was –5 °C, not 12.5 °C. The ex-president never left; 1 000 people can't say why. It is error-free."
FALSE_QUOTES = (
    "It was 5 °C",
    "It was -50 °C",
    "The president left",
    "people can say why",
    "It is error",
    "000 people",
    "5 °C, not 12",
    "The president never left",
)


@given(st.sampled_from(FALSE_QUOTES), st.data())
def test_garbling_a_changed_quote_never_makes_it_verbatim(quote: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(quote) - 1))
    garbled = quote[:at] + data.draw(st.sampled_from("xyz#@~{}")) + quote[at + 1 :]
    assert Evidence([EVIDENCE]).find(garbled).verdict is not QuoteVerdict.VERBATIM


@given(st.text("It was5°C–−-not1 0.,'", min_size=1, max_size=12), st.data())
def test_a_quote_that_is_verbatim_is_one_of_the_damaged_evidence_only_where_it_still_stands(
    quote: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(EVIDENCE) - 1))
    damaged = EVIDENCE[:at] + "\ue000" + EVIDENCE[at + 1 :]
    found = Evidence([damaged]).find(quote)
    if found.verdict is QuoteVerdict.VERBATIM:
        assert all("\ue000" not in part.text for part in found.parts)


CONCEDED = "I concede: the cache goes stale after an hour."


@given(damages(CONCEDED, most=6), st.sampled_from(["Reads dominate by far.", ""]))
def test_a_damaged_concession_concedes_nothing_that_the_other_side_did_not_say(text: str, attack: str) -> None:
    said = [CheckedSpeech(Role.CHALLENGER, 1, attack, None), CheckedSpeech(Role.PROPOSER, 1, text, None)]
    assert analyse_conduct(said).concessions == ()


@given(damages("I concede: nothing at this point, as before.", most=1))
def test_a_damaged_empty_statement_is_no_concession(text: str) -> None:
    said = [
        CheckedSpeech(Role.CHALLENGER, 1, "Reads dominate by far.", None),
        CheckedSpeech(Role.PROPOSER, 1, text, None),
    ]
    assert analyse_conduct(said).concessions == ()
