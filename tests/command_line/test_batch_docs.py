"""What `docs/batch.md` promises runs as it stands, but for what needs other machines; and its tables are the code's."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from sparring.batch.addresses import optional
from sparring.formats.registry import FORMATS
from sparring.schema.batch import ShardRow
from support.jurors import REPLIES
from support.workbench import Workbench

PAGE = (Path(__file__).parents[2] / "docs" / "batch.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line]
ELSEWHERE = ("pip ", "ray ", "--engine ray")
"""What installs, what needs a cluster (`tests/cluster`), and what begins one."""


OTHERS = (" show ", "--provider-batches")
"""What needs a row that there is, and an API."""


def here(command: str) -> bool:
    return not any(word in command for word in ELSEWHERE)


def test_every_column_of_the_output_is_explained() -> None:
    table = PAGE.partition("## Out")[2].partition("## The ledger")[0]
    named = [
        name for cell in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", cell)
    ]
    assert named == list(ShardRow.model_fields)


def test_the_columns_that_are_looked_for_are_those_of_the_formats() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGE.partition("## In")[2], re.MULTILINE))
    for name in ("fact-check", "jury", "consult", "debate"):
        judged = FORMATS[name].rows
        assert judged is not None
        for field, columns in judged.fields.items():
            assert tuple(re.findall(r"`(\w+)`", rows[field])) == columns, (name, field)


@pytest.mark.parametrize("command", [each for each in COMMANDS if here(each) and any(word in each for word in OTHERS)])
def test_a_command_of_the_page_that_is_not_run_is_one(bench: Workbench, command: str) -> None:
    """Every option is one, and every format is; what it then does the tests of batches show."""
    name, group, what, *options = shlex.split(command, comments=True)
    helped = bench.run(group, what, "--help")
    assert (name, group, helped.code) == ("sparring", "batch", 0)
    for option in options:
        if option.startswith("--"):
            assert option in helped.out


@pytest.fixture
def user(bench: Workbench) -> Workbench:
    """A user who has the tables and the tools of the page."""
    for name in ("claude", "codex", "openai"):
        bench.add_tool(name, REPLIES)  # the user's own tools of these names, in the place of the real ones
    rows = [
        ("id", "claim", "truth"),
        ("a", "It has 5 cases.", "It has 5 cases."),
        ("b", "It has 6.", "It has 5 cases."),
    ]
    text = "\n".join(map(",".join, rows))
    (bench.project / "claims.csv").write_text(text, encoding="utf-8")
    headlines = text.replace("claim", "Headline", 1).replace("truth", "Article", 1)
    (bench.project / "headlines.csv").write_text(headlines, encoding="utf-8")
    lines = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    (bench.project / "claims.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    arrow, parquet = optional("pyarrow", "data"), optional("pyarrow.parquet", "data")
    parquet.write_table(arrow.Table.from_pylist(lines), bench.project / "pairs.parquet")
    return bench


@pytest.mark.process
def test_the_program_of_the_page_runs_as_it_stands(user: Workbench) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    (user.project / "program.py").write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=user.project,
        env=user.environment,
        capture_output=True,
        check=False,
        timeout=100,
    )
    assert (done.returncode, done.stdout.decode().split()) == (0, ["a", "SUPPORTED", "b", "NEI"]), done.stderr


@pytest.mark.process
def test_the_commands_of_the_page_run_as_they_stand(user: Workbench) -> None:
    """Each judges all rows of its table: what a scripted tool says is a verdict or not, and never a failure to run."""
    for command in (each for each in COMMANDS if here(each) and not any(word in each for word in OTHERS)):
        _, *arguments = shlex.split(command, comments=True)
        done = user.run(*arguments)
        assert (done.code, bool(done.out)) in {(0, True), (1, True), (4, True)}, (command, done.err)
