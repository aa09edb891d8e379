"""``sparring batch``: a table in, shards out; nothing is paid twice, and nobody is told what is secret."""

import json
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from sparring.batch.job import BLOCK
from sparring.batch.shards import read_rows
from sparring.schema.batch import Manifest
from sparring.testing import ModelEndpoint, Request, Say
from support.fact_checkers import add_checkers
from support.fact_checking import CLAIM, SOURCES
from support.jurors import REPLIES, SAID, add_apis
from support.ledgers import answers_in
from support.workbench import DEBATE, PATIENCE_S, Result, Workbench

SEATS = ("--with", "ann", "--set", "rebuttals=0")
CALLS = 4
"""Of a row with these seats."""
CANARY = "perched-in-the-environment-4711"


def table(bench: Workbench, rows: int = 3, texts: int = 1000) -> None:
    """So many rows, of which that many say different things."""
    numbers = [(row, (row - 1) % texts + 1) for row in range(1, rows + 1)]
    lines = [f'n{row},Under {text} cases,"more than 645,000 cases",MUTATED\n' for row, text in numbers]
    (bench.project / "t.csv").write_text("id,claim,truth,gold\n" + "".join(lines), encoding="utf-8")


def questions(bench: Workbench, count: int, texts: int = 1000, about: str = "") -> None:
    lines = [f"Is {number % texts} even? {about}\n" for number in range(count)]
    (bench.project / "t.csv").write_text("question\n" + "".join(lines), encoding="utf-8")


def batch(bench: Workbench, *more: str, what: str = "jury", out: str = "out", form: str = "jsonl") -> Result:
    seats = {"jury": SEATS, "consult": ("--tool", "ann")}.get(what, ())
    return bench.run("batch", what, "--input", "t.csv", "--output", out, "--set", f"write={form}", *seats, *more)


def rows_of(bench: Workbench, out: str = "out") -> list[dict[str, Any]]:
    return list(read_rows(str(bench.project / out)))


def statuses(bench: Workbench) -> list[str]:
    return [row["status"] for row in rows_of(bench)]


def shards(bench: Workbench, out: str = "out") -> dict[str, bytes]:
    """What is the same in every start: all but the manifest, which tells when it was."""
    return {file.name: file.read_bytes() for file in (bench.project / out).glob("[pr]*.*")}


def manifest(bench: Workbench, out: str = "out", name: str = "_manifest.json") -> Manifest:
    return Manifest.model_validate_json((bench.project / out / name).read_bytes())


def test_each_input_row_has_an_output_row_and_a_second_start_calls_no_tool(jury: Workbench) -> None:
    table(jury)
    first = batch(jury)
    written, told = shards(jury), manifest(jury)
    second = batch(jury, "--json")

    assert (first.code, second.code) == (0, 0), first.err + second.err
    assert Manifest.model_validate_json(second.out) == manifest(jury)
    assert (manifest(jury).inputs[0].address, str(jury.project) in second.out) == ("t.csv", False)
    assert [(row["row"], row["id"], row["label"], row["gold"]) for row in rows_of(jury)] == [
        (row, f"n{row}", "MUTATED", "MUTATED") for row in (1, 2, 3)
    ]
    assert set(written) == {"part-00000.jsonl"}
    assert (told.rows, told.statuses, told.labels, told.spent.calls) == (3, {"judged": 3}, {"MUTATED": 3}, 3 * CALLS)
    assert (told.ledger.asked, told.ledger.answered, told.is_whole) == (3 * CALLS, 3 * CALLS, True)
    assert first.out.splitlines() == [
        "3 rows: 3 MUTATED",
        "Used, in all starts: 12 calls, tokens unknown, $0.1200",
        "Written: 1 shard in out; `sparring view out` opens the page",
    ]
    assert answers_in(jury.ledger) == 3 * CALLS
    assert shards(jury) == written
    again = manifest(jury)
    assert (again.ledger, again.process.asked, again.spent) == (told.ledger, 0, told.spent)


