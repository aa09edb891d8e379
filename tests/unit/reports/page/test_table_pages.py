import json
from collections import Counter

from sparring.reports.comparison import compare_runs, compare_tables
from sparring.reports.page.comparison import runs_page, tables_page
from sparring.reports.page.rows import PLAIN_ROWS, ListedRow, RowList, TableColumn
from sparring.reports.page.table import Confusion, SeatAgreement, agreements, confusion, cost_bins, priced, table_page
from sparring.schema.pairs import SeatLabel
from sparring.schema.runs import Spent
from support.judged_tables import result, table
from support.page_reading import PageRead
from support.stored_runs import said_by_all, stored

YES, NO, NEI = "SUPPORTED", "REFUTED", "NEI"
HOSTILE = '</script><img src=x onerror=alert(1)>\u2028"\u202e{{1}}'
CLEAN = HOSTILE.replace("\u202e", "")


def test_an_empty_column_is_left_out() -> None:
    rows = [result(1, YES, YES), result(2, NO)]
    data = json.loads(PageRead(table_page(table(*rows), "claims.jsonl")).all("script")[0].text)
    assert [column["title"] for column in data["columns"]] == ["Row", "Name", "Label", "Claim", "Firm"]
    assert {len(cells) for cells, _ in data["rows"]} == {5}


def test_every_text_of_a_table_page_is_escaped() -> None:
    said = {"row_id": HOSTILE, "claim": HOSTILE, "truth": HOSTILE, "problem": HOSTILE, "dataset": HOSTILE}
    rows = table(result(1, YES, YES, gold=HOSTILE, **said), result(2, YES, YES, gold=YES), name=HOSTILE)
    for page in (table_page(rows, HOSTILE), tables_page(compare_tables(rows, rows))):
        read = PageRead(page)
        assert (read.acting, read.unclosed) == ([], [])
        assert "\u2028" not in read.all("script")[0].text
        listed = json.loads(read.all("script")[0].text)["rows"]
        cells, _ = next(row for row in listed if row[0][0] == 1)
        assert cells[1] == f"{CLEAN}/{CLEAN}"
    assert ["Claim", CLEAN] in json.loads(PageRead(table_page(rows, HOSTILE)).all("script")[0].text)["rows"][0][1]


def test_without_scripts_the_first_rows_are_a_table_with_a_note_on_the_rest() -> None:
    cells = [[row, 0.5] for row in range(PLAIN_ROWS + 7)]
    columns = [TableColumn("Row", "number"), TableColumn("Cost", "money")]
    listed = RowList(columns, list(map(ListedRow, cells)), "all.jsonl")
    read = PageRead(f"<body>{listed.shown().markup}</body>")
    assert [each.text for each in read.all("td")] == [
        text for row in range(PLAIN_ROWS) for text in (f"{row}", "$0.5000")
    ]
    assert "The other 7 rows are in all.jsonl." in read.text
    assert listed.data()["rows"] == [[each, []] for each in cells]


def test_every_text_of_two_compared_runs_is_text_and_needs_no_script() -> None:
    read = PageRead(runs_page(compare_runs(stored("debate"), said_by_all(HOSTILE, stored("debate")))))
    assert (read.acting, read.unclosed, read.all("script")) == ([], [], [])
    assert CLEAN in read.text
    assert "open" in read.all("details")[0].attributes  # what differs


def test_every_two_seats_with_a_common_row_have_a_cell() -> None:
    def votes(*numbers: int) -> tuple[SeatLabel, ...]:
        return tuple(SeatLabel(seat=f"Agent {number}", tool=None, blind=YES, label=YES) for number in numbers)

    seats = (votes(1), votes(2), votes(1, 3), votes(2, 3))  # no row in which both 1 and 2 answered
    rows = [result(number, YES, seats=answered) for number, answered in enumerate(seats, start=1)]
    read = PageRead(table_page(table(*rows), "claims.jsonl"))
    cells = [cell.text for cell in read.all("td")]
    assert [text for text in cells if text == "–" or text.endswith("of 1")] == ["–", *["100 %  of 1"] * 2]


def test_agreement_beyond_chance_is_cohens() -> None:
    said = [(YES, YES)] * 20 + [(YES, NO)] * 5 + [(NO, YES)] * 10 + [(NO, NO)] * 15
    (found,) = agreements([result(number, YES, *votes) for number, votes in enumerate(said, start=1)])
    assert found == SeatAgreement(("Agent 1", "Agent 2"), alike=35, rows=50, kappa=0.4)
    assert found.share == 0.7


def test_a_row_without_a_verdict_is_counted_and_not_right() -> None:
    judged = (result(1, YES, gold=YES), result(2, NO, gold=YES), result(3, None, gold=NO))
    found = Confusion(Counter({(YES, YES): 1, (YES, NO): 1, (NO, ""): 1}), unknown=1)
    assert confusion(table(*judged, result(4, gold="maybe"), result(5))) == found
    assert (found.right, found.rows, found.without) == (1, 3, 1)
    assert confusion(table(result(1), result(2, gold="maybe"))) is None


def test_rows_of_unknown_cost_are_in_no_bin() -> None:
    spent = (Spent(calls=1, cost_usd=0.25), Spent(calls=2, cost_usd=9.0, unpriced_calls=1))
    assert priced([*(result(1, spent=each) for each in spent), result(2)]) == [0.25]
    assert cost_bins([]) == cost_bins([0.0]) == []
