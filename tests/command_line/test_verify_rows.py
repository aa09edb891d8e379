"""``sparring verify claims`` and ``quotes``: filters from JSONL to JSONL."""

import json
from typing import Any

import pytest

from support.golden import Golden
from support.workbench import Workbench

CASTLE = "The castle has 250 rooms and was built in 1999."
ROWS = {
    "claims": {"id": 1, "claim": "The castle has 250 rooms.", "evidence": [CASTLE]},
    "quotes": {"id": 1, "quote": "has 250 rooms", "evidence": [CASTLE]},
    "carries": {"id": 1, "part": "It has 250 rooms.", "quote": "has 250 rooms", "evidence": [CASTLE]},
}
KINDS = pytest.mark.parametrize("kind", list(ROWS))


def jsonl(*rows: object) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def answers(out: str) -> list[Any]:
    assert out.endswith("\n")
    return [json.loads(line) for line in out.removesuffix("\n").split("\n")]


EVIDENCE = ["Nothing.", "The castle has 250 rooms. It was built in 1999.", "Nobody says that it never has a roof."]
CHECKED = {
    "claims": (
        {"claim": "The castle has 300 rooms."},
        {"claim": "The castle has 250 rooms."},
        {"claim": "It has a moat."},
    ),
    "quotes": ({"quote": "has  250 rooms"}, {"quote": "The castle has 300 rooms"}, {"quote": "made of cheese"}),
    "carries": (
        {"part": "The castle has 250 rooms.", "quote": "The castle has 250 rooms"},
        {"part": "The castle has 300 rooms.", "quote": "The castle has 250 rooms"},
        {"part": "The castle has 250 red rooms.", "quote": "The castle has 250 rooms"},
        {"part": "It has a roof.", "quote": "has a roof"},  # which its sentence denies
        {"part": "The castle has 300 rooms.", "quote": "The castle has 300 rooms"},
        {"part": "The castle is made of cheese.", "quote": "made of cheese"},
    ),
}


@KINDS
def test_each_row_is_answered_with_what_was_found_and_where(bench: Workbench, kind: str, golden: Golden) -> None:
    rows = ({"id": number, "evidence": EVIDENCE, **row} for number, row in enumerate(CHECKED[kind], start=1))
    done = bench.run("verify", kind, stdin=jsonl(*rows))
    assert done.code == 0
    golden.holds(f"command_line/{kind}.txt", done.out + done.err)


@KINDS
def test_rows_may_hold_more_than_is_asked_for_or_no_id_and_stand_in_a_file(bench: Workbench, kind: str) -> None:
    plain = bench.run("verify", kind, stdin=jsonl(ROWS[kind]))
    row = ROWS[kind] | {"evidence": CASTLE, "label": None, "lang": "en", "meta": {"page": ["Castle"]}}
    (bench.project / "rows.jsonl").write_bytes(jsonl(row))
    for named in ("rows.jsonl", "-"):
        assert bench.run("verify", kind, named, stdin=jsonl(row) if named == "-" else b"not read") == plain
    del row["id"]
    assert answers(bench.run("verify", kind, stdin=jsonl(row)).out) == [answers(plain.out)[0] | {"id": None}]
    assert plain.code == 0


def test_an_id_is_given_back_as_it_came(bench: Workbench) -> None:
    ids = ["a", "", 7, -1, 2.5, 10**30, None]
    done = bench.run("verify", "quotes", stdin=jsonl(*[ROWS["quotes"] | {"id": row_id} for row_id in ids]))
    assert (done.code, [answer["id"] for answer in answers(done.out)]) == (0, ids)


REFUSED = [
    (b"\xff{}", None, "not_text"),
    (b"{", None, "not_json"),
    (b'{"id": 4, "quote": "\\ud800", "evidence": "x"}', None, "not_json"),
    (b"[" * 100_000, None, "not_json"),
    (b"[1]", None, "not_an_object"),
    (b'{"id": 1, "claim": "12 bells", "claim": "13 bells", "evidence": "12 bells"}', None, "doubled_key"),
    (b"null", None, "not_an_object"),
    (b'{"id": 5}', 5, "missing"),
    (b'{"id": "six", "quote": "x"}', "six", "missing"),
    (b'{"id": 7, "quote": 7, "evidence": "x"}', 7, "wrong_type"),
    (b'{"id": 8, "quote": "x", "evidence": 8}', 8, "wrong_type"),
    (b'{"id": 9, "quote": "x", "evidence": ["x", null]}', 9, "wrong_type"),
    (b'{"id": true, "quote": "x", "evidence": "x"}', None, "wrong_type"),
    (b'{"id": NaN, "quote": "x", "evidence": "x"}', None, "wrong_type"),
    (b'{"id": 10, "quote": " ", "evidence": "x"}', 10, "empty"),
    (b'{"id": 11, "quote": "x", "evidence": []}', 11, "empty"),
    (b'{"id": 12, "quote": "x", "evidence": ["", " "]}', 12, "empty"),
    (b'{"id": 13, "quote": "x\\u0000", "evidence": "x"}', 13, "not_text"),
    (b'{"id": 14, "quote": "' + b"x" * 10_001 + b'", "evidence": "x"}', 14, "too_long"),
    (b'{"id": 15, "quote": "x", "evidence": "' + b"x" * 8 * 1024 * 1024 + b'"}', None, "too_long"),
]


