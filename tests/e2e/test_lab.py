"""What was written down of the command lines still holds, as far as that is found out soon; the rest is `make lab`."""

import pytest
from anyio.to_thread import run_sync

from lab.measured import Measured, measured
from lab.probes import FAILING, failed, heard, opening
from support.desk import TOOLS

pytestmark = pytest.mark.npm


def known(tool: str) -> Measured:
    found = measured(tool)
    assert found is not None
    return found


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_tool_receives_no_foreign_instructions_and_opens_as_measured(tool: str) -> None:
    hears, _ = await heard(tool)
    assert hears == known(tool).hears
    assert await run_sync(opening, tool) == known(tool).opening


@pytest.mark.parametrize("tool", ["claude", "codex", "gemini"])
async def test_one_question_that_fails_costs_no_more_requests_than_it_did(tool: str) -> None:
    """Of the two others, which no setting bounds, that takes a minute and more."""
    found = await failed(tool, FAILING["503"])
    assert (found.code, found.requests) == (known(tool).failures["503"].code, known(tool).failures["503"].requests)
