"""The aims of the claims check, as one table: how often it is right, what it finds, how fast it is, and its length.

Rules are developed on one part of the repositories and pages; the other third is measured and not read.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import sparring.checks.claims
from bench.claim_sets import Pair, denials, framed, keyed, weakened
from bench.figures import Figure, Figures, Scale, cpu_s
from bench.nearest import nearest
from bench.rows import PARTS, Labelled, Row, few, labelled, rows_of, sample_or
from bench.scores import Scores, Share, score
from sparring.app.verification import answer_claim, read_row
from sparring.checks.claims import check_claim, check_support
from sparring.schema.claims import Label, Relation
from sparring.schema.verification import ClaimRow

_FEWEST = 30
"""A share of fewer is chance, and has no aim."""

_AIMS = {Label.SUPPORTED: ">= 0.98", Label.REFUTED: ">= 0.95"}
_FOUND = {Label.SUPPORTED: ">= 0.60", Label.REFUTED: ">= 0.80"}
_RATES = {"vitaminc": "0.22", "software": "0.20"}
"""Rows a second over those of the baseline, where 2,500 and 2,000 rows a second were aimed at."""

_MOST_WEAKENED = 3_000
_LINES = 3_700
_GROWN = {
    "English": ("There were 5 cases in Ohio in May 2020.", "In May 2020, 7 cases (3%) were seen, of which 4 in Ohio. "),
    "Vietnamese": ("Có 5 ca bệnh ở Huế vào năm 2020.", "Vào tháng 5 năm 2020 có 7 ca bệnh (3%), trong đó 4 ca ở Huế. "),
    "a format": ("`port` is 80.", "[server]\nport = 81\nname = 'otter' # the default\n"),
}


def run(scale: Scale) -> Figures:
    """Yield the figures of every labelled file and part, the generated sets, the rates, and the growth with length."""
    files, missing = labelled(scale)
    yield from missing
    for file in files:
        scores = {part: score(rows) for part, rows in file.parts()}
        for part, each in scores.items():
            yield from _rightness(f"{file.name}, {part}", each, is_aimed_at=file.name == "software")
        if len(scores) > 1:
            development, unread = (each.all_right for each in scores.values())
            difference = max(0.0, development.ratio - unread.ratio)
            yield Figure(f"{file.name}: all right, development - unread", difference, str(unread), "<= 0.03")
    yield from _as_a_jury(files)
    yield from _generated(files, scale)
    for file in files:
        if file.name in _RATES:
            yield _rate(file)
    yield from _growth(scale)
    yield _length()


def _rightness(name: str, scores: Scores, *, is_aimed_at: bool) -> Figures:
    for label, aim in _AIMS.items():
        right, found = scores.right(label), scores.found(label)
        if right.whole:
            yield Figure(f"{name}: {label} right", right.ratio, str(right), aim if right.whole >= _FEWEST else "")
        if found.whole:
            yield Figure(f"{name}: {label} found", found.ratio, str(found), _FOUND[label] if is_aimed_at else "")


def _as_a_jury(files: Sequence[Labelled]) -> Figures:
    """Yield how rightly pairs of texts that belong together are judged; those of no relation are left out."""
    for part in PARTS:
        rows = [row for file in files for name, each in file.parts() if name == part for row in each]
        pairs = [row for row in rows if row["label"] != Label.NEI and len(row["evidence"]) == 1]
        yield from _rightness(f"as a jury, {part}", score(pairs, belong_together=True), is_aimed_at=False)


def _generated(files: Sequence[Labelled], scale: Scale) -> Figures:
    sources: list[Row] = [row for file in files if file.name == "software" for row in file.rows]
    sources += few(rows_of(sample_or("carries", scale.data)), scale)
    pairs = list(weakened(sources, _MOST_WEAKENED))
    yield _share("condition or hedge removed: supported or carried", pairs, _is_taken_for_shown, "<= 0.02")
    for name, made in (("denials and numbers in many languages", denials()), ("sentences in frames", framed())):
        pairs = list(made)
        yield _share(f"{name}: wrong", pairs, lambda pair: _label(pair) not in {pair.label, Label.NEI}, "0")
    pairs = list(keyed())
    yield _share("keys with values: right", pairs, lambda pair: _label(pair) is pair.label, ">= 0.95")
    yield _share("keys with values: wrong", pairs, lambda pair: _label(pair) not in {pair.label, Label.NEI}, "0")


def _label(pair: Pair) -> Label:
    return check_claim(pair.claim, [pair.evidence]).label


def _is_taken_for_shown(pair: Pair) -> bool:
    is_carried = check_support(pair.claim, pair.evidence, pair.evidence).relation is Relation.CARRIES
    return is_carried or _label(pair) is Label.SUPPORTED


def _share(name: str, pairs: Iterable[Pair], is_one: Callable[[Pair], bool], aim: str) -> Figure:
    flags = [is_one(pair) for pair in pairs]
    share = Share(sum(flags), max(1, len(flags)))
    return Figure(name, share.ratio, str(share), aim)


def _rate(file: Labelled) -> Figure:
    """Return the rate of ``sparring verify claims``, without its start, over that of a small baseline in this run."""
    lines = [
        json.dumps({"id": row["id"], "claim": row["claim"], "evidence": row["evidence"]}).encode() for row in file.rows
    ]

    def check() -> None:
        for number, line in enumerate(lines):
            row = read_row(number, line, ClaimRow)
            if isinstance(row, ClaimRow):
                answer_claim(row).model_dump_json()

    ours_s = cpu_s(check, times=3)  # the least: other work on the machine is none of ours
    theirs_s = cpu_s(lambda: [nearest(row["claim"], row["evidence"]) for row in file.rows], times=3)
    counts = f"{len(lines) / ours_s:,.0f} and {len(lines) / theirs_s:,.0f} of {len(lines):,} rows a second of CPU"
    return Figure(f"{file.name}: rate / baseline", theirs_s / ours_s, counts, f">= {_RATES[file.name]}")


def _growth(scale: Scale) -> Figures:
    times = scale.of(1000, smoke=20)
    for name, (claim, evidence) in _GROWN.items():
        short_s, long_s = (_seconds(claim, evidence * each) for each in (times, 2 * times))
        counts = f"{short_s:.3f} s, {long_s:.3f} s"
        yield Figure(f"a text of double length, {name}", long_s / short_s, counts, "<= 2.5")


def _seconds(claim: str, evidence: str) -> float:
    return cpu_s(lambda: check_claim(claim, [evidence]), times=2)


def _length() -> Figure:
    folder = Path(sparring.checks.claims.__file__).parent
    files = [file for kind in ("*.py", "*.toml") for file in folder.rglob(kind)]
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
    return Figure("lines of the package / aim", lines / _LINES, f"{lines:,} in {len(files)} files", "<= 1")
