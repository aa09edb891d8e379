"""Many clients at once; how fast it is, and how much it takes, is the business of ``bench/serving.py``."""

from pathlib import Path

from support.crowd import Crowd
from support.http_server import HostedServer


async def test_many_clients_are_all_answered(tmp_path: Path) -> None:
    with HostedServer(tmp_path) as server:
        crowd = Crowd(server, "ann", 12)
        await crowd.come(most_calls=5)
        assert (crowd.problems, crowd.calls) == ([], 60)
        assert server.stop() == "Ended."
