"""Takes the pictures of pages in the README and here: ``python tools/pictures/pages.py FOLDER [NAME...]``.

It needs ``PYTHONPATH=tests``. Every page is of a real run: the two demonstrations, and a table of claims that code
alone has judged.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from support.chromium import Chromium, Screen

LAPTOP = Screen("laptop", 1280, 800)
SAMPLE = Path(__file__).parents[2] / "tests" / "data" / "software.sample.jsonl"
ROWS = 60
FROM = {"table": "h3"}
"""Element at the top of the picture, where that is not the beginning of the page."""


def sparring(folder: Path, *arguments: str) -> None:
    """Run it there, as a user without any setting would."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    command = [sys.executable, "-m", "sparring", *arguments]
    subprocess.run(command, cwd=folder, env={**kept, "HOME": str(folder)}, check=True, capture_output=True)  # noqa: S603 -- our own program


def demonstration(kind: str, folder: Path) -> Path:
    """The page of that demonstration."""
    sparring(folder, "demo", kind, "--output", kind)
    return folder / kind / "report.html"


def judged_table(folder: Path) -> Path:
    """The page of the first rows of the sample."""
    rows = SAMPLE.read_text(encoding="utf-8").splitlines(keepends=True)[:ROWS]
    (folder / "claims.jsonl").write_text("".join(rows), encoding="utf-8")
    table = ("--input", "claims.jsonl", "--output", "checked", "--column", "gold=label")
    sparring(folder, "batch", "fact-check", *table, "--with", "offline")
    return folder / "checked" / "table.html"


PAGES: dict[str, Callable[[Path], Path]] = {
    "debate": lambda folder: demonstration("debate", folder),
    "fact-check": lambda folder: demonstration("fact-check", folder),
    "table": judged_table,
}


def main(target: str, *names: str) -> None:
    """Write the pictures of those names, or all, to the folder ``target``."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home, Chromium(Path(home)) as browser:
        for name in names or PAGES:
            with tempfile.TemporaryDirectory() as folder, browser.tab(LAPTOP) as tab:
                (Path(folder) / ".git").mkdir()
                tab.show(PAGES[name](Path(folder)).as_uri())
                tab.ask("Emulation.setScrollbarsHidden", hidden=True)
                tab.value("document.documentElement.style.scrollPaddingTop = '1rem'; 0")
                tab.value(f"document.querySelector('{FROM.get(name, 'body')}').parentElement.scrollIntoView()")
                (Path(target) / f"{name}.png").write_bytes(tab.screenshot())


if __name__ == "__main__":
    main(*sys.argv[1:])
