import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sparring.checks.conduct import Spoken, concessions, conduct, withdrawals
from sparring.checks.conduct.cues import Cue
from sparring.checks.conduct.wording import AGREEMENT, CONCESSION, WITHDRAWAL
from sparring.schema.base import Role

MARKUP = (
    "\n",
    "\n\n",
    "# ",
    "- ",
    "> ",
    "```",
    "`",
    "**",
    "_",
    "“",
    "”",
    '"',
    "\u2028",
    ". ",
    "? ",
    ": ",
    ", ",
    "…",
    "á",
)
WORDS = ("I concede ", "I withdraw my concession", "the lock", "but ", "if ", "not ", "You’re right", "Concessions:")
ANSWERS = ("Conceded", "Great point", "None", "I agree", "C1.2 ")
CUES = (*CONCESSION, *WITHDRAWAL, *AGREEMENT)
_WRITTEN = "".join(cue.pattern.pattern for cue in CUES)
LETTERS = st.sampled_from(sorted({*" 0123456789", *_WRITTEN, *_WRITTEN.upper()}))
"""What the wordings are made of."""

SLOW_TO_BUILD = [HealthCheck.filter_too_much, HealthCheck.too_slow]
"""What a pattern looks ahead for is found by trying."""

SPEECH = st.lists(st.sampled_from((*MARKUP, *WORDS, *ANSWERS)), max_size=40).map("".join)
SPOKEN = st.builds(
    Spoken,
    role=st.sampled_from([Role.PROPOSER, Role.CHALLENGER]),
    round=st.integers(1, 5),
    text=SPEECH,
    ledger=st.none(),
)


@given(SPEECH)
def test_every_concession_and_withdrawal_is_verbatim_and_in_order(text: str) -> None:
    for found in (concessions(text), withdrawals(text)):
        assert all(text[span.start : span.end] == span.text != "" for span in found)
        assert [span.start for span in found] == sorted(span.start for span in found)


@given(SPEECH)
def test_nothing_that_is_quoted_is_conceded(text: str) -> None:
    quoted = "".join(f"> {line}\n" for line in text.splitlines())
    assert concessions(quoted) == withdrawals(quoted) == ()


@given(st.lists(SPOKEN, max_size=5))
def test_a_debate_concedes_what_its_speeches_concede_and_a_withdrawal_comes_later(speeches: list[Spoken]) -> None:
    found = conduct(speeches)
    said = [(speech.role, speech.round, span.text) for speech in speeches for span in concessions(speech.text)]
    assert sorted(said) == sorted((made.role, made.round, made.text) for made in found.concessions)
    taken_back = {span.text for speech in speeches for span in withdrawals(speech.text)}
    assert all(made.withdrawn.text in taken_back for made in found.concessions if made.withdrawn)


@given(SPEECH, SPEECH)
def test_what_one_side_says_takes_back_nothing_of_the_other(said: str, answered: str) -> None:
    alone = conduct([Spoken(Role.PROPOSER, 1, said, None)])
    both = conduct([Spoken(Role.PROPOSER, 1, said, None), Spoken(Role.CHALLENGER, 1, answered, None)])
    assert both.concessions[: len(alone.concessions)] == alone.concessions


@pytest.mark.parametrize("cue", CUES, ids=lambda cue: "|".join(cue.letters))
@settings(max_examples=10, phases=[Phase.generate], suppress_health_check=SLOW_TO_BUILD)
@given(data=st.data())
def test_a_wording_never_occurs_without_the_letters_it_is_looked_for_by(cue: Cue, data: st.DataObject) -> None:
    found = data.draw(st.from_regex(cue.pattern, alphabet=LETTERS))
    assert any(letters in found.lower() for letters in cue.letters)
