"""``sparring fact-check`` as somebody types it."""

import json

import pytest

from support.fact_checkers import EVIDENCE, add_checkers
from support.fact_checking import CLAIM, SOURCES
from support.workbench import Workbench


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("The tower opened to the public in 1899.", "REFUTED"),
        ("The tower opened to the public in 1889.", "SUPPORTED"),
        ("The Eiffel Tower was painted by convicts.", "NEI"),
    ],
)
def test_offline_alone_gives_what_code_finds_once_and_nobody_votes(bench: Workbench, claim: str, label: str) -> None:
    done = bench.run("fact-check", claim, *EVIDENCE, "--with", "offline", "--json")
    assert (done.code, done.json["label"], done.json["decision"]) == (0, label, "by_code")
    assert (done.json["agents"], done.json["spent"]["calls"]) == ([], 0)
    shown = bench.run("runs", "show", "last").out
    assert f"**{label}** by code alone" in shown
    assert "Votes" not in shown


def test_a_table_of_claims_is_judged_row_by_row_and_nothing_twice(bench: Workbench) -> None:
    add_checkers(bench)
    rows = [{"id": "a", "claim": CLAIM, "evidence": SOURCES}, {"id": "b", "claim": "", "evidence": "It rains."}]
    (bench.project / "claims.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    command = ("fact-check", "--input", "claims.jsonl", "--with", "ann,bob,cy")
    first, second = bench.run(*command), bench.run(*command)
    assert (first.code, second.code) == (4, 4)
    judged, refused = (json.loads(line) for line in first.out.splitlines())
    told = [judged[name] for name in ("row_id", "status", "label", "decision")]
    assert told == ["a", "judged", "SUPPORTED", "unanimous"]
    assert (refused["status"], refused["problem"]) == ("refused", "Line 2 cannot be judged: it has no claim.")
    assert "2 rows: 1 SUPPORTED, 1 refused. Used: 6 calls" in first.err
    assert "2 rows: 1 SUPPORTED, 1 refused (1 judged before). Used: 0 calls" in second.err