@pytest.mark.parametrize(
    ("what", "header", "seats", "label"),
    [
        ("fact-check", "claim,evidence", ("--with", "ann,bob,cy", "--max-cost", "1"), "SUPPORTED"),
        ("consult", "question", (), None),
        ("debate", "topic", DEBATE[2:], "challenger"),
        ("verify", "claim,truth", ("--set", "at_once=1"), "NEI"),
    ],
)
def test_every_format_judges_rows_of_its_own_columns(
    bench: Workbench, what: str, header: str, seats: tuple[str, ...], label: str | None
) -> None:
    if what == "fact-check":
        add_checkers(bench)
    cells = [CLAIM, " ".join(SOURCES)] if "," in header else ["Should it retry?"]
    (bench.project / "t.csv").write_text("\n".join((header, ",".join(f'"{cell}"' for cell in cells), "")))
    done = batch(bench, *seats, what=what)
    assert done.code == 0, done.out + done.err
    assert ("[WARN] The limit of $1 does not count 6 answers without a price." in done.err) == ("--max-cost" in seats)
    (found,) = rows_of(bench)
    assert (found["status"], found["label"], bool(found["run"])) == ("judged", label, what != "verify")
    if what == "consult":
        assert found["text"].endswith("An answer.")
    asked = answers_in(bench.ledger)
    if what != "verify":
        assert batch(bench, *seats, what=what).code == 0
        assert answers_in(bench.ledger) == asked > 0


def test_bad_rows_are_set_aside_with_their_place_and_stop_nothing(jury: Workbench) -> None:
    good = b"b,Over 650 cases,more\n"
    (jury.project / "t.csv").write_bytes(b"id,claim,truth\na,caf\xe9,x\n" + good + b"c,,x\nd,nul\0l,x\n")
    done = batch(jury)
    rejected = [json.loads(line) for line in (jury.project / "out" / "rejected.jsonl").read_text().splitlines()]
    places = [(each["row"], each["source"], each["line"]) for each in rejected]
    assert places == [(1, "t.csv", 2), (3, "t.csv", 4), (4, "t.csv", 5)]
    for each, why in zip(rejected, ("not UTF-8", "it has no claim", ""), strict=True):
        assert why in each["problem"]
    assert (done.code, [row["id"] for row in rows_of(jury)]) == (4, ["b"])
    assert "- 3 could not be judged: see rejected.jsonl" in done.out


def test_the_parts_of_a_table_are_together_the_whole(jury: Workbench) -> None:
    table(jury, BLOCK + 2, texts=3)
    parts = [batch(jury, "--set", f"shard={part}/2", out="parts") for part in (1, 2)]
    assert [part.code for part in parts] == [0, 0], parts
    whole = batch(jury)
    assert (whole.code, answers_in(jury.ledger)) == (0, 3 * CALLS)
    assert manifest(jury).spent.calls == 3 * CALLS  # of rows that say the same, one was paid for
    assert rows_of(jury, "parts") == rows_of(jury)
    names = {file.name for file in (jury.project / "parts").iterdir()}
    counts = [manifest(jury, "parts", name).rows for name in sorted(names) if name.startswith("_manifest")]
    assert sorted(counts) == [2, BLOCK]


def test_a_limit_leaves_rows_for_the_next_call(jury: Workbench) -> None:
    table(jury, 3)
    assert (batch(jury).code, answers_in(jury.ledger)) == (0, 3 * CALLS)
    anew = batch(jury, "--set", "fresh=true", "--set", "at_once=1", "--max-calls", "4")
    assert (anew.code, statuses(jury)) == (4, ["judged", "not_asked", "not_asked"]), anew.err
    assert rows_of(jury)[2]["error_code"] == "budget"
    assert (batch(jury).code, statuses(jury), answers_in(jury.ledger)) == (0, ["judged"] * 3, 4 * CALLS)


@pytest.mark.parametrize("limit", [("--max-cost", "0.01"), ("--max-calls", str(CALLS))])
def test_a_later_start_with_a_used_up_limit_calls_no_tool(jury: Workbench, limit: tuple[str, str]) -> None:
    table(jury, 3)
    asked = list[int]()
    for _ in range(3):
        assert batch(jury, "--set", "at_once=1", *limit).code in {1, 4}
        asked.append(answers_in(jury.ledger))
    assert asked[0] >= 1
    assert asked == [asked[0]] * 3


def test_equal_rows_are_asked_once_and_share_the_answer(jury: Workbench) -> None:
    lines = [f"Is {number} even?\n" for number in (*range(BLOCK + 1), BLOCK - 1, BLOCK - 2)]
    (jury.project / "t.csv").write_text("question\n" + "".join(lines), encoding="utf-8")
    for said in ("Yes.", "No."):
        jury.add_tool("ann", [{"response": said}])
        assert batch(jury, "--set", "fresh=true", what="consult").code == 0
    assert {row["text"][-4:].strip() for row in rows_of(jury)} == {"No."}
    assert answers_in(jury.ledger) == 2 * (BLOCK + 1)


