"""``sparring chaired-debate`` as somebody types it."""

import json
import stat
from pathlib import Path

import pytest

from support.chaired_debaters import CHAIRED, CHAIRED_SPEECHES, TOPIC, entry
from support.fact_checkers import failing
from support.pages import Site, page
from support.workbench import Workbench

SHORT = (*CHAIRED, "--max-rounds", "1")
FILES = ("debate-log.jsonl", "metadata.json", "summary.md", "transcript.md")
MEASURED = "Output rose by 13 per cent among those who worked from home."
INVENTED = "Zebras at home never finish anything, as a survey of nobody has shown."


@pytest.fixture
def debaters(bench: Workbench) -> Workbench:
    for name in ("ann", "bob", "cy"):
        bench.add_tool(name, CHAIRED_SPEECHES)
    return bench


def run_folder(bench: Workbench) -> Path:
    (folder,) = (each for each in (bench.state / "chaired-debate" / "runs").iterdir() if each.is_dir())
    return folder


def test_a_debate_writes_its_four_files_to_its_run_and_to_the_output_folder(debaters: Workbench) -> None:
    done = debaters.run(*CHAIRED, "--output", "debates/first", "--json")
    assert done.code == 0, done.err
    assert (done.json["decision"], done.json["decided_by"], done.json["decisive"]) == ("negative_wins", "chair", [4, 6])
    run, out = run_folder(debaters), debaters.project / "debates" / "first"
    for name in FILES:
        assert (out / name).read_bytes() == (run / name).read_bytes()
        assert stat.S_IMODE((out / name).stat().st_mode) == stat.S_IMODE((run / name).stat().st_mode) == 0o600
    assert {each.name for each in out.iterdir()} == {*FILES, ".debate-log.jsonl.lock"}
    assert json.loads((out / "metadata.json").read_text(encoding="utf-8")) == done.json
    assert (out / "transcript.md").read_bytes() == (run / "report.md").read_bytes()
    log = [json.loads(line) for line in (out / "debate-log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["seq"] for line in log] == list(range(1, done.json["entries"] + 1))
    assert [line["type"] for line in log[-2:]] == ["conclusion", "summary"]


def test_a_failed_seat_is_retried_although_files_exist(debaters: Workbench) -> None:
    debaters.add_tool("cy", [{"match": {"step": "chaired-debate/conclusion"}, **failing("quota")}, *CHAIRED_SPEECHES])
    failed = debaters.run(*SHORT, "--output", "out", "--json")
    debaters.add_tool("cy", CHAIRED_SPEECHES)
    out, first = debaters.project / "out", run_folder(debaters)
    left = (out / "transcript.md").read_bytes()
    (out / "transcript.md").write_bytes(b"Mine.")

    refused = debaters.run("runs", "retry", "last")
    (out / "transcript.md").write_bytes(left)
    done = debaters.run("runs", "retry", "last", "--json")

    assert (failed.code, refused.code, done.code) == (4, 2, 0), done.err
    assert f"out contains transcript.md, which has changed since run {first.name}." in refused.err
    assert (first / "transcript.md").read_bytes() == left
    (again,) = (each for each in first.parent.iterdir() if each.is_dir() and each != first)
    for name in FILES:
        assert (out / name).read_bytes() == (again / name).read_bytes()


def test_everything_may_stand_in_the_config_file(debaters: Workbench) -> None:
    seats = {"promoter": "ann", "detractor": "bob", "chair": "cy"}
    config = {"topic": TOPIC, "output_dir": "out", "min_rounds": 1, "max_rounds": 1, "models": seats}
    (debaters.project / "config").mkdir()
    (debaters.project / "config" / "debate-config.json").write_text(json.dumps(config), encoding="utf-8")
    done = debaters.run("chaired-debate", "--json")
    assert done.code == 0, done.err
    assert (done.json["topic"], done.json["max_rounds"], done.json["rounds_completed"]) == (TOPIC, 1, 1)
    assert "From config/debate-config.json, unless given here: topic, output_dir" in done.err
    assert (debaters.project / "out" / "debate-log.jsonl").exists()


def test_words_that_were_redacted_are_in_no_file_but_the_journal(debaters: Workbench) -> None:
    def source(site: Site, path: str, quote: str) -> dict[str, str]:
        return {"url": f"{site.url}{path}", "title": "A study", "accessed": "2026-02-21", "quote": quote}

    with Site({"/study": page(f"<html><body><p>{MEASURED}</p></body></html>")}) as site:
        debaters.extra["SPARRING_SOURCES_ALLOW"] = site.url.removeprefix("http://")
        honest = entry("opening_statement", "Output rises [1].", sources=[source(site, "/study", MEASURED)])
        made_up = entry("opening_statement", f"{INVENTED} [1]", sources=[source(site, "/invented", INVENTED)])
        for tool, said in (("ann", honest), ("bob", made_up)):
            opening = {"match": {"step": "chaired-debate/opening"}, "response": said}
            debaters.add_tool(tool, (opening, *CHAIRED_SPEECHES))
        done = debaters.run(*SHORT, "--output", "out")
    assert done.code == 0, done.err
    out = debaters.project / "out"
    files = [
        file for folder in (run_folder(debaters), out) for file in folder.iterdir() if file.name != "journal.jsonl"
    ]
    kept = {str(file): file.read_bytes() for file in files} | {"said": f"{done.out}{done.err}".encode()}
    assert [name for name, content in kept.items() if b"Zebras" in content or b"/invented" in content] == []
    assert b"[REDACTED]" in kept[str(out / "debate-log.jsonl")]
    assert MEASURED.encode() in kept[str(out / "transcript.md")]
