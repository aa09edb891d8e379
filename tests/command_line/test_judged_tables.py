"""A judged table that is looked at again: its page, and what differs between two."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from sparring.batch import outputs
from sparring.errors import UsageError
from support.jurors import REPLIES
from support.page_reading import PageRead
from support.workbench import DEBATE, Result, Workbench

SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
ROWS = f'id,claim,truth,label\na,Under 650 cases,"more than 645,000 cases",mutated\nb,Over {SECRET},"over 5",zebra\n'


@pytest.fixture
def jury(bench: Workbench) -> Workbench:
    bench.add_tool("ann", REPLIES)
    (bench.project / "pairs.csv").write_text(ROWS, encoding="utf-8")
    return bench


def judge(bench: Workbench, output: str) -> Result:
    table = ("--input", "pairs.csv", "--output", output, "--set", "write=jsonl")
    done = bench.run("batch", "jury", *table, "--with", "ann", "--set", "rebuttals=0")
    assert done.code == 0, done.err
    return done


def relabel(bench: Workbench, output: str, labels: Sequence[str | None], gold: str = "MUTATED") -> str:
    """Rewrite the shard of ``output`` with a row for each label."""
    shard = bench.project / output / "part-00000.jsonl"
    row = json.loads(shard.read_text(encoding="utf-8").splitlines()[0])
    rows = [{**row, "row": at, "id": f"n{at}", "label": label, "gold": gold} for at, label in enumerate(labels, 1)]
    shard.write_text("".join(f"{json.dumps(each)}\n" for each in rows), encoding="utf-8")
    return output


def test_the_page_of_a_table_is_opened_by_the_name_of_its_folder(jury: Workbench) -> None:
    done = judge(jury, "out")
    page = jury.project / "out" / "table.html"

    assert done.out.splitlines()[-1] == "Written: 1 shard in out; `sparring view out` opens the page"
    assert "100.0 % right: 1 of 1 rows" in PageRead(page.read_text(encoding="utf-8")).text
    assert jury.run("view", "out").out == f"{page}\n"
    shown = jury.run("view", "out", "--json").json
    assert shown == {"run_id": "out", "path": str(page), "format": "jury", "status": "judged"}
    typed = re.search(r"sparring (batch show project \w+)", page.read_text(encoding="utf-8"))
    assert typed
    assert jury.run(*typed[1].split()).out.startswith("# Jury: MUTATED")
    page.unlink()
    assert "contains no page of a table" in jury.run("view", "out").err


def test_two_tables_are_compared_row_by_row(jury: Workbench) -> None:
    judge(jury, "a")
    judge(jury, "b")
    names = (
        relabel(jury, "a", ["FAITHFUL", "MUTATED", "FAITHFUL"]),
        relabel(jury, "b", ["MUTATED", "FAITHFUL", "FAITHFUL"]),
    )
    done = jury.run("view", "--diff", *names)
    page = Path(done.err.strip().removeprefix("Page: "))

    assert done.out.startswith("1 fixed, 1 broken: p = 1, this may be chance.\n")
    assert "fixed      n1  FAITHFUL -> MUTATED (gold MUTATED)\n" in done.out
    assert "1 fixed, 1 broken" in PageRead(page.read_text(encoding="utf-8")).text
    assert page.stat().st_mode & 0o777 == 0o600
    assert jury.run("view", "--diff", *names, "--json").json["counts"] == {"fixed": 1, "broken": 1, "still wrong": 1}


def test_two_runs_are_compared_part_by_part(bench: Workbench) -> None:
    ids = [bench.run(*DEBATE, "--rounds", rounds, "--json").json["id"] for rounds in ("1", "2")]
    done = bench.run("view", "--diff", *ids)

    assert done.code == 0, done.err
    for line in ("  rounds: 1 → 2", "  only after: proposer, defense"):
        assert line in done.out.splitlines()
    assert Path(done.err.strip().removeprefix("Page: ")).is_file()
    assert bench.run("view", "--diff", *ids, "--json").json["ids"] == ids


def test_what_cannot_be_compared_is_refused_in_a_sentence(jury: Workbench) -> None:
    judge(jury, "out")
    jury.run("batch", "verify", "--input", "pairs.csv", "--output", "code", "--set", "write=jsonl")
    jury.run("consult", "Well?", "--tool", "bob")
    for *names, why in (
        ("out", "last", "One of them is a table, the other a run: nothing compares them. Name two of a kind."),
        ("out", "code", "out is of a jury, code of a verify: nothing compares them."),
        ("last", "nowhere", "There is no run 'nowhere'"),
    ):
        done = jury.run("view", "--diff", *names)
        assert (done.code, done.out, why in done.err) == (2, "", True), done.err


@pytest.mark.parametrize(
    ("file", "content", "why"),
    [
        ("_manifest.json", "{}", "out/_manifest.json is not a batch manifest of this version"),
        ("part-00000.jsonl", '{"row": 1}\n', "Row 1 in the shards of out has another form"),
        ("_manifest.json", None, "out contains no finished output of a batch"),
    ],
)
def test_an_output_that_was_changed_is_refused(jury: Workbench, file: str, content: str | None, why: str) -> None:
    judge(jury, "out")
    changed = jury.project / "out" / file
    if content is None:
        changed.unlink()
    else:
        changed.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=re.escape(why)):
        outputs.read_table("out", jury.project)
