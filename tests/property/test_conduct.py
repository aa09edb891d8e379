from hypothesis import example, given
from hypothesis import strategies as st

from sparring.checks.conduct import Spoken, concessions, conduct, withdrawals
from sparring.schema.base import Role

MARKUP = ("\n", "\n\n", "# ", "- ", "> ", "```", "`", "**", "_", "“", "”", '"', "\u2028", ". ", "? ", ": ", ", ", "…")
WORDS = ("I concede ", "I withdraw my concession", "the lock", "but ", "if ", "not ", "You’re right", "Concessions:")
SPEECH = st.lists(st.sampled_from((*MARKUP, *WORDS, "Conceded", "None", "I agree", "C1.2 ")), max_size=40).map("".join)
SPOKEN = st.builds(
    Spoken,
    role=st.sampled_from([Role.PROPOSER, Role.CHALLENGER]),
    round=st.integers(1, 5),
    text=SPEECH,
    ledger=st.none(),
)


@given(SPEECH)
def test_every_concession_and_withdrawal_is_verbatim_and_in_order_and_nobody_elses(text: str) -> None:
    for found in (concessions(text), withdrawals(text)):
        assert all(text[span.start : span.end] == span.text != "" for span in found)
        assert [span.start for span in found] == sorted(span.start for span in found)
    quoted = "".join(f"> {line}\n" for line in text.splitlines())
    assert concessions(quoted) == withdrawals(quoted) == ()


@given(st.lists(SPOKEN, max_size=5))
@example([Spoken(Role.PROPOSER, 1, "You’re right\n\nYou’re right", None)])
def test_a_debate_concedes_what_its_speeches_concede_and_each_side_takes_back_its_own(speeches: list[Spoken]) -> None:
    found = conduct(speeches)
    said = [(speech.role, speech.round, span.text) for speech in speeches for span in concessions(speech.text)]
    assert sorted(said) == sorted((made.role, made.round, made.text) for made in found.concessions)
    taken_back = {(speech.role, span.text) for speech in speeches for span in withdrawals(speech.text)}
    assert all((made.role, made.withdrawn.text) in taken_back for made in found.concessions if made.withdrawn)
