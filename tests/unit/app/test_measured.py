"""What is known of the command lines, and of which versions."""

import json
from pathlib import Path

import pytest

from lab.measured import measured
from sparring.app.doctor import doubt
from support.desk import E2E, PACKAGES, TOOLS
from support.tools_page import PAGE, tools_page


@pytest.mark.parametrize("tool", TOOLS)
def test_the_tested_version_was_measured_and_takes_no_foreign_instructions(tool: str) -> None:
    pinned = json.loads(Path(E2E, "package.json").read_text(encoding="utf-8"))["dependencies"][PACKAGES[tool]]
    known = measured(tool)
    assert known is not None
    assert (known.version, known.hears) == (pinned, ()), "run `make lab`"


def test_the_page_shows_what_was_measured() -> None:
    assert PAGE.read_text(encoding="utf-8") == tools_page(), "run `make lab`"


def test_a_version_other_than_the_measured_one_is_reported() -> None:
    known = measured("codex")
    assert known is not None
    same, (first, second, last) = known.version, map(int, known.version.split("."))
    newer = f"{first}.{second * 10}.{last}"
    printed = {
        f"codex-cli {newer}": f"codex {newer} is newer than {same}, the last that was measured. ",
        "codex-cli 0.9.1": f"codex 0.9.1 is older than {same}, the last that was measured. ",
        "unknown": f"Its version cannot be read from that; {same} was measured. ",
    }
    assert [text for text, begins in printed.items() if not doubt("codex", text).startswith(begins)] == []
    assert [doubt("codex", f"codex-cli {same}"), doubt("codex", f"{same}\n"), doubt("text", "1.2.3")] == [""] * 3
