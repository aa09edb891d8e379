"""The server for a team with bounds that a test can reach: ``python impatient_server.py HOST:PORT``."""

import sys

from sparring.server.http.bounds import Bounds
from sparring.server.http.serving import serve

BOUNDS = Bounds(head_s=0.3, body_s=0.3, body_bytes=10_000, sessions=2, idle_s=0.5)

if __name__ == "__main__":
    serve(sys.argv[1], None, lambda line: print(line, file=sys.stderr, flush=True), bounds=BOUNDS)  # noqa: T201
