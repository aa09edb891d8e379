"""The page of a run: where it is, that it is made anew, and that it is opened where somebody sits."""

import io
import os
import sys
from pathlib import Path

import pytest

from sparring.cli import main
from sparring.cli.invocation import Streams
from support.held_debates import Held
from support.page_reading import PageRead, words
from support.terminals import Screen
from support.workbench import SPEECHES, Workbench


def test_a_page_is_stored_next_to_the_report_and_has_all_its_words(held: Held) -> None:
    bench, run_id, page = held.bench, held.folder.name, held.folder / "report.html"
    kept = page.read_bytes()
    read = PageRead(kept.decode())

    assert page.stat().st_mode & 0o777 == 0o600
    markup = words("<details> <summary> Notes WARN")
    assert words(page.with_name("report.md").read_text(encoding="utf-8")) - read.words <= markup
    assert read.acting == []
    assert bench.run("view").out == f"{page}\n"
    told = {"run_id": run_id, "path": str(page), "format": "debate", "status": "completed"}
    assert bench.run("view", run_id, "--json").json == told
    page.write_bytes(b"older")
    assert bench.run("view", run_id[:-2], "--print").out == f"{page}\n"
    assert page.read_bytes() == kept


def test_a_page_names_the_family_that_a_tool_had_at_the_start(bench: Workbench) -> None:
    bench.add_tool("ann", SPEECHES, family="ours")
    bench.run("consult", "Well?", "--tool", "ann,bob")
    bench.add_tool("ann", SPEECHES, family="theirs")
    page = PageRead(Path(bench.run("view").out.strip()).read_text(encoding="utf-8"))

    assert "family ours" in page.text
    assert ("family theirs" in page.text, "family none" in page.text) == (False, False)


def at_a_desktop(bench: Workbench, *typed: str) -> str:
    """What ``sparring view`` prints on a terminal, where what opens files writes what it was told into ``told``."""
    opener = bench.add_program("xdg-open", f'printf %s "$1" > {bench.root / "told"}')
    terminal = Screen()
    environment = bench.environment | {"DISPLAY": ":0", "PATH": f"{opener.parent}{os.pathsep}{os.environ['PATH']}"}
    assert main(("view", *typed), Streams(io.StringIO(), terminal, io.StringIO()), environment, bench.project) == 0
    return "".join(terminal.getvalue().split())


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="xdg-open is what Linux has")
def test_a_page_opens_where_there_is_a_desktop(held: Held) -> None:
    bench = held.bench
    assert at_a_desktop(bench, "--print").endswith("report.html")
    assert not (bench.root / "told").exists()
    os.mkfifo(bench.root / "told")
    page = at_a_desktop(bench)
    assert (bench.root / "told").read_text(encoding="utf-8") == page


def test_a_finished_run_is_shown_as_stored_and_a_running_one_has_no_json(held: Held) -> None:
    bench = held.bench
    assert bench.run("view", "--live").out == bench.run("view").out
    refused = bench.run("view", "--live", "--json")
    assert (refused.code, "Leave out --live" in refused.err + refused.out) == (2, True)
