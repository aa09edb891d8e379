"""What a prompt shows of what code found about citations."""

from sparring.formats.debate.asks import MOST_LINES
from sparring.schema.lookups import CitationLedger, CitationStatus, TextSpan
from support.debating import entry, played


def test_a_prompt_shows_a_few_lines_of_a_long_ledger_and_the_counts_of_all_and_the_judge_no_names() -> None:
    missing = tuple(entry(f"src/{number}.py", CitationStatus.NOT_FOUND) for number in range(30))
    claims = tuple(TextSpan(text=f"As Claude says, {number}.", start=0, end=8) for number in range(30))
    ledger = CitationLedger(entries=missing, unsupported=claims).model_dump_json()
    asks = played({"r1.proposer.ledger": ledger}, rounds=1).asks
    shown, judged = (
        asks[id_].question.prompt.split("citations of this speech:\n\n```text\n")[1].split("\n```")[0].split("\n")
        for id_ in ("r1.challenger", "judge1.ab.1")
    )
    assert len(shown) == MOST_LINES
    assert [line.split(":")[0] for line in shown[:7]] == ["- NOT FOUND"] * 6 + ["- In all"]
    assert shown[6] == "- In all: 0 verified, 30 not found, 0 that code cannot check; 30 claims cite nothing."
    assert shown[7:] == [f"- CITES NOTHING: As Claude says, {number}." for number in range(3)]
    assert judged == [*shown[:7], *(f"- CITES NOTHING: As Side A says, {number}." for number in range(3))]
