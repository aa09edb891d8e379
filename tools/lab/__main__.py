"""Probe the command lines named as arguments, or all; write ``measured.json`` of each, and ``docs/tools.md``."""

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import anyio
from anyio.to_thread import run_sync

from lab.measured import FailureTaken, Measured, SignalTaken
from lab.probes import FAILING, failed, heard, largest_answer, leaves, opening, signalled, version, waits_s
from sparring.app.doctor import measured_file
from support.desk import TOOLS
from support.tools_page import PAGE, tools_page

AT_ONCE = 3
SIGNALS = ("SIGINT", "SIGTERM")


async def probed(tool: str) -> Measured:
    """All that is to be found out about ``tool``."""
    failures: dict[str, FailureTaken] = {}
    room = anyio.CapacityLimiter(AT_ONCE)

    async def fail(how: str) -> None:
        async with room:
            failures[how] = await failed(tool, FAILING[how])

    async with anyio.create_task_group() as group:
        for how in FAILING:
            group.start_soon(fail, how)
    hears, adds = await heard(tool)
    signals: dict[str, SignalTaken] = {name: await run_sync(signalled, tool, name) for name in SIGNALS}
    return Measured(
        tool=tool,
        version=version(tool),
        day=datetime.now(UTC).date().isoformat(),
        hears=hears,
        adds=adds,
        largest_answer=await largest_answer(tool),
        waits_s=await waits_s(tool),
        failures={how: failures[how] for how in FAILING},
        signals=signals,
        leaves=await leaves(tool),
        opening=await run_sync(opening, tool),
    )


def main(tools: Sequence[str]) -> None:
    """Probe ``tools``, one after the other."""
    for tool in tools:
        found = anyio.run(probed, tool)
        text = json.dumps(found.model_dump(mode="json"), indent=2, ensure_ascii=False)
        measured_file(tool).write_text(f"{text}\n", encoding="utf-8")
        sys.stdout.write(f"{text}\n")
    PAGE.write_text(tools_page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:] or TOOLS)
