"""A program that answers what it was asked before: ``python teller.py ANSWERS ASKED TOOL``, as Claude Code does.

A line in the file ``ASKED`` tells of each time that it was asked, so that nobody is asked twice unseen.
"""

import hashlib
import json
import os
import sys
import time
from pathlib import Path

TAKES_S = 0.15
"""As long as it takes to answer, so that there is something in flight to be killed in."""


def main(answers: str, asked: str, tool: str) -> None:
    """Answer the prompt on standard input; one that nobody knows is a failure."""
    prompt = sys.stdin.buffer.read()
    key = f"{tool} {hashlib.sha256(prompt).hexdigest()}"
    descriptor = os.open(asked, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, f"{key}\n".encode())
    os.close(descriptor)
    time.sleep(TAKES_S)
    answer = json.loads(Path(answers).read_bytes())[key]
    json.dump({"type": "result", "subtype": "success", "is_error": False, "result": answer}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:4])
