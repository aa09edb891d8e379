"""Many clients at once; how fast it is, and how much it takes, is the business of ``bench/http.py``."""

from pathlib import Path

from support.crowd import Crowd
from support.team import ANN, BOB, HostedTeam


async def test_many_clients_of_two_members_are_all_answered(tmp_path: Path) -> None:
    with HostedTeam(tmp_path) as server:
        crowd = Crowd(server, (ANN, BOB), "ann", 12)
        await crowd.come(most_calls=5)
        assert (crowd.problems, crowd.calls) == ([], 60)
        assert server.stop() == "Ended."
