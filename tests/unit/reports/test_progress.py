"""How far a run has come: in a line each, and as a terminal shows it."""

import io
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sparring.formats.views import LiveTurnRenderer
from sparring.reports.progress import LiveProgress, progress_line
from sparring.reports.terminal import console_on
from sparring.schema.base import Role
from sparring.schema.consultation import FailureCode
from sparring.schema.runs import RunEvent
from sparring.schema.transcript import TurnKind
from sparring.text.tidying import for_terminal
from support.runs import answer, asked, debate_request, failure, repeated, spoke
from support.stored_runs import stored
from support.terminals import lines, shown_until_closed, terminal, written
from support.texts import texts

TESTS = Path(__file__).parents[2]
HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
LEDGER = asked(TurnKind.CITATIONS, Role.VERIFIER, "sparring-citations", label="round 1/2, citations")


@pytest.mark.parametrize(("line", "place"), texts("progress")["asked"])
def test_an_ask_is_one_line_of_progress(line: str, place: Mapping[str, Any]) -> None:
    place = {"label": "", **place}
    kind, role, tool = TurnKind(place.pop("kind")), Role(place.pop("role")), place.pop("tool")
    assert progress_line(asked(kind, role, tool, **place)) == line


FULL = failure(FailureCode.OVERLOADED, "full", tool="claude")
LATE = failure(FailureCode.TIMEOUT, "no answer")
ENDED = failure(FailureCode.EXIT, "", duration_ms=8500)
CHECKER = asked(TurnKind.ANALYSIS, Role.FACT_CHECKER, label="round 1", number=1)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (spoke(asked()), "round 1/2  proposer  claude  answered in 8.5 s"),
        (spoke(asked(), LATE), "round 1/2  proposer  claude  failed: timeout after 240.0 s (no answer)"),
        (
            repeated(asked(), FULL, 7.6, "claude"),
            "round 1/2  proposer  claude  claude is overloaded; retry in 8 s",
        ),
        (spoke(asked(), answer(tool="gemini")), "round 1/2  proposer  claude  gemini answered in 8.5 s"),
        (
            spoke(asked()).model_copy(update={"taken_from": "debate-20261121T110000Z-0a1b"}),
            "round 1/2  proposer  claude  reused from debate-20261121T110000Z-0a1b",
        ),
        (spoke(CHECKER, ENDED), "round 1  Agent 1  claude  failed: exit after 8.5 s"),
    ],
)
def test_an_outcome_is_one_line_of_progress(event: RunEvent, line: str) -> None:
    assert progress_line(event) == line


def test_speeches_follow_their_speakers_and_the_current_speaker_comes_last() -> None:
    console, moments = terminal(), iter(range(1000))
    found = '{"entries": [], "unsupported": [], "left_out": 0}'
    with LiveProgress(console, LiveTurnRenderer(debate_request()), clock=lambda: 0.5 * next(moments)) as live:
        live.show(asked())
        live.show(LEDGER)
        live.show(repeated(asked(), failure(FailureCode.EXIT, "[/red] :smile:", tool="claude"), 0, "gemini"))
        live.show(asked(TurnKind.SUMMARY, Role.JUDGE, "gemini", round_number=3, label="summary for round 3"))
        live.show(spoke(asked(), answer("**Flush** it. \x1b[2J[/red]:smile:")))
        live.show(spoke(LEDGER, answer(found, tool="sparring-citations")))
        live.show(spoke(asked(), failure(FailureCode.EXIT, "[/red] \x1b[2J:smile:", tool="claude")))
    said = [line for line in lines(console) if line.startswith(("──", "Flush", "Citations"))]
    assert said == [
        "── round 1/2  proposer  claude  failed: exit after 240.0 s ([/red] :smile:); gemini is called in its place",
        "── round 1/2 · proposer · claude · 8.5 s",
        "Flush it. [/red]:smile:",
        "Citations: none.",
        "── round 1/2  proposer  claude  failed: exit after 240.0 s ([/red] :smile:)",
    ]
    before, _, after = for_terminal(written(console)).partition(said[0])
    assert "round 1/2  proposer  claude  0.5 s" in before
    assert "round 1/2  proposer  claude  " in after
    assert "summary for round 3  judge  gemini  " in after
    assert "citations" not in before + after
    assert written(console).rindex(SHOW_CURSOR) > written(console).rindex(HIDE_CURSOR)
    assert "\x1b[2J" not in written(console)


def test_a_pipe_gets_the_finished_turns_without_escapes() -> None:
    stream = io.StringIO()
    with LiveProgress(console_on(stream), LiveTurnRenderer(debate_request())) as live:
        live.show(asked())
        live.show(spoke(asked()))
    shown = [line.strip() for line in stream.getvalue().split("\n") if line.strip()]
    assert shown == ["── round 1/2 · proposer · claude · 8.5 s", "Said."]


def test_progress_without_an_ask_shows_the_awaited_participant() -> None:
    console, moments = terminal(), iter(range(1000))
    with LiveProgress(console, LiveTurnRenderer(debate_request()), clock=lambda: next(moments)) as live:
        live.show_waiting("round 1, challenger (codex)")
        live.show_waiting("round 1, challenger (codex)")
        live.show(spoke(asked()))
    assert "round 1, challenger (codex)  " in for_terminal(written(console))


@pytest.mark.parametrize("name", ["debate", "fact-check", "jury"])
def test_progress_of_turns_is_no_json(name: str) -> None:
    run = stored(name)
    tell = LiveTurnRenderer(run.header.request)
    told = [tell(turn) for turn in run.transcript.turns]
    assert any(told)
    assert not [said for said in told if said.lstrip().startswith("{")]


INTERRUPTED = """
import os, signal, sys
from support.runs import asked, debate_request, spoke
from sparring.formats.views import LiveTurnRenderer
from sparring.reports.progress import LiveProgress
from sparring.reports.terminal import console_on
console = console_on(sys.stderr)
assert console.is_terminal
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may have it ignored
with LiveProgress(console, LiveTurnRenderer(debate_request())) as live:
    live.show(asked())
    live.show(spoke(asked()))
    live.show(asked())
    os.kill(os.getpid(), signal.SIGINT)
    signal.pause()
"""


@pytest.mark.process
def test_an_interrupted_run_leaves_the_terminal_usable() -> None:
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "PYTHONPATH": str(TESTS)}
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED], stderr=theirs, env=environment) as child:
        os.close(theirs)
        shown = shown_until_closed(ours)
    assert child.returncode != 0
    for part in ("KeyboardInterrupt", "round 1/2 · proposer · claude · 8.5 s", HIDE_CURSOR):
        assert part in shown
    assert shown.rindex(SHOW_CURSOR) > shown.rindex(HIDE_CURSOR)
