"""How often the claims check is right, on the half of the pages that it was tuned on and on the unseen half."""

from bench.figures import Figure, Figures, Scale, cpu_s
from bench.rows import labelled
from bench.scores import Scores, Share, score
from sparring.checks.claims import check_claim

AIMS = {
    "vitaminc": "precision 95 (84), false alarms 1.6, hard 88",
    "vitaminc_covid": "precision 98 (88), false alarms 1.3, hard 94",
    "fm2": "false alarms 2.5",
    "scifact": "false alarms 1.0",
    "software": "precision 98, found 85",
    "xquad_vi_constraints": "number 98, date_day 99, direction 85, negation 85, false alarms 0.5",
    "xquad_en_vi_constraints": "number 30, false alarms 0 (no dictionary: numbers and dates by names alone)",
}
"""In per cent, of the unseen half; precision in brackets with NEI."""

AIMS_SUPPORTED = {
    "vitaminc": "right 97, found 20",
    "vitaminc_covid": "right 98, found 35",
    "software": "right 98, found 60",
    "fm2": "right 90",
    "scifact": "right 90",
    "fever_symmetric": "right 90",
}
"""Of what is called supported, in per cent; one passage has to account for every word, so little is found."""

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
        for half, rows in file.halves():
            scores = score(rows)
            if scores.precision.whole:
                yield Figure(
                    f"{file.name}, {half}: refuted rightly / refuted",
                    scores.precision.part / scores.precision.whole,
                    _others(scores) + (f"; aims: {AIMS[file.name]}" if file.name in AIMS else ""),
                )
            if scores.supported.whole:
                yield Figure(
                    f"{file.name}, {half}: supported rightly / supported",
                    scores.supported.part / scores.supported.whole,
                    f"found {str(scores.supported_found).strip()} % of them",
                    AIMS_SUPPORTED.get(file.name, ""),
                )


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
