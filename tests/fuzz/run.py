"""Search for what breaks a parser: ``make fuzz``, or ``python -m fuzz.run [--seconds N] [NAME…]``.

With ``atheris``, if it is installed, along the branches that our code takes; it builds for few systems, so it is none
of our dependencies. Without it, the properties with twenty times the examples. What breaks a parser is written into its
corpus: keep it there, small, with the repair.
"""

import argparse
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def main() -> int:
    """Search in a process of its own for each parser, which the first that breaks it ends."""
    parser = argparse.ArgumentParser(description="Search for what breaks a parser.")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--here", action="store_true", help="search for the one parser in this process")
    wanted = parser.parse_args()
    if find_spec("atheris") is None:
        sys.stderr.write("atheris is not installed: more examples of the properties instead.\n")
        chosen = ["-k", " or ".join(wanted.names)] if wanted.names else []
        argv = ["-m", "pytest", "-q", "tests/fuzz", "--hypothesis-profile=nightly", *chosen]
        return subprocess.call([sys.executable, *argv])
    if wanted.here:
        return search(wanted.names[0], wanted.seconds)
    names = wanted.names or [each.name for each in import_module("fuzz.parsers").PARSERS]
    argv = (sys.executable, "-m", "fuzz.run", "--here", "--seconds", str(wanted.seconds))
    return max(subprocess.call([*argv, name]) for name in names)


def search(name: str, seconds: int) -> int:
    """Search with atheris; ends the process."""
    atheris: Any = import_module("atheris")
    with atheris.instrument_imports(include=["sparring"]):
        parsers, texts = import_module("fuzz.parsers"), import_module("fuzz.texts")
    found = next(each for each in parsers.PARSERS if each.name == name)

    def once(data: bytes) -> None:
        with suppress(*found.refuses):
            found.read(data)

    kept = texts.CORPUS / name
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(texts.seeds_of(name)):
            Path(folder, str(number)).write_bytes(seed)
        options = (f"-max_total_time={seconds}", "-max_len=4096", "-timeout=10", f"-artifact_prefix={kept}/")
        atheris.Setup([sys.argv[0], *options, folder], once)
        atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
