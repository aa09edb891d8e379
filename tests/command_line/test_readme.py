"""The README promises only what runs: its commands are taken from it and run."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from sparring.formats.registry import FORMATS
from support.chaired_debaters import CHAIRED_SPEECHES
from support.workbench import DEBATE, PATIENCE_S, SPEECHES, Result, Workbench

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/commands.md")}
BLOCKS = re.findall(r"^```sh\n(.*?)^```", "\n".join(PAGES.values()), re.DOTALL | re.MULTILINE)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line]
OURS = [line for line in COMMANDS if not line.startswith(("make", "pipx"))]


CHAIRED = tuple(speech for speech in CHAIRED_SPEECHES if "match" in speech)
"""Without an opening that stands a chaired debate has failed, and without a conclusion it has no verdict."""


@pytest.fixture
def user(bench: Workbench) -> Workbench:
    """A user who has tools, a change and a debate that is broken off."""
    for name in ("claude", "codex"):
        bench.add_tool(name, (*CHAIRED, *SPEECHES))  # the user's own tools, in the place of the real ones
    program = bench.add_program("claude", "echo 1.2.3")
    bench.extra["PATH"] = os.pathsep.join((str(program.parent), str(Path(sys.executable).parent), os.environ["PATH"]))
    bench.run("install", "claude")
    bench.run(*DEBATE)
    (journal,) = bench.state.glob("debate/runs/*/journal.jsonl")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:3]))
    assert in_shell(bench, "git add README.md && echo It never retries. > README.md").code == 0
    return bench


def in_shell(user: Workbench, command: str) -> Result:
    shell, where = ("bash", "-o", "pipefail", "-c", command), user.project
    done = subprocess.run(shell, cwd=where, env=user.environment, capture_output=True, check=False, timeout=PATIENCE_S)
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def typed(user: Workbench, command: str) -> Result:
    """What comes of a command: of ours as a function, with the pipe before it and the file behind it."""
    before, _, ours = command.rpartition(" | ")
    if not ours.startswith("sparring "):
        return in_shell(user, f"{command} && echo done")
    _, *arguments = shlex.split(ours, comments=True)
    *arguments, file = (*arguments[:-2], arguments[-1]) if ">" in arguments else (*arguments, "/dev/null")
    done = user.run(*arguments, stdin=in_shell(user, before).out.encode() if before else b"")
    (user.project / file).write_text(done.out, encoding="utf-8")
    return done


@pytest.mark.process
def test_the_commands_of_the_readme_run_as_they_stand(user: Workbench) -> None:
    """Those that go on with a run first."""
    for command in sorted(OURS, key=lambda line: " last" not in line):
        for log in user.project.rglob("debate-log.jsonl"):
            log.unlink()  # each command is one that somebody begins with
        line, _, code = command.partition(" || test $? = ")
        for part in line.split(" && "):
            done = typed(user, part)
            assert (done.code, bool(done.out)) == (int(code or 0), True), (command, done.err)


def test_the_make_targets_of_the_readme_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [command.removeprefix("make ") for command in COMMANDS if command.startswith("make")]
    assert targets == ["demo", "test"]
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


def test_every_link_of_a_page_leads_to_a_page_and_its_heading_and_the_readme_is_short() -> None:
    pages = {page: page.read_text(encoding="utf-8") for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))}
    links = [(page, *found) for page in pages for found in re.findall(r"\]\((?!http)([^)#]*)#?(.*?)\)", pages[page])]
    for page, link, heading in links:
        found = (page.parent / link).resolve() if link else page
        headings = re.sub(r"[^\w #\n-]", "", pages.get(found, "")).lower().replace(" ", "-")
        assert (found.exists(), f"#-{heading}\n" in headings or not heading) == (True, True), (page, link, heading)
    assert len(re.sub(r"<!--.*?-->", "", README).split()) <= 1_000


def test_every_option_of_the_pages_is_an_option_of_the_program(bench: Workbench) -> None:
    documented = set(re.findall(r"`[^`\n]*?(--[a-z-]+)", "\n".join(PAGES.values())))
    others = ("doctor", "install", "uninstall", "verify claims", "batch jury")
    known = "".join(bench.run(*command.split(), "--help").out for command in (*FORMATS, *others))
    assert documented
    assert {option for option in documented if option not in known} == set()
