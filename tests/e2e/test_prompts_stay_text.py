"""A prompt reaches the model byte for byte: nothing in it is a command, a path, a skill or an option."""

import re
from pathlib import Path

import pytest

from sparring.schema.consultation import Answer, Failure, FailureCode
from support.desk import Desk, question

pytestmark = pytest.mark.npm

PREAMBLE = {"claude": "The question follows.\n\n", "codex": "", "copilot": "", "gemini": "The question follows.\n\n"}
MOMENT = re.compile(r"<current_datetime>[^<]*</current_datetime>\n\n")
"""What copilot puts before a prompt."""

TRICKY = {
    "an option": "--help me to understand -p and --version",
    "a command": "/help",
    "another command": "/clear",
    "a shell escape": "!touch pwned",
    "a file outside": "@/etc/passwd is where users stand",
    "a file of the project": "Look into @notes.txt and @./notes.txt please",
    "a skill": "Price is $project-skill or $user-skill, $agents-skill; [$user-skill](skill://user-skill)",
    "shell": "\"double\" 'single' `touch pwned` $(touch pwned) ${HOME} $HOME ; | & > < * ? \\n \\",
    "other writing": "Ý kiến của bạn là gì? Đúng hay sai — 正しい 🙂 e\u0301 \u2028 \u200b end",
    "almost binary": "from \x01\x02\x07\x08\x0b\x0c\x1b[31m\x1f\x7f\x80\x9b \ufeff \ufffd \ufffe \U0010ffff to here",
    "blank lines": "\n\n  first line after blank ones\r\n\ttabbed\n\n",
}


def write_skill(folder: Path, name: str) -> None:
    folder.mkdir(parents=True)
    text = f"---\nname: {name}\ndescription: What {name} does\n---\nEXPANDED {name}\n"
    (folder / "SKILL.md").write_text(text, encoding="utf-8")


def received(desk: Desk) -> str:
    """The prompt as the model got it."""
    return MOMENT.sub("", desk.endpoint.request.prompt, count=1).strip()


def expected(tool: str, prompt: str) -> str:
    """The prompt as the model should get it: every letter of it, and between them what cannot be seen."""
    text = PREAMBLE[tool] + prompt
    return (re.sub(r"@(?=\S)", "@\u200b", text) if tool == "gemini" else text).strip()


@pytest.fixture
def tempting(desk: Desk) -> Desk:
    """A desk where everything that a prompt could name is really there."""
    (desk.project / "notes.txt").write_text("EXPANDED notes\n", encoding="utf-8")
    for home in (".codex", ".claude", ".copilot", ".github"):
        write_skill(desk.project / home / "skills" / "project-skill", "project-skill")
        write_skill(desk.home / home / "skills" / "deep" / "folder-name", "user-skill")
    write_skill(desk.home / ".agents" / "skills" / "agents-skill", "agents-skill")
    return desk


@pytest.mark.parametrize("tool", ["claude", "codex", "copilot", "gemini"])
@pytest.mark.parametrize("prompt", TRICKY.values(), ids=TRICKY.keys())
async def test_a_prompt_is_text_and_nothing_else(tool: str, prompt: str, tempting: Desk) -> None:
    reply = await tempting.consultant(tool).ask(question(prompt))

    assert isinstance(reply, Answer)
    assert received(tempting) == expected(tool, prompt)
    assert "EXPANDED" not in tempting.endpoint.request
    assert "root:x:" not in tempting.endpoint.request
    assert not (tempting.project / "pwned").exists()


SPELLINGS = {
    "quoted key": '"name": sly',
    "commented": "name: sly # comment",
    "folded": "name: >-\n  sly",
    "escaped": 'name: "s\\x6cy"',
    "far down": f"other: {'x' * 10_000}\nname: sly",
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS.keys())
async def test_a_skill_of_the_project_is_not_expanded_however_it_spells_its_name(spelling: str, desk: Desk) -> None:
    folder = desk.project / ".agents" / "skills" / "folder"
    folder.mkdir(parents=True)
    text = f"---\n{spelling}\ndescription: d\n---\nEXPANDED\n"
    (folder / "SKILL.md").write_text(text, encoding="utf-8")

    reply = await desk.consultant("codex").ask(question("Is $sly defined?"))

    assert isinstance(reply, Answer)
    assert "EXPANDED" not in desk.endpoint.request


@pytest.mark.parametrize("tool", ["claude", "codex", "copilot", "gemini"])
@pytest.mark.parametrize("size", [300_000, 2**20])
async def test_a_large_prompt_arrives_whole(tool: str, size: int, desk: Desk) -> None:
    preamble = PREAMBLE[tool]
    lines = "".join(f'Dòng {number} $x `y` "z" — @q\n' for number in range(size // 20))
    prompt = lines[: size - len(preamble)]

    reply = await desk.consultant(tool).ask(question(prompt))

    assert isinstance(reply, Answer), reply
    assert received(desk) == expected(tool, prompt)


async def test_a_prompt_larger_than_codex_takes_is_refused_before_anything_is_started(desk: Desk) -> None:
    reply = await desk.consultant("codex").ask(question("x" * (2**20 + 1)))

    assert isinstance(reply, Failure)
    assert (reply.code, reply.detail) == (
        FailureCode.CONTEXT_TOO_LONG,
        "codex takes prompts of at most 1,048,576 characters; this one has 1,048,577.",
    )
    assert desk.endpoint.requests == []
