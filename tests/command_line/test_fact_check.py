"""``sparring fact-check`` as somebody types it."""

import json

import pytest

from sparring.batch.shards import read_rows
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
def test_offline_alone_gives_the_label_of_code_without_votes(bench: Workbench, claim: str, label: str) -> None:
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
    output = ("--output", "out", "--set", "write=jsonl")
    command = ("batch", "fact-check", "--input", "claims.jsonl", *output, "--with", "ann,bob,cy")
    first, second = bench.run(*command), bench.run(*command)
    assert (first.code, second.code) == (4, 4), first.err
    (judged,) = read_rows(str(bench.project / "out"))
    assert [judged[name] for name in ("id", "status", "label")] == ["a", "judged", "SUPPORTED"]
    refused = json.loads((bench.project / "out" / "rejected.jsonl").read_text(encoding="utf-8"))
    assert (refused["line"], refused["problem"]) == (2, "Line 2 cannot be judged: it has no claim.")
    assert first.out.startswith("1 row: 1 SUPPORTED\n- 1 could not be judged: see rejected.jsonl\n")
    assert json.loads(bench.run(*command, "--json").out)["process"]["asked"] == 0