@pytest.mark.process
def test_simultaneous_batches_share_the_limit_of_calls_at_once(bench: Workbench) -> None:
    change, here, most = threading.Condition(), 0, 0

    def behave(_: Request) -> Say:
        """Answers nobody before two have come who are still there, and then takes its time."""
        nonlocal here, most
        with change:
            here += 1
            most = max(most, here)
            change.notify_all()
            assert change.wait_for(lambda: most >= 2, timeout=PATIENCE_S)
            change.wait_for(lambda: most > 2, timeout=0.05)
            here -= 1
        return Say("Yes.")

    questions(bench, 12)
    with ModelEndpoint(behave) as endpoint:
        bench.add_api("ann", endpoint.url, 'model = "m"')
        typed = (
            "batch",
            "consult",
            "--input",
            "t.csv",
            "--set",
            "at_once=6",
            "--set",
            "tool_at_once=ann=2",
            "--tool",
            "ann",
        )
        other = bench.start(*typed, "--output", "one")
        done = bench.run(*typed, "--output", "two")
        _, told = other.communicate(timeout=PATIENCE_S)
    assert (done.code, other.returncode) == (0, 0), (done.err, told)
    assert (most, answers_in(bench.ledger)) == (2, 12)


LOST = {"match": {"role": "skeptic"}, "failure": {"code": "rate_limit", "detail": "Too often."}}
PROSE = {"match": {"role": "judge"}, "response": "Hard to say."}
FAILED: list[tuple[Mapping[str, object], int, tuple[object, ...], str]] = [
    (LOST, 4, ("incomplete", "MUTATED", None, [{"seat": "skeptic", "tool": "bob", "code": "rate_limit"}]), "bob did"),
    (PROSE, 1, ("unjudged", None, "no_verdict", []), "[WARN] No verdict. The judge (bob) was asked twice"),
]


@pytest.mark.parametrize(("reply", "code", "told", "problem"), FAILED, ids=["incomplete", "unjudged"])
def test_a_failure_is_never_a_label_and_the_next_call_asks_again(
    jury: Workbench, reply: Mapping[str, object], code: int, told: tuple[object, ...], problem: str
) -> None:
    table(jury, BLOCK + 1, texts=1)
    jury.add_tool("bob", [reply, *REPLIES])
    failed = batch(jury, "--seat", "skeptic=bob", "--seat", "judge=bob")
    row, *_, last = rows_of(jury)
    jury.add_tool("bob", REPLIES)
    healed = batch(jury, "--seat", "skeptic=bob", "--seat", "judge=bob")

    assert (row["status"], row["label"], row["error_code"], row["lost"]) == told
    assert f"  {BLOCK + 1}: {problem.removeprefix('[WARN] ')}" in failed.out
    assert (row["incomplete"], row["problem"][: len(problem)], failed.code) == (code == 4, problem, code)
    assert (last["calls"], healed.code, {*statuses(jury)}) == (row["calls"], 0, {"judged"})
    told_now, (now, *_) = manifest(jury), rows_of(jury)  # what could not be used was paid for all the same
    # A judge who was told of a skeptic that failed was paid for, and is none of the calls of this run any more.
    assert (now["calls"], now["lost"]) == (told_now.spent.calls - (code == 4), [])
    assert now["calls"] == row["calls"] + (code == 1)
    assert told_now.ledger.asked == told_now.ledger.answered + told_now.ledger.failed


def test_secrets_and_the_gold_label_reach_no_prompt_and_no_file(jury: Workbench) -> None:
    jury.extra["SINGING_TOKEN"] = CANARY
    heard = list[str]()

    def behave(request: Request) -> Say:
        heard.append(request.prompt)
        return Say(f"{SAID['any']}\n- {CANARY}" if request.model == "any" else SAID[request.model])

    row = f"{CANARY},Under 5 {CANARY},5 cases,{CANARY},GOLDEN {CANARY}\n"
    (jury.project / "t.csv").write_text(f"id,claim,truth,dataset,gold\n{row}", encoding="utf-8")
    with ModelEndpoint(behave) as endpoint:
        add_apis(jury, endpoint.url)
        done = batch(jury, "--seat", "fact-checker=bob", "--seat", "judge=cy")
    assert (done.code, bool(heard)) == (0, True), done.out + done.err
    (row,) = rows_of(jury)
    shown = jury.run("batch", "show", "project", row["run"][:8])

    assert (row["label"], row["gold"]) == ("MUTATED", "GOLDEN [REDACTED:known-value]")
    (jury.project / "t.csv").unlink()
    places = {str(file): file.read_bytes() for file in jury.project.rglob("*") if file.is_file()}
    places |= {"told": (done.out + done.err + shown.out + shown.err).encode(), "asked": "\n".join(heard).encode()}
    assert [place for place, content in places.items() if CANARY.encode() in content] == []
    shard = jury.project / "out" / "part-00000.jsonl"
    assert [place for place, content in places.items() if b"GOLDEN" in content] == [str(shard)]


