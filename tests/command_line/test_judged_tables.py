"""What is left of a judged table: results and a page of them, and what differs between two."""

import json
import re
from pathlib import Path

import pytest

from support.judged_tables import result, table
from support.jurors import REPLIES
from support.page_reading import PageRead
from support.workbench import DEBATE, Workbench

JUDGE = ("jury", "--input", "pairs.csv", "--with", "ann", "--set", "rebuttals=0")
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
ROWS = f'id,claim,truth,label\na,Under 650 cases,"more than 645,000 cases",mutated\nb,Over {SECRET},"over 5",zebra\n'


@pytest.fixture
def jury(bench: Workbench) -> Workbench:
    bench.add_tool("ann", REPLIES)
    (bench.project / "pairs.csv").write_text(ROWS, encoding="utf-8")
    return bench


def results(bench: Workbench, name: str, *labels: str | None, gold: str | None = "SUPPORTED") -> str:
    rows = table(*(result(number, label, gold=gold) for number, label in enumerate(labels, start=1))).rows
    text = "".join(f"{row.model_dump_json()}\n" for row in rows)
    (bench.project / name).write_text(text, encoding="utf-8")
    return name


def test_a_judged_table_leaves_its_results_and_a_page_that_the_last_line_names(jury: Workbench) -> None:
    done = jury.run(*JUDGE)
    page = Path(done.err.splitlines()[-1].removeprefix("Page: "))
    kept = page.with_suffix(".jsonl")

    assert done.code == 0, done.err
    assert [file.stat().st_mode & 0o777 for file in (page, kept)] == [0o600, 0o600]
    assert kept.read_text(encoding="utf-8") == done.out
    told = PageRead(page.read_text(encoding="utf-8")).text
    assert "100.0 % right: 1 of 1 rows" in told
    typed = re.search(r"sparring (batch show project \w+)", page.read_text(encoding="utf-8"))
    assert typed
    assert jury.run(*typed[1].split()).out.startswith("# Jury: MUTATED")
    for name in (page.stem[-4:], str(kept), str(page)):
        assert jury.run("view", name).out == f"{page}\n"
    shown = jury.run("view", page.stem, "--json").json
    assert shown == {"run_id": page.stem, "path": str(page), "format": "jury", "status": "judged"}
    page.unlink()
    assert jury.run("view", page.stem, "--print").out == f"{page}\n"
    assert "100.0 % right" in page.read_text(encoding="utf-8")


def test_the_gold_label_is_told_to_nobody_and_a_secret_in_a_row_to_no_page(jury: Workbench) -> None:
    first, second = map(json.loads, jury.run(*JUDGE).out.splitlines())
    files = {name: text.decode(errors="replace") for name, text in jury.files().items()}
    kept, runs = ("".join(text for name, text in files.items() if part in name) for part in ("", "/pairs/"))

    assert (first["gold"], second["gold"], second["claim"][:5]) == ("MUTATED", "zebra", "Over ")
    assert "zebra" in kept
    assert "zebra" not in runs
    assert SECRET not in kept


def test_a_page_that_cannot_be_written_takes_nothing_from_the_verdicts(jury: Workbench) -> None:
    (jury.state / "jury").mkdir(parents=True)
    (jury.state / "jury" / "tables").write_text("in the way", encoding="utf-8")

    done = jury.run(*JUDGE)

    assert (done.code, len(done.out.splitlines())) == (0, 2)
    assert "[WARN] The rows are judged, but no page of them could be written:" in done.err.splitlines()[-1]


def test_two_tables_are_compared_row_by_row(bench: Workbench) -> None:
    names = (results(bench, "a.jsonl", "NEI", "SUPPORTED", "NEI"), results(bench, "b.jsonl", "SUPPORTED", "NEI", "NEI"))
    kept_with_ours = Path(bench.run("view", "a.jsonl").out.strip())
    assert kept_with_ours.parent == bench.state / "fact-check" / "tables"
    assert "33.3 % right: 1 of 3 rows" in kept_with_ours.read_text(encoding="utf-8")
    done = bench.run("view", "--diff", *names)
    page = Path(done.err.strip().removeprefix("Page: "))

    assert done.out.startswith("1 fixed, 1 broken: p = 1, this may be chance.\n")
    assert "fixed      n1  NEI -> SUPPORTED (gold SUPPORTED)\n" in done.out
    assert "1 fixed, 1 broken" in PageRead(page.read_text(encoding="utf-8")).text
    assert page.stat().st_mode & 0o777 == 0o600
    assert bench.run("view", "--diff", *names, "--json").json["counts"] == {"fixed": 1, "broken": 1, "still wrong": 1}


def test_two_runs_are_compared_part_by_part(bench: Workbench) -> None:
    ids = [bench.run(*DEBATE, "--rounds", rounds, "--json").json["id"] for rounds in ("1", "2")]
    done = bench.run("view", "--diff", *ids)

    assert done.code == 0, done.err
    for line in ("  rounds: 1 → 2", "  only after: proposer, defense"):
        assert line in done.out.splitlines()
    assert Path(done.err.strip().removeprefix("Page: ")).is_file()
    assert bench.run("view", "--diff", *ids, "--json").json["ids"] == ids


def test_what_cannot_be_compared_is_refused_in_a_sentence(jury: Workbench) -> None:
    results(jury, "a.jsonl", "NEI")
    (jury.project / "jury.jsonl").write_text(jury.run(*JUDGE).out, encoding="utf-8")
    jury.run("consult", "Well?", "--tool", "bob")
    for *names, why in (
        ("a.jsonl", "last", "One of them is a table, the other a run: nothing compares them. Name two of a kind."),
        ("a.jsonl", "jury.jsonl", "a.jsonl is of a fact-check, jury.jsonl of a jury: nothing compares them."),
        ("a.jsonl", "none.jsonl", "none.jsonl cannot be read: No such file or directory."),
        ("last", "nowhere", "There is no run 'nowhere'"),
    ):
        done = jury.run("view", "--diff", *names)
        assert (done.code, done.out, why in done.err) == (2, "", True), done.err
