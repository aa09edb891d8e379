"""The use cases on a workbench on which the programs of AI tools lie, as far as a test wants them to."""

import shutil

from sparring.app import App
from sparring.settings import Settings
from support.workbench import Workbench


def app_with(bench: Workbench, *programs: str, client: str | None = None, has_git: bool = False) -> App:
    """An ``App`` that finds these programs on PATH, and no others but git where it ``has_git``; none of them answers.

    ``client`` is the agent that called it, if one did.
    """
    for program in programs:
        bench.add_program(program, "exit 1")
    if has_git:
        (bench.root / "bin" / "git").symlink_to(shutil.which("git") or "/usr/bin/git")
    settings = Settings.read(bench.environment | {"PATH": str(bench.root / "bin")}, bench.project)
    return App(settings, client=client, attended=client is not None)
