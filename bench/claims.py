"""How often the claims check is right, on half of the development pages that it was tuned on and on the unseen half.

The data is not a part of the project: it is read from ``../shared/data`` where that is there.
"""

import time

from sparring.checks.claims import check_claim
from support.claim_scores import DATA, FILES, Scores, Share, read_rows, timed

COLUMNS = ("precision", "with NEI", "false al.", "hard", "windows", "NEI")
AIMS = {
    "vitaminc": "precision 95 (84), false alarms 1.6, hard 90",
    "vitaminc_covid": "precision 97 (88), false alarms 1.8, hard 96, windows 88, NEI 18",
    "fm2": "false alarms 2.5",
    "scifact": "false alarms 1.0",
    "xquad_vi_constraints": "number 98, date_day 99, direction 85, negation 85, false alarms 0.5",
    "xquad_en_vi_constraints": "number 92, false alarms 1",
}
GROWN = (
    ("There were 5 cases in Ohio in May 2020.", "In May 2020, 7 cases (3%) were seen, of which 4 were in Ohio. "),
    ("Có 5 ca bệnh ở Huế vào năm 2020.", "Vào tháng 5 năm 2020 có 7 ca bệnh (3%), trong đó 4 ca ở Huế. "),
    ("There were 5 cases in Hue in 2020.", "Vào tháng 5 năm 2020 có 7 ca bệnh (3%), trong đó 4 ca ở Huế. "),
)
KINDS = ("number", "date_day", "direction", "negation")


def main() -> None:
    """Print every figure, tuned half before unseen half, and what was aimed at."""
    for claim, evidence in GROWN:
        print(f"a text of double length takes {_growth(claim, evidence):.1f} times as long: {claim}")
    if not DATA.is_dir():
        print("no development data beside the project: nothing to measure")
        return
    print(f"{'':24} half " + " ".join(f"{column:>9}" for column in COLUMNS) + "   (per cent)")
    for name in FILES:
        scores, rows_per_s = timed(read_rows(name))
        for half in (0, 1):
            print(f"{name:24} {'tune' if half == 0 else 'test'} {_line(scores.half(half))}")
        print(f"{'':24}      {rows_per_s:,.0f} rows/s" + (f"; aims: {AIMS[name]}" if name in AIMS else ""))


def _growth(claim: str, evidence: str, times: int = 1000) -> float:
    short, long = (_seconds(claim, evidence * each) for each in (times, 2 * times))
    return long / short


def _seconds(claim: str, evidence: str) -> float:
    begin = time.process_time()
    check_claim(claim, [evidence])
    return time.process_time() - begin


def _line(scores: Scores) -> str:
    figures = (
        scores.precision,
        scores.precision_of_all,
        scores.false_alarms,
        scores.hard,
        scores.windows,
        scores.nei_flagged,
    )
    kinds = {kind: scores.kind(kind) for kind in KINDS}
    named = ", ".join(f"{kind} {str(share).strip()}" for kind, share in kinds.items() if share != Share(0, 0))
    return " ".join(f"{figure!s:>9}" for figure in figures) + (f"   {named}" if named else "")


if __name__ == "__main__":
    main()
