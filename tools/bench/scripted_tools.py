"""A workspace with two scripted debaters and a scripted judge, for benches that need answers of known cost."""

from pathlib import Path

from sparring.testing import Workspace
from support.playing import SUMMARY, ballot

DEBATE = ("--proposer", "left", "--challenger", "right", "--seat", "judge=bench")


def workspace(root: Path, *, delay_s: float, speech: str) -> Workspace:
    """One with the tools ``left``, ``right`` and ``bench`` (the judge), each taking ``delay_s`` for an answer."""
    found = Workspace(root)
    verdicts = (
        {"match": {"step": "debate/synthesis", "name": f"judge1.{letters}"}, "response": _ballot(letters, speech)}
        for letters in ("ab", "ba")
    )
    replies = (
        *verdicts,
        {"match": {"step": "debate/summary"}, "response": SUMMARY},
        {"response": speech},
    )
    for name in ("left", "right", "bench"):
        found.add_scripted(name, *({**reply, "delay_s": delay_s} for reply in replies))
    return found


def _ballot(letters: str, speech: str) -> str:
    return ballot(letters, arguments=[{"side": "B", "quote": speech.partition(". ")[0]}])