def test_rows_that_cannot_be_checked_are_answered_in_their_places_and_the_rest_goes_on(bench: Workbench) -> None:
    good, bad = jsonl(ROWS["quotes"]), b"".join(line + b"\n" for line, *_ in REFUSED)
    done = bench.run("verify", "quotes", stdin=good + b"\n \r\n" + bad + good.rstrip())
    first, *refused, last = answers(done.out)
    messages = [each["error"].pop("message") for each in refused]
    assert refused == [
        {"line": line, "id": row_id, "error": {"code": code}} for line, (_, row_id, code) in enumerate(REFUSED, start=4)
    ]
    assert all(message.endswith(".") and len(message) < 300 for message in messages)
    assert first == last
    assert (done.code, done.err) == (1, "22 rows: 2 verbatim, 0 altered, 0 not found, 20 errors.\n")


def test_only_a_line_feed_ends_a_line(bench: Workbench) -> None:
    row = {"id": "\u2028\x85", "quote": "b\u2028c", "evidence": "a b\u2028c d\x0b"}
    done = bench.run("verify", "quotes", stdin=b"\xef\xbb\xbf" + jsonl(row).replace(b"\n", b"\r\n"))
    assert [answer["verdict"] for answer in answers(done.out)] == ["verbatim"]
    assert answers(done.out)[0]["id"] == "\u2028\x85"


def test_the_summary_is_an_object_if_asked_for(bench: Workbench) -> None:
    done = bench.run("verify", "claims", "--json", stdin=jsonl(ROWS["claims"], []))
    assert len(answers(done.out)) == 2
    assert json.loads(done.err) == {
        "rows": 2,
        "labels": {"SUPPORTED": 0, "REFUTED": 0, "NEI": 1},
        "by_code": 0,
        "unread": 0,
        "errors": 1,
    }


READ = [
    {"claim": "The castle has 250 rooms and was built in 1999.", "evidence": CASTLE},  # by code
    {"claim": "The castle is from the twentieth century.", "evidence": CASTLE},
    {"claim": "The castle is older than the bridge.", "evidence": CASTLE},
    {"claim": "The castle is made of cheese.", "evidence": CASTLE},
    {"claim": "The castle has no rooms.", "evidence": CASTLE},
]
SAID = {
    "readings": [
        {"number": 1, "words": "was built in 1999", "label": "SUPPORTED"},
        {"number": 2, "words": "older than the bridge", "label": "REFUTED"},
        {"number": 3, "words": None, "label": "NEI"},
    ]
}


def test_a_reader_decides_what_code_leaves_open_with_words_that_stand_in_the_evidence(bench: Workbench) -> None:
    bench.add_tool("reader", [{"match": {"step": "verify/reading"}, "response": json.dumps(SAID)}])
    done = bench.run("verify", "claims", "--with", "reader", stdin=jsonl(*READ))
    by_code, found, invented, open_, unread = answers(done.out)
    assert done.code == 0
    assert (by_code["label"], "reading" in by_code) == ("SUPPORTED", False)
    assert (found["label"], found["reading"]["by"], found["reading"]["span"]["text"]) == (
        "SUPPORTED",
        "reader",
        "was built in 1999",
    )
    assert (invented["label"], invented["reading"]["label"]) == ("NEI", "REFUTED")
    assert "are not in the evidence" in invented["reading"]["problem"]
    assert (open_["label"], open_["reading"]["problem"]) == ("NEI", "")
    assert (unread["label"], unread["reading"]["label"]) == ("NEI", None)
    assert done.err.endswith("Code could decide 1. The reader gave no usable answer for 2.\n")


def test_a_reader_that_answers_nothing_leaves_claims_open_and_fails_the_command(bench: Workbench) -> None:
    bench.add_tool("reader", [{"response": "I would say so."}])
    done = bench.run("verify", "claims", "--with", "reader", stdin=jsonl(READ[1]))
    (answer,) = answers(done.out)
    assert (done.code, answer["label"]) == (1, "NEI")
    assert "cannot be used" in answer["reading"]["problem"]


def test_a_reader_that_cannot_be_asked_is_refused_before_anything_is_read(bench: Workbench) -> None:
    done = bench.run("verify", "claims", "--with", "noone", stdin=jsonl(READ[1]))
    assert (done.code, done.out) == (2, "")
