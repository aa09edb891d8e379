"""Two scripted debaters and a scripted judge in a folder of their own, for benches that need answers of known cost."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

VERDICT: Mapping[str, object] = {
    "winner": "proposer",
    "reasoning": "It cited more.",
    "quality": {"genuine_disagreement": "high", "evidence_quality": "low", "challenge_depth": "medium"},
    "agreements": [],
    "disagreements": [],
    "unresolved_questions": [],
    "recommendation": "Do it.",
}
SUMMARY = "\n".join(
    f"## {heading}\nNone."
    for heading in ("Core positions", "Concessions", "Evidence citations", "Open disagreements", "Walk-backs")
)


def write_tools(config: Path, *, delay_s: float, speech: str) -> None:
    """Providers ``left``, ``right`` and ``bench`` (the judge), each taking ``delay_s`` seconds for an answer."""
    folder = config / "providers"
    folder.mkdir(parents=True)
    replies = [
        {"match": {"step": "debate/synthesis"}, "response": json.dumps(VERDICT), "delay_s": delay_s},
        {"match": {"step": "debate/summary"}, "response": SUMMARY, "delay_s": delay_s},
        {"response": speech, "delay_s": delay_s},
    ]
    (folder / "replies.json").write_text(json.dumps({"replies": replies}), encoding="utf-8")
    for name in ("left", "right", "bench"):
        text = f'name = "{name}"\nkind = "scripted"\nfamily = "none"\ntitle = "{name}"\nscript = "replies.json"\n'
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")


def environment(folder: Path) -> Mapping[str, str]:
    """The environment in which only those tools are there, and the state stays in ``folder``."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return kept | {"SPARRING_CONFIG_DIR": str(folder / "config"), "AI_STATE_DIR": str(folder / "state")}
