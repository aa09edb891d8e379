"""Many clients at once; how fast it is, and how much it takes, is the business of ``bench/http.py``."""

from pathlib import Path

import pytest

from support.crowd import Crowd
from support.team import ANN, BOB, TeamServer, write_members
from support.workbench import Workbench

pytestmark = pytest.mark.process


async def test_fifty_clients_of_two_members_are_all_answered(tmp_path: Path) -> None:
    bench = Workbench.below(tmp_path)
    with TeamServer(bench, ("--tokens", str(write_members(bench)))) as server:
        crowd = Crowd(server, (ANN, BOB), "ann", 50)
        await crowd.come(most_calls=6)
        assert (crowd.problems, crowd.calls) == ([], 300)
        assert server.stop() == "Ended.\n"
