import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from sparring.formats.reports import decision
from sparring.reports.terminal import LiveProgress, console_on, print_markdown, print_plain
from sparring.schema.base import Role
from sparring.schema.consultation import FailureCode
from sparring.schema.transcript import TurnKind
from sparring.text.tidying import for_terminal
from support.runs import answer, asked, finished_consult, finished_debate, spoke

TESTS = Path(__file__).parents[2]
HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"


def terminal(*, no_color: bool = False) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=100, no_color=no_color, _environ={"TERM": "xterm"})


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def lines(console: Console) -> list[str]:
    return [line.strip() for line in for_terminal(written(console)).splitlines() if line.strip()]


def test_a_report_is_laid_out_on_a_terminal() -> None:
    console = terminal()
    print_markdown(decision(finished_debate()), console)
    assert "\x1b[" in written(console)
    assert [line for line in lines(console) if line.startswith(("Debate", "Topic", "#", "•"))] == [
        "Debate Summary",
        "Topic: Should every turn be flushed to disk?",
        "• claude, round 2: “It is measured: 2 ms.”",
        "Debate Quality",
        "• Genuine disagreement: high",
        "• Evidence quality: medium",
        "• Challenge depth: low",
        "• Losing turns is not acceptable (evidence: README.md:12)",
        "• Flushing: claude argues it is cheap, codex argues it is slow on network drives",
        "• How slow is a network drive?",
    ]


def test_without_a_terminal_a_report_is_printed_as_it_is() -> None:
    text = decision(finished_debate())
    stream = io.StringIO()
    print_plain(text, stream)
    print_plain("no end of line \x1b[2J", stream)
    assert stream.getvalue() == text + "no end of line \n"


def test_what_is_too_long_to_lay_out_is_printed_as_it_is() -> None:
    console = terminal()
    print_markdown("# A\n" + "word " * 30_000, console)
    assert written(console) == "# A\n" + "word " * 30_000 + "\n"


def test_colours_are_left_out_when_they_are_not_wanted() -> None:
    console = terminal(no_color=True)
    print_markdown("`code` and [text](https://example.org)", console)
    assert not any(f"\x1b[{colour}" in written(console) for colour in ("36", "94", "1;36", "4;34"))


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("A `Vec<T>` or Vec<T>", "A Vec<T> or Vec<T>"),
        ("before <!-- hidden --> after", "before <!-- hidden --> after"),
        ("[good](https://bad.example)", "good (https://bad.example)"),
        ("\x1b]8;;https://bad.example\x07good\x1b]8;;\x07 \x1b[2J", "good"),
        (":smile: [red]not markup[/red]", ":smile: [red]not markup[/red]"),
    ],
)
def test_nothing_that_was_said_is_hidden_or_acts(said: str, shown: str) -> None:
    console = terminal()
    print_markdown(decision(finished_consult(answer(said))), console)
    assert lines(console)[-1] == shown
    assert "\x1b]8" not in written(console)


def test_live_progress_shows_who_speaks_and_for_how_long() -> None:
    console, moments = terminal(), iter(range(1000))
    with LiveProgress(console, clock=lambda: 0.5 * next(moments)) as live:
        live.show(asked())
        live.show(asked(TurnKind.SUMMARY, Role.JUDGE, "gemini", round_number=3, ask_id="r3.summary.1"))
    shown = for_terminal(written(console))
    assert "round 1/2  proposer  claude  " in shown
    assert "summary for round 3  judge  gemini  " in shown


def test_finished_turns_stay_above_and_the_cursor_comes_back() -> None:
    console = terminal()
    with LiveProgress(console) as live:
        live.show(asked())
        live.show(spoke(asked()))
        live.show(spoke(asked(), failure=FailureCode.EXIT, detail="[/red] \x1b[2J:smile:"))
    shown = written(console)
    assert "round 1/2  proposer  claude  answered in 8.5 s\n" in shown
    assert "round 1/2  proposer  claude  failed: exit after 8.5 s ([/red] :smile:)\n" in shown
    assert shown.rindex(SHOW_CURSOR) > shown.rindex(HIDE_CURSOR)
    assert "\x1b[2J" not in shown


def test_a_pipe_gets_the_finished_turns_without_escapes() -> None:
    stream = io.StringIO()
    with LiveProgress(console_on(stream)) as live:
        live.show(asked())
        live.show(spoke(asked()))
    assert stream.getvalue().strip() == "round 1/2  proposer  claude  answered in 8.5 s"


INTERRUPTED = """
import os, signal, sys
from support.runs import asked, spoke
from sparring.reports.terminal import LiveProgress, console_on
console = console_on(sys.stderr)
assert console.is_terminal
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may have it ignored
with LiveProgress(console) as live:
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
        shown = read_to_the_end(ours).decode()
    os.close(ours)
    assert child.returncode != 0
    assert "KeyboardInterrupt" in shown
    assert "round 1/2  proposer  claude  answered in 8.5 s" in shown
    assert HIDE_CURSOR in shown
    assert shown.rindex(SHOW_CURSOR) > shown.rindex(HIDE_CURSOR)


def read_to_the_end(terminal_end: int) -> bytes:
    read = b""
    while True:
        try:
            part = os.read(terminal_end, 4096)
        except OSError:  # Linux says so when the other end is closed
            return read
        if not part:  # macOS says so
            return read
        read += part


@pytest.mark.process
def test_rich_is_not_imported_before_something_is_shown() -> None:
    code = "import sys, sparring.reports.terminal, sparring.formats.reports; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
