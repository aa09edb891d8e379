"""An answer that takes long to read stops nothing: neither the time limit nor a signal waits for it."""

import json
import signal

import pytest

from support.fact_checkers import EVIDENCE, add_checkers
from support.fact_checking import CLAIM
from support.workbench import DEBATE, PATIENCE_S, Workbench

pytestmark = pytest.mark.process

LINES = "a\n\n" * (1 << 20)
PART = {"part": "45 " * 3_000, "status": "COVERED", "quote": "45 " * 3_000}
NUMBERS = json.dumps({"parts": [PART] * 20, "verdict": "SUPPORTED"})
FACT_CHECK = ("fact-check", CLAIM, *EVIDENCE, "--with", "ann,bob,cy")


def test_a_run_is_over_when_its_time_is_and_can_be_gone_on_with(bench: Workbench) -> None:
    add_checkers(bench, ann=({"response": NUMBERS},))
    done = bench.run(*FACT_CHECK, "--set", "max_time=0.3")
    assert done.code in (0, 1, 4), done.err  # a machine may be so fast that it is checked in time
    if "takes too long to check" in done.err:
        run_id = next((bench.state / "fact-check" / "runs").glob("fact-check-*")).name
        assert (done.code, f"sparring runs resume {run_id}" in done.err) == (1, True)


def test_a_signal_ends_a_run_while_an_answer_is_being_read(bench: Workbench) -> None:
    for tool in ("ann", "bob", "cy"):
        bench.add_tool(tool, ({"response": LINES},))
    process = bench.start(*DEBATE)
    assert process.stderr is not None
    assert any(b"answered" in line for line in process.stderr)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (130, b"")
    assert err.startswith(b"Interrupted. ") or b"\nInterrupted. " in err


ACTING = "\x7f\x9b31m\x9d0;owned\x9c\u061c\u200e\u202e\u2066"


@pytest.mark.parametrize(
    "command",
    [
        ("consult", "Well?", "--tool", "ann", "--json"),
        ("runs", "show", "last", "--json"),
        ("runs", "list", "--json"),
        ("runs", "export", "last", "--format", "json"),
        ("verify", "quotes", "-"),
        ("consult", f"{ACTING}?", "--tool", "nobody", "--json"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_json_output_is_harmless_on_a_terminal_and_complete(bench: Workbench, command: tuple[str, ...]) -> None:
    bench.add_tool("ann", [{"response": f"Yes{ACTING}."}])
    bench.run("consult", f"{ACTING} Well?", "--tool", "ann")
    row = json.dumps({"id": ACTING, "quote": f"a {ACTING}", "evidence": [f"a {ACTING} b"]}, ensure_ascii=False)
    done = bench.run(*command, stdin=row.encode() + b"\n")
    assert set(ACTING[:1] + "\x9b\x9d\x9c\u061c\u200e\u202e\u2066").isdisjoint(done.out + done.err)
    lines = done.out.splitlines() if "-" in command else [done.out]
    assert all(json.loads(line) for line in lines)
    if command[0] == "consult" and "ann" in command:
        assert json.loads(done.out)["response"] == f"Yes{ACTING}."
