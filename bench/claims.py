"""How often the claims check is right, on the half of the pages that it was tuned on and on the unseen half."""

from bench.figures import Figure, Figures, Scale, cpu_s
from bench.rows import Labelled, labelled
from bench.scores import Scores, Share, score
from sparring.checks.claims import check_claim

AIMS_REFUTED = {
    "vitaminc": "right 95 (84 with NEI), false alarms 1.6, hard 88",
    "vitaminc_covid": "right 98 (88 with NEI), false alarms 1.3, hard 94",
    "fm2": "false alarms 2.5",
    "scifact": "false alarms 1.0",
    "software": "right 98, found 85",
    "xquad_vi_constraints": "number 98, date_day 99, direction 85, negation 85, false alarms 0.5",
    "xquad_en_vi_constraints": "number 30, false alarms 0",  # no dictionary: numbers and dates by names alone
}
AIMS_SUPPORTED = {
    "vitaminc": "right 97, found 20",
    "vitaminc_covid": "right 98, found 35",
    "software": "right 98, found 60",
    "fm2": "right 90",
    "scifact": "right 90",
    "fever_symmetric": "right 90",
}
"""Of what is called so on the unseen half, in per cent. One passage has to account for every word: little is found."""

FAST = ("vitaminc", "software")
AIM_FAST = ">= 2,500 on one core"

GROWN = {
    "English": (
        "There were 5 cases in Ohio in May 2020.",
        "In May 2020, 7 cases (3%) were seen, of which 4 were in Ohio. ",
    ),
    "Vietnamese": ("Có 5 ca bệnh ở Huế vào năm 2020.", "Vào tháng 5 năm 2020 có 7 ca bệnh (3%), trong đó 4 ca ở Huế. "),
    "both": ("There were 5 cases in Hue in 2020.", "Vào tháng 5 năm 2020 có 7 ca bệnh (3%), trong đó 4 ca ở Huế. "),
}
KINDS = ("number", "date_day", "direction", "negation")


def run(scale: Scale) -> Figures:
    """How the time grows with the text; precision of every file and half, and the other shares beside it."""
    times = scale.of(1000, smoke=20)
    for language, (claim, evidence) in GROWN.items():
        short_s, long_s = (_seconds(claim, evidence * each) for each in (times, 2 * times))
        yield Figure(
            f"a text of double length, {language}", long_s / short_s, f"{short_s:.3f} s, {long_s:.3f} s", "<= 2.5"
        )
    files, missing = labelled(scale)
    yield from missing
    for file in files:
        if file.name in FAST:
            yield _speed(file)
        for half, rows in file.halves():
            yield from _rightness(f"{file.name}, {half}", score(rows), file.name)


def _speed(file: Labelled) -> Figure:
    spent_s = cpu_s(lambda: score(file.rows), times=3)  # the least: other work on the machine is none of ours
    return Figure(f"{file.name}: rows a second", len(file.rows) / spent_s, f"{len(file.rows):,} rows", AIM_FAST)


def _rightness(name: str, scores: Scores, file: str) -> Figures:
    for told, right, of, aims in (
        ("refuted", scores.precision, _others(scores), AIMS_REFUTED),
        ("supported", scores.supported, f"found {str(scores.supported_found).strip()} % of them", AIMS_SUPPORTED),
    ):
        if right.whole:
            yield Figure(f"{name}: {told} rightly / {told}", right.part / right.whole, of, aims.get(file, ""))


def _seconds(claim: str, evidence: str) -> float:
    return cpu_s(lambda: check_claim(claim, [evidence]), times=2)


def _others(scores: Scores) -> str:
    shares = {
        "found": scores.refuted_found,
        "with NEI": scores.precision_of_all,
        "false alarms": scores.false_alarms,
        "hard": scores.hard,
        "windows": scores.windows,
        "NEI": scores.nei_flagged,
        **{kind: scores.kind(kind) for kind in KINDS},
    }
    return ", ".join(f"{name} {str(share).strip()} %" for name, share in shares.items() if share != Share(0, 0))
