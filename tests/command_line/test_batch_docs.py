"""What `docs/batch.md` promises runs as it stands, but for what needs other machines; and its tables are the code's."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from sparring.formats.registry import FORMATS
from sparring.schema.batch import ShardRow
from support.batches import spelled
from support.jurors import REPLIES
from support.workbench import Workbench

PAGE = (Path(__file__).parents[2] / "docs" / "batch.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
ELSEWHERE = ("pip ", "ray ", "--set engine=ray", "//HOST/")
"""What installs, what needs a cluster (`tests/cluster`), and what begins one."""
COMMANDS = [
    line for block in BLOCKS for line in block.splitlines() if line and not any(word in line for word in ELSEWHERE)
]
OTHERS = [line for line in COMMANDS if " show " in line or "provider_batches=true" in line]
"""What needs a row that there is, and an API."""


def test_the_tables_of_columns_are_those_of_the_formats_and_of_the_output() -> None:
    out = PAGE.partition("## Out")[2].partition("## The ledger")[0]
    cells = re.findall(r"^\| (`.*?) \|", out, re.MULTILINE)
    assert [name for cell in cells for name in re.findall(r"`(\w+)`", cell)] == list(ShardRow.model_fields)
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGE.partition("## In")[2], re.MULTILINE))
    for name in ("fact-check", "jury", "consult", "debate"):
        judged = FORMATS[name].rows
        assert judged is not None
        for field, columns in judged.fields.items():
            assert tuple(re.findall(r"`(\w+)`", rows[field])) == columns, (name, field)


@pytest.mark.parametrize("command", OTHERS)
def test_a_command_of_the_page_that_is_not_run_is_one(bench: Workbench, command: str) -> None:
    """Every option is one, and every format is; what it then does the tests of batches show."""
    name, group, what, *options = shlex.split(command, comments=True)
    helped = bench.run(group, what, "--help-all")
    assert (name, group, helped.code) == ("sparring", "batch", 0)
    for option in options:
        if option.startswith("--"):
            assert option in helped.out


@pytest.fixture
def user(bench: Workbench) -> Workbench:
    """A user who has the tables and the tools of the page."""
    for name in ("claude", "codex", "openai"):
        bench.add_tool(name, REPLIES)  # the user's own tools of these names, in the place of the real ones
    claims = (("a", "It has 5 cases."), ("b", "It has 6."))
    rows = [{"id": name, "claim": claim, "truth": "It has 5 cases."} for name, claim in claims]
    headlines = [{"id": row["id"], "Headline": row["claim"], "Article": row["truth"]} for row in rows]
    for name, table in (("claims.csv", rows), ("headlines.csv", headlines), ("claims.jsonl", rows)):
        (bench.project / name).write_bytes(spelled(table, Path(name).suffix))
    (bench.project / "pairs.parquet").write_bytes(spelled(rows, ".parquet"))
    return bench


@pytest.mark.process
def test_the_program_of_the_page_runs_as_it_stands(user: Workbench) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    (user.project / "program.py").write_text(program, encoding="utf-8")
    typed = [sys.executable, "program.py"]
    done = subprocess.run(typed, cwd=user.project, env=user.environment, capture_output=True, check=False, timeout=100)
    assert (done.returncode, done.stdout.decode().split()) == (0, ["a", "SUPPORTED", "b", "NEI"]), done.stderr


@pytest.mark.process
def test_the_commands_of_the_page_run_as_they_stand(user: Workbench) -> None:
    """Each judges all rows of its table: what a scripted tool says is a verdict or not, and never a failure to run."""
    for command in (each for each in COMMANDS if each not in OTHERS):
        _, *arguments = shlex.split(command, comments=True)
        done = user.run(*arguments)
        assert (done.code, bool(done.out)) in {(0, True), (1, True), (4, True)}, (command, done.err)
