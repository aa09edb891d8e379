"""How a run is ended, and what the shell is told of one that has."""

import signal

import anyio
import pytest
from anyio.lowlevel import checkpoint

from sparring.cli.runs import exit_code, until_done_or_stopped
from sparring.errors import ExitCode
from sparring.formats.registry import FORMATS
from sparring.schema.consultation import FailureCode
from sparring.schema.debate import DebateOutcome, DebateStatus
from support.runs import debate_request, failure, opening, run

NO_VERDICT = {"uncontested", "undecided", "unjudged", "no_quorum"}


def test_every_way_to_end_has_its_exit_code() -> None:
    """A review is different: who asked for it to fail is told 1, and one of too few is no verdict."""
    review = {"blocking": 1, "findings": 0, "clean": 0, "incomplete": 4, "failed": 1}
    for name in FORMATS:
        codes = {str(status): int(code) for status, code in FORMATS[name].exit_codes.items()}
        usual = {status: 1 if status == "failed" else 4 if status in NO_VERDICT else 0 for status in codes}
        assert codes == (review if name == "review" else usual), name


@pytest.mark.parametrize(
    ("cause", "code"),
    [
        (FailureCode.AUTH, ExitCode.TOOL_MISSING),
        (FailureCode.NOT_FOUND, ExitCode.TOOL_MISSING),
        (FailureCode.TIMEOUT, ExitCode.FAILED),
    ],
)
def test_a_run_that_failed_for_an_unusable_tool_has_its_own_exit_code(cause: FailureCode, code: ExitCode) -> None:
    for status, ended in ((DebateStatus.FAILED, code), (DebateStatus.UNJUDGED, ExitCode.NO_VERDICT)):
        outcome = DebateOutcome(status=status, rounds_completed=2)
        assert exit_code(run(debate_request(), (opening(failure(cause)),), outcome)) is ended


def test_repeated_signals_do_not_cut_an_orderly_end_short() -> None:
    ended = list[bool]()

    async def work() -> None:
        await checkpoint()
        signal.raise_signal(signal.SIGINT)
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.wait_all_tasks_blocked()
                for number in (signal.SIGINT, signal.SIGTERM):
                    signal.raise_signal(number)
                await anyio.wait_all_tasks_blocked()
            ended.append(True)

    assert (anyio.run(until_done_or_stopped, work), ended) == (None, [True])
