"""Recall, precision and time of the redaction."""

import random
import re
import sysconfig
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from bench.figures import Figure, Figures, Scale, cpu_s
from sparring.text.redaction import Redactor
from support.secret_shapes import Shape, shapes

ROOT = Path(__file__).resolve().parents[2]
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))
MIB = 1 << 20
VALUES = 20
ENDINGS = {".py", ".md", ".toml", ".json", ".jsonl"}
WORD = re.compile(r"\w+")


def run(scale: Scale) -> Figures:
    """Recall by position, what is found where nothing is, and CPU over that of finding the words of a text."""
    yield from _recall(shapes()[:: scale.of(1, smoke=10)], scale.of(20, smoke=1))
    library = scale.of(STANDARD_LIBRARY, smoke=STANDARD_LIBRARY / "json")
    yield _false_positives("standard library", _texts(library))
    ours = scale.of(("src", "prompts", "skills", "docs", "tools/bench"), smoke=("tools/bench",))
    yield _false_positives("this repository", (text for name in ours for text in _texts(ROOT / name)))
    size = scale.of(MIB, smoke=MIB // 64)
    text = "".join(_texts(library))[:size]
    source = random.Random(1)  # noqa: S311 -- the same secrets every time
    secrets = "".join(f"{shape.secret(source).text}\n" for shape in shapes() if not shape.is_named)
    known = [shape.secret(source).text for shape in shapes()[:VALUES]]
    texts = (
        ("source", Redactor(), text),
        ("source with secrets", Redactor(), text[: size - len(secrets)] + secrets),
        (f"source, with {VALUES} values to know in every spelling", Redactor(known), text),
    )
    for what, redactor, read in texts:
        words_s, taken_s = cpu_s(partial(WORD.findall, read), times=5), cpu_s(partial(redactor.redact, read), times=5)
        yield Figure(
            f"CPU for {size // 1024} KiB of {what} / finding its words",
            taken_s / words_s,
            f"{1000 * taken_s:.0f} ms, {1000 * words_s:.0f} ms  (aim < 100 ms a MiB)",
        )


def _recall(of: Sequence[Shape], samples: int) -> Figures:
    source, redactor = random.Random(1), Redactor()  # noqa: S311 -- the same secrets every time
    tried, found = Counter[str](), Counter[str]()
    for shape in of:
        for secret in (shape.secret(source) for _ in range(samples)):
            for position, text in shape.positions():
                tried[position] += 1
                found[position] += not secret.is_left_in(redactor.redact(text.replace("{token}", secret.text)).text)
    for position, count in tried.items():
        yield Figure(f"recall, {position}", found[position] / count, f"{found[position]:,} of {count:,}", ">= 0.99")


def _false_positives(title: str, texts: Iterable[str]) -> Figure:
    redactor, lines, found = Redactor(), 0, 0
    for text in texts:
        lines += text.count("\n")
        found += redactor.redact(text).count
    return Figure(f"found in 10,000 lines, {title}", 10_000 * found / lines, f"{found} in {lines:,} lines", "<= 1")


def _texts(root: Path) -> Iterable[str]:
    for path in sorted(root.rglob("*")):
        if path.suffix in ENDINGS and "site-packages" not in path.parts and path.is_file():
            yield path.read_text(encoding="utf-8", errors="surrogateescape")
