"""``sparring debate`` as somebody types it."""

import json
import re
import stat

from support.golden import Golden
from support.held_debates import Held
from support.workbench import DEBATE, SEATS, Workbench

BOTH = "The proposer (ann) and the challenger (bob)"
NOBODY_READS = f"{BOTH} cannot open files of the project, and can see the exhibits alone."


def test_a_debate_leaves_the_state_file_of_the_specification(bench: Workbench, golden: Golden) -> None:
    done = bench.run(*DEBATE, "--effort", "high", "--model-proposer", "m-1")
    assert done.code == 0, done.err
    state = bench.last_debate()
    assert re.fullmatch(r"debate-\d{8}T\d{6}Z-[0-9a-f]{4}", state.pop("id"))
    assert state.pop("timestamp").endswith("Z")
    for exchange in state["exchanges"]:
        assert isinstance(exchange.pop("duration_ms"), int)
    golden.holds("command_line/last-debate.json", json.dumps(state, indent=2, ensure_ascii=False) + "\n")


def test_the_first_lines_are_printed_the_report_is_kept_and_progress_goes_to_stderr(held_once: Held) -> None:
    bench, done = held_once.bench, held_once.done
    assert done.out.startswith("# bob (challenger) wins\n\nTopic: Should it retry?  \nWhy: The proposer never answered")
    assert len(done.out.splitlines()) <= 20
    report = (held_once.folder / "report.md").read_text(encoding="utf-8")
    assert report.splitlines()[:4] == done.out.splitlines()[:4]  # behind them, the report cuts what has no room
    assert bench.run("runs", "show", "last").out == report
    assert NOBODY_READS not in done.out
    for line in (f"- {NOBODY_READS}", ": E1 README.md:1-3"):
        assert line in report
    first, expected, *turns, shown, kept = done.err.splitlines()
    assert first == NOBODY_READS
    assert re.fullmatch(r"Expected: 6 to 11 calls, usually 6, about [0-9,]+ tokens of prompts \(.*\)", expected)
    assert [line.partition(" in ")[0] for line in turns[:4]] == [
        f"round 1/2  {side}  {what}" for side in ("proposer  ann", "challenger  bob") for what in ("asked", "answered")
    ]
    judged = [line for line in turns if line.startswith("verdict") and line.endswith("asked")]
    assert judged == ["verdict  judge  cy  asked", "verdict (order 2)  judge  cy  asked"]
    run_id = held_once.folder.name
    assert (shown, kept) == (f"Full report: sparring runs show {run_id}", f"Saved in {held_once.folder}")


def test_json_is_the_only_thing_on_stdout_and_equals_the_kept_result(bench: Workbench) -> None:
    done = bench.run("debate", "-", *SEATS, "--rounds", "1", "--json", stdin=b'Is "$(x)" `safe`?\n')
    kept = bench.state / "debate" / "runs" / done.json["id"] / "result.json"
    assert done.json == json.loads(kept.read_text(encoding="utf-8")) == bench.last_debate()
    assert done.json["topic"] == 'Is "$(x)" `safe`?'


def test_everything_that_is_kept_is_for_the_user_alone(held_once: Held) -> None:
    for path in held_once.bench.state.rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), (path, oct(mode))


def test_secrets_in_the_topic_and_in_answers_are_nowhere(bench: Workbench) -> None:
    token = "ghp_" + "a1B2" * 9
    bench.extra["SOME_API_KEY"] = "correct-horse-battery-42"
    bench.add_tool("leak", [{"response": f"The key is correct-horse-battery-42 and {token}."}])
    done = bench.run("debate", f"Is {token} safe?", "--proposer", "leak", *SEATS[2:])
    everything = done.out + done.err + b"".join(bench.files().values()).decode(errors="replace")
    assert "For it" not in everything
    assert "The key is [REDACTED" in everything
    assert token not in everything
    assert "correct-horse" not in everything


def test_a_limit_ends_the_debate_with_its_reason(bench: Workbench) -> None:
    done = bench.run(*DEBATE, "--set", "max_time=0.000001")
    assert done.code in (1, 4)
    assert "budget: the run's" in done.out
