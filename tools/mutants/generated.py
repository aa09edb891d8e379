"""Score the tests against a sample of bugs that cosmic-ray generates: ``make mutants``.

``python tools/mutants/generated.py [--sample N] [--seed N] [--program PATH] [PACKAGE...]``. The planted bugs of
``run.py`` guard promises; these give breadth. Of each package of ``PACKAGES``, cosmic-ray lists every change that its
operators make, a sample is drawn with a seed, and each change of it is made in a copy of the repository and put to
the package's unit tests alone. The score is the share of changes that fail them: changes without an effect, and those
that only tests of other levels notice, count as survivors. Survivors are printed as differences.

The command's exit code does not depend on the score.
"""

import argparse
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from mutants.run import ROOT, Copy

PACKAGES = {
    "engine": ("tests/unit/engine", "tests/unit/formats"),
    "formats": ("tests/unit/formats", "tests/unit/participants"),
    "checks": ("tests/unit/checks",),
}
"""Packages of ``sparring``, and the tests that their changes are put to."""

_TIMEOUT_S = 180.0
_ANNOTATIONS = "core/ReplaceBinaryOperator_BitOr_%"
"""Operators that change ``A | B``, which is nearly always a type here: the import fails, which proves nothing."""


class Sampled(Struct, frozen=True):
    """Results of one package.

    Attributes:
        possible: Number of changes that the operators can make.
        drawn: Number of those in the sample.
        noticed: Number of those that failed the tests.
        survivors: The others that were made, as differences. Fewer than ``drawn`` were made in all where a change
            cannot be made, or where cosmic-ray was ended before.
    """

    package: str
    possible: int
    drawn: int
    noticed: int
    survivors: tuple[str, ...]

    @property
    def line(self) -> str:
        """The score in words."""
        made = self.noticed + len(self.survivors)
        share = f"{100 * self.noticed / made:.0f} %" if made else "none made"
        return f"{self.package}: {self.noticed} of {made} noticed ({share}), {self.drawn} drawn from {self.possible}"


def measure(package: str, copy: Copy, program: str, *, sample: int, seed: int) -> Sampled:
    """Make ``sample`` changes of a package in ``copy``, one at a time, and run its tests on each.

    Raises:
        subprocess.CalledProcessError: cosmic-ray cannot begin, or the tests fail without any change.
    """
    session = copy.root.parent / f"{package}.sqlite"
    configuration = copy.root.parent / f"{package}.toml"
    tests = f"{copy.python} -m pytest -x -q --no-header -p no:cacheprovider -n0 --hypothesis-seed=0"
    configuration.write_text(
        f'[cosmic-ray]\nmodule-path = "src/sparring/{package}"\ntimeout = {_TIMEOUT_S}\nexcluded-modules = []\n'
        f'test-command = "{tests} {" ".join(PACKAGES[package])}"\n[cosmic-ray.distributor]\nname = "local"\n',
        encoding="utf-8",
    )
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "COV"))}

    def run(*arguments: str, check: bool = True) -> None:
        # In a session of its own: a changed program may signal the group that it takes for that of its child.
        subprocess.run([program, *arguments], cwd=copy.root, env=environment, check=check, start_new_session=True)

    run("baseline", str(configuration))
    run("init", str(configuration), str(session))
    possible, drawn = _draw(session, sample, seed)
    run("exec", str(configuration), str(session), check=False)  # what was made until it ended counts
    with closing(sqlite3.connect(session)) as database:
        rows = database.execute("SELECT test_outcome, diff FROM work_results").fetchall()
    survivors = tuple(str(diff) for outcome, diff in rows if outcome == "SURVIVED")
    noticed = sum(outcome == "KILLED" for outcome, _ in rows)
    return Sampled(package, possible, drawn, noticed, survivors)


def _draw(session: Path, sample: int, seed: int) -> tuple[int, int]:
    """Keep ``sample`` changes of a session (0: all); return how many there were, and how many are left."""
    with closing(sqlite3.connect(session)) as database:
        found = database.execute(
            "SELECT job_id FROM mutation_specs WHERE operator_name NOT LIKE ?"
            " ORDER BY module_path, operator_name, operator_args, occurrence",
            (_ANNOTATIONS,),
        ).fetchall()
        jobs = [job for (job,) in found]
        kept = random.Random(seed).sample(jobs, min(sample or len(jobs), len(jobs)))
        database.execute("CREATE TEMPORARY TABLE kept (job_id VARCHAR PRIMARY KEY)")
        database.executemany("INSERT INTO kept VALUES (?)", [(job,) for job in kept])
        database.execute("DELETE FROM mutation_specs WHERE job_id NOT IN (SELECT job_id FROM kept)")
        database.execute("DELETE FROM work_items WHERE job_id NOT IN (SELECT job_id FROM kept)")
        database.commit()
    return len(jobs), len(kept)


def _measured(packages: list[str], program: str, *, sample: int, seed: int) -> Iterator[Sampled]:
    for package in packages:
        with tempfile.TemporaryDirectory() as folder:
            yield measure(package, Copy(Path(folder), ROOT), program, sample=sample, seed=seed)


def main() -> None:
    """Measure the packages named, or all; print the survivors of each and its score."""
    parser = argparse.ArgumentParser(description="Scores the tests against a sample of generated bugs.")
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help=f"of {', '.join(PACKAGES)}; by default all")
    parser.add_argument("--sample", type=int, default=100, help="how many changes of each package; 0 for all")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other changes")
    parser.add_argument("--program", default="cosmic-ray", help="where cosmic-ray is installed")
    asked = parser.parse_args()
    if unknown := [name for name in asked.packages if name not in PACKAGES]:
        parser.error(f"there is no package named {unknown[0]}: {', '.join(PACKAGES)}")
    program = shutil.which(str(asked.program))
    if program is None:
        parser.error(f"there is no program {asked.program}; `make mutants` installs it")
    program = str(Path(program).absolute())  # it runs in the copy
    for done in _measured(asked.packages or list(PACKAGES), program, sample=asked.sample, seed=asked.seed):
        sys.stdout.write("\n".join([*done.survivors, done.line]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