@pytest.mark.slow
def test_an_api_is_asked_by_the_batches_of_its_provider_where_that_is_wanted(bench: Workbench) -> None:
    questions(bench, 5, about=CANARY)
    typed = ("--set", "provider_batches=true", "--tool", "anthropic", "--model", "claude-opus-4-5")
    with ModelEndpoint(Say(lambda prompt: f"Heard: {prompt}")) as endpoint:
        endpoint.batches.polls = 0
        bench.extra.update(ANTHROPIC_BASE_URL=endpoint.url, ANTHROPIC_API_KEY=CANARY)
        done = batch(bench, *typed, what="consult")
        (handed_in,) = endpoint.batches.batches.values()
        again = batch(bench, *typed, what="consult", out="again")
        assert (len(handed_in.entries), len(endpoint.batches.batches)) == (5, 1)
    assert (done.code, again.code) == (0, 0), done.err + again.err
    assert shards(bench) == shards(bench, "again")
    assert [f"Is {number} even?" in row["text"] for number, row in enumerate(rows_of(bench))] == [True] * 5
    assert CANARY not in json.dumps(handed_in.entries)
    written = [file for folder in (bench.state, bench.project / "out") for file in folder.rglob("*") if file.is_file()]
    assert written
    assert not [file for file in written if CANARY.encode() in file.read_bytes()]


def test_the_run_of_a_row_is_taken_out_of_a_private_ledger_and_is_then_a_run_like_any_other(jury: Workbench) -> None:
    table(jury, 1)
    batch(jury, "--set", "ledger=answers.sqlite")
    assert (jury.project / "answers.sqlite").stat().st_mode & 0o777 == 0o600
    assert jury.run("runs", "list").out == ""
    assert not (jury.state / "jury" / "last-verdict.json").exists()
    key = rows_of(jury)[0]["run"]
    shown, again = (jury.run("batch", "show", "answers.sqlite", key[:10]) for _ in range(2))
    assert (shown.code, shown.out.splitlines()[0][:14]) == (0, "# Jury: MUTATE"), shown.err
    assert "Under 1 cases" in shown.out
    (folder,) = (file.parent for file in jury.state.rglob("result.json"))
    assert (folder / "journal.jsonl").is_file()
    assert jury.run("runs", "list").out.count(folder.name) == 1
    assert jury.run("runs", "show", folder.name).out == shown.out == again.out
    assert jury.run("view", folder.name, "--print").code == 0
    unknown = (("answers.sqlite", "zz"), ("answers.sqlite", "0" * 20), ("answer.sqlite", key), (".", key))
    assert [jury.run("batch", "show", *typed).code for typed in unknown] == [2] * 4
    assert {file.name for file in jury.project.glob("*.sqlite")} == {"answers.sqlite"}


def test_an_estimate_judges_a_sample_and_says_what_the_rest_will_take(jury: Workbench) -> None:
    questions(jury, 5)
    told = batch(jury, "--estimate", "--json", what="consult").json
    assert (told["rows"], told["judged_before"], told["remaining"], told["sampled"]) == (5, 0, 5, 3)
    assert told["calls"] == {"mean": 5, "low": 5, "high": 5}
    assert told["cost_usd"]["mean"] == pytest.approx(5 * 0.01)
    assert answers_in(jury.ledger) == 3
    assert not (jury.project / "out").exists()
    shown = batch(jury, "--estimate", what="consult").out
    assert shown.startswith(
        "Of 5 rows 3 were judged before, 2 are left. 2 of these were judged now, with 2 calls, for $0.0200."
    )
    assert "Calls: 2 (2 to 2)" in shown
    questions(jury, BLOCK + 4, texts=2)
    anew = batch(jury, "--estimate", "--set", "fresh=true", what="consult").out
    assert anew.startswith(
        f"Of {BLOCK + 4} rows 0 were judged before, {BLOCK + 2} say the same as another, 2 are left."
    )


def test_answers_under_other_settings_are_reused_on_request(jury: Workbench) -> None:
    jury.add_tool("bob", REPLIES)
    table(jury, 1)
    batch(jury)
    before = rows_of(jury)
    done = batch(jury, "--seat", "judge=bob", "--set", "reuse=same-row", out="again")
    assert "Of 1 rows 0 were judged before, 1 with other settings and are taken as they are, 0 are left." in done.err
    assert (done.code, answers_in(jury.ledger)) == (0, CALLS)
    assert rows_of(jury, "again") == before
    assert batch(jury, "--seat", "judge=bob", out="anew").code == 0
    assert answers_in(jury.ledger) == CALLS + 1  # nobody but the judge is asked in other words
