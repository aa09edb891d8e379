"""Who is shown what code found about citations, and what becomes of a check that failed."""

from sparring.formats.debate.asks import MOST_LINES
from sparring.schema.lookups import CitationStatus, Ledger, TextSpan
from support.debating import entry, played


def test_a_prompt_shows_a_few_lines_of_a_long_ledger_and_the_counts_of_all() -> None:
    missing = tuple(entry(f"src/{number}.py", CitationStatus.NOT_FOUND) for number in range(30))
    claims = tuple(TextSpan(text=f"Claim {number}.", start=0, end=8) for number in range(30))
    ledger = Ledger(entries=missing, unsupported=claims)
    prompt = played({"r1.proposer.ledger": ledger.model_dump_json()}).asks["r1.challenger"].question.prompt
    lines = prompt.split("citations of this speech:\n\n```text\n")[1].split("\n```")[0].split("\n")
    assert len(lines) == MOST_LINES
    assert [line.split(":")[0] for line in lines] == ["- NOT FOUND"] * 6 + ["- In all"] + ["- CITES NOTHING"] * 3
    assert lines[6] == "- In all: 0 verified, 30 not found, 0 that code cannot check; 30 claims cite nothing."


def test_what_cites_nothing_is_shown_to_the_judge_without_names() -> None:
    ledger = Ledger(unsupported=(TextSpan(text="As Claude says, it is fine.", start=0, end=27),))
    asks = played({"r1.proposer.ledger": ledger.model_dump_json()}).asks
    assert "- CITES NOTHING: As Claude says, it is fine." in asks["r1.challenger"].question.prompt
    assert "- CITES NOTHING: As Side A says, it is fine." in asks["judge1.ab.1"].question.prompt
