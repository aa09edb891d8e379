"""The README: its commands run and print what it shows, and its links lead somewhere."""

import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sparring.formats.registry import FORMATS
from support.doc_sessions import Step, run_session, steps
from support.gating import git
from support.workbench import Workbench

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "src" / "sparring" / "cli" / "example"
README = (ROOT / "README.md").read_text(encoding="utf-8")
WORDS = 800
STEPS = tuple(steps(README))
NOT_RUN = ("pipx",)
"""Commands that install something."""
FAILING = "verify"
"""Commands that end with 1, since each shows a fault."""

CANCELLED = 'return replace(order, state="cancelled", receipt="")'
FINDING = {
    "file": "shop/orders.py",
    "line": 24,
    "end_line": 24,
    "quote": f"        {CANCELLED}",
    "class": "data_loss",
    "severity": "major",
    "title": "A paid order is cancelled",
    "trigger": "The provider takes the money, but its answer is lost three times.",
    "consequence": "The customer has paid for an order that the shop cancelled.",
    "fix": "Ask `provider.receipt_of(key)` before cancelling.",
    "confidence": 0.9,
}


def _speeches() -> list[Mapping[str, Any]]:
    """The replies of the demonstration, with files cited by their names."""
    replies = tomllib.loads((EXAMPLE / "debate.toml").read_text(encoding="utf-8"))["replies"]
    return [
        {"match": each.get("match", {}), "response": re.sub(r"<([\w/.]+)>", r"\1", each["response"].strip())}
        for each in replies
    ]


@pytest.fixture
def user(bench: Workbench) -> Workbench:
    """A user with an uncommitted change in the example project, and two tools that answer from a script."""
    shutil.copytree(EXAMPLE / "project", bench.project, dirs_exist_ok=True)
    git(bench, "add", ".")
    git(bench, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "One")
    orders = bench.project / "shop" / "orders.py"
    text = orders.read_text(encoding="utf-8")
    orders.write_text(text.replace('return replace(order, state="cancelled")', CANCELLED), encoding="utf-8")
    bench.extra["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return bench


def add_reviewers(user: Workbench) -> None:
    """Two programs that print one finding; a program that prints text is chosen by itself, a script is not."""
    answer = user.root / "answer.json"
    answer.write_text(json.dumps({"findings": [FINDING]}), encoding="utf-8")
    for name, family in (("claude", "claude"), ("codex", "gpt")):
        text = f'kind = "cli"\nfamily = "{family}"\ntitle = "{name.title()}"\noutput = "text"\n[command]\n'
        (user.providers / f"{name}.toml").write_text(f'{text}program = "cat"\nargv = ["{answer}"]\n', encoding="utf-8")


def add_debaters(user: Workbench) -> None:
    for name, family in (("claude", "claude"), ("codex", "gpt")):
        user.add_tool(name, _speeches(), family=family)


@pytest.mark.process
@pytest.mark.parametrize(
    "step", [step for step in STEPS if not step.command.startswith(NOT_RUN)], ids=lambda step: step.command[:40]
)
def test_a_command_of_the_readme_prints_what_the_readme_shows(user: Workbench, step: Step) -> None:
    (add_debaters if "debate" in step.command else add_reviewers)(user)
    is_about_this_repository = "src/sparring" in step.command
    environment = {**user.environment, "AI_STATE_DIR": str(user.root / "state")}
    ((code, output),) = run_session([step], ROOT if is_about_this_repository else user.project, environment)
    assert (step.missing(output), code) == ("", int(FAILING in step.command)), output
    assert step.shown.strip()


@pytest.mark.process
def test_the_commands_inside_sentences_run(user: Workbench) -> None:
    """All but those that need a run to go on with."""
    named = re.findall(r"`(sparring [^`]+)`", README)
    assert "sparring runs resume last" in named
    for command in set(named) - {"sparring runs resume last", "sparring view last", "sparring uninstall all"}:
        ((code, output),) = run_session([Step(command, "")], user.project, user.environment)
        assert code in {0, 3}, output  # 3: no host is installed on this machine


def test_the_make_targets_of_the_readme_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^make (\w+)$", README, re.MULTILINE)
    assert targets == ["demo", "test"]
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


def test_the_readme_is_short() -> None:
    assert len(re.sub(r"<!--.*?-->|\]\([^)]*\)", "", README).split()) <= WORDS


def test_every_link_of_a_page_leads_to_a_page_and_its_heading() -> None:
    pages = {page: page.read_text(encoding="utf-8") for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))}
    links = [(page, *found) for page in pages for found in re.findall(r"\]\((?!http)([^)#]*)#?(.*?)\)", pages[page])]
    for page, link, heading in links:
        found = (page.parent / link).resolve() if link else page
        headings = re.sub(r"[^\w #\n-]", "", pages.get(found, "")).lower().replace(" ", "-")
        assert (found.exists(), f"#-{heading}\n" in headings or not heading) == (True, True), (page, link, heading)


def test_every_option_of_the_readme_is_an_option_of_the_program(bench: Workbench) -> None:
    documented = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]*)", README))
    others = ("demo", "install", "uninstall", "verify text")
    known = "".join(bench.run(*command.split(), "--help-all").out for command in (*FORMATS, *others))
    assert documented
    assert {option for option in documented if option not in known} == set()
