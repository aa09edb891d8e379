"""How much the redaction finds, how much it takes that is none, and how long it takes, each beside its bar."""

import random
import sysconfig
import time
from collections import Counter
from pathlib import Path

from sparring.text.redaction import Redactor
from support.secret_shapes import shapes

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = 20
MIB = 1 << 20
ENDINGS = {".py", ".md", ".toml", ".json", ".jsonl"}
_BESIDES = {"node_modules", ".venv", ".git", "site-packages"}
_PLANTED = {"test_redaction.py", "test_streaming_redaction.py", "test_redact.py", "secret_shapes.toml"}
"""Files of our own that hold what looks like a secret because it is meant to."""


def main() -> None:
    """Print recall by position, false positives by corpus, and CPU time."""
    _print_recall()
    standard_library = Path(sysconfig.get_path("stdlib"))
    for title, root in (("standard library", standard_library), ("this repository", ROOT)):
        _print_false_positives(title, root)
    text = _first_mib(standard_library)
    source = random.Random(1)  # noqa: S311 -- the same secrets every time
    secrets = "".join(f"{shape.secret(source).text}\n" for shape in shapes() if not shape.is_named)
    print(f"1 MiB of source           {_cpu_ms(text):5.0f} ms CPU  (aim < 100)")
    print(
        f"  with {secrets.count(chr(10))} secrets in it   {_cpu_ms(text[: MIB - len(secrets)] + secrets):5.0f} ms CPU"
    )


def _print_recall() -> None:
    source, redactor = random.Random(1), Redactor()  # noqa: S311 -- the same secrets every time
    tried, found = Counter[str](), Counter[str]()
    for shape in shapes():
        for secret in (shape.secret(source) for _ in range(SAMPLES)):
            for position, text in shape.positions():
                tried[position] += 1
                found[position] += not secret.is_left_in(redactor.redact(text.replace("{token}", secret.text)).text)
    bare = sum(not shape.is_named for shape in shapes())
    print(f"{len(shapes())} shapes, {SAMPLES} secrets each; bare stand the {bare} that need no name")
    for position in tried:
        print(
            f"recall, {position:12s}      {found[position] / tried[position]:8.2%} of {tried[position]}  (aim >= 99 %)"
        )


def _print_false_positives(title: str, root: Path) -> None:
    redactor, lines, found = Redactor(), 0, 0
    for path in _files(root):
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        lines += text.count("\n")
        found += redactor.redact(text).count
    print(f"{title:24s}  {found / lines * 10_000:5.2f} found in 10,000 of {lines} lines  (aim <= 1)")


def _files(root: Path) -> list[Path]:
    return [
        path
        for path in sorted(root.rglob("*"))
        if path.suffix in ENDINGS
        and path.name not in _PLANTED
        and not _BESIDES.intersection(path.relative_to(root).parts)
        and path.is_file()
    ]


def _first_mib(root: Path) -> str:
    text = ""
    for path in _files(root):
        text += path.read_text(encoding="utf-8", errors="replace")
        if len(text) >= MIB:
            break
    return text[:MIB]


def _cpu_ms(text: str) -> float:
    redactor, times = Redactor(), list[float]()
    for _ in range(5):
        began = time.process_time()
        redactor.redact(text)
        times.append(time.process_time() - began)
    return min(times) * 1000


if __name__ == "__main__":
    main()
