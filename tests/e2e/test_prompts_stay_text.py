"""A prompt reaches the model byte for byte: nothing in it is a command, a path, a skill or an option."""

import re
from pathlib import Path

import pytest

from support.desk import TOOLS, Desk, answered, question, write

pytestmark = pytest.mark.npm

PREAMBLE = {"claude": "The question follows.\n\n", "gemini": "The question follows.\n\n"}
MOMENT = re.compile(r"<current_datetime>[^<]*</current_datetime>\n\n")
"""What copilot puts before a prompt."""

SHELL = "\"double\" 'single' `touch pwned` $(touch pwned) ${HOME} $HOME ; | & > < * ? \\n \\"
WORDS = "\n".join(
    (
        "@/etc/passwd is where users stand; look into @notes.txt and @./notes.txt please",
        "Price is $project-skill or $user-skill, $agents-skill; [$user-skill](skill://user-skill)",
        f"{SHELL} {{env:LOOPBACK_API_KEY}} {{file:/etc/passwd}}",
        "Ý kiến của bạn là gì? Đúng hay sai — 正しい 🙂 e\u0301 \u2028 \u200b end",
        "from \x01\x02\x07\x08\x0b\x0c\x1b[31m\x1f\x7f\x80\x9b \ufeff \ufffd \ufffe \U0010ffff to here",
    )
)
"""What could act wherever it stands."""

MOST = 2**20 - len("The question follows.\n\n")
MUCH = "".join(f'Dòng {number} $x `y` "z" — @q\n' for number in range(MOST // 20))
"""More than enough to fill a question."""

TRICKY = {
    "a command": f"/help @notes.txt --agent build\n{WORDS}",
    "blank lines, a shell escape and a mebibyte": f"\n\n!touch pwned\r\n\ttabbed\n{WORDS}\n\n{MUCH}"[:MOST],
}
"""What could act at the beginning."""


def write_skill(folder: Path, name: str, spelled: str = "name: {}") -> None:
    write(folder / "SKILL.md", f"---\n{spelled.format(name)}\ndescription: d\n---\nEXPANDED {name}\n")


def received(desk: Desk) -> str:
    """The prompt as the model got it."""
    return MOMENT.sub("", desk.endpoint.request.prompt, count=1).strip()


def expected(tool: str, prompt: str) -> str:
    """The prompt as the model should get it: every letter of it, and between them what cannot be seen."""
    text = PREAMBLE.get(tool, "") + prompt
    return (re.sub(r"@(?=\S)", "@\u200b", text) if tool == "gemini" else text).strip()


@pytest.fixture
def tempting(desk: Desk) -> Desk:
    """A desk where everything that a prompt could name is really there."""
    write(desk.project / "notes.txt", "EXPANDED notes\n")
    for home in (".codex", ".claude", ".copilot", ".github", ".opencode"):
        write_skill(desk.project / home / "skills" / "project-skill", "project-skill")
        write_skill(desk.home / home / "skills" / "deep" / "folder-name", "user-skill")
        for place in (desk.project, desk.home):
            write(place / home / "commands" / "help.md", "---\ndescription: d\n---\nEXPANDED $ARGUMENTS\n")
    write_skill(desk.home / ".agents" / "skills" / "agents-skill", "agents-skill")
    return desk


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("prompt", TRICKY.values(), ids=TRICKY.keys())
async def test_a_prompt_is_text_and_nothing_else(tool: str, prompt: str, tempting: Desk) -> None:
    answered(await tempting.consultant(tool).ask(question(prompt)))
    assert received(tempting) == expected(tool, prompt)
    assert "EXPANDED" not in tempting.endpoint.request
    assert "root:x:" not in tempting.endpoint.request
    assert [*tempting.home.rglob("pwned"), *tempting.project.rglob("pwned")] == []


async def test_a_skill_of_the_project_is_not_expanded_however_it_spells_its_name(desk: Desk) -> None:
    spellings = (
        '"name": sly0', "name: sly1 # comment", "name: >-\n  sly2", 'name: "s\\x6cy3"',
        f"other: {'x' * 10_000}\nname: sly4",
    )  # fmt: skip
    for number, spelled in enumerate(spellings):
        write_skill(desk.project / ".agents" / "skills" / f"folder{number}", "it", spelled)
    answered(await desk.consultant("codex").ask(question("Is $sly0, $sly1, $sly2, $sly3 or $sly4 defined?")))
    assert "EXPANDED" not in desk.endpoint.request
