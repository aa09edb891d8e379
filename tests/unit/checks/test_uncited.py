"""Which claims of a speech cite nothing."""

import pytest

from sparring.checks.citations import check_ledger
from support.working_trees import MemoryTree

TREE = MemoryTree({"a.py": "def here():\n    pass\n"})


def uncited(text: str) -> list[str]:
    spans = check_ledger(text, TREE).unsupported
    assert [text[span.start : span.end] for span in spans] == [span.text for span in spans]
    return [span.text for span in spans]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Writing first loses no turn at all. It costs little.", ["Writing first loses no turn at all."]),
        ("Writing first loses no turn at all, see `a.py`.", []),
        ("Writing first loses no turn.\nIt is in a.py:1.", []),
        ("Writing first loses no turn at all.\n\nIt is in a.py:1.", ["Writing first loses no turn at all."]),
        ("- Writing first loses no turn at all.\n- a.py:1 shows it.", ["Writing first loses no turn at all."]),
        ("缓存总是热的。重试没有代价。", ["缓存总是热的。"]),
        ("缓存总是热的，见 `a.py`。", []),
        ("缓存难道总是热的吗？", []),
        ("12) Writing first loses no turn at all", ["Writing first loses no turn at all"]),
        ("Why would it? Writing first loses no turn at all.", ["Writing first loses no turn at all."]),
        ("Has anybody measured what this really costs?", []),
        ("# A heading with quite many words in it", []),
        ("**A bold line with quite many words**", []),
        ("_An aside with quite many words in it._", []),
        ("> Somebody else has said quite many words.", []),
        ("| a table | with quite | many words | in it |", []),
        ("```\nA sample with quite many words in it.\n```", []),
        ("---\n***\nToo few words.", []),
        ("These are the reasons why it is right:\n- a.py:1 shows it.", []),
        ("Three things speak for writing first.\n- a.py:1 shows it.\n- `a.py` too.", []),
        (
            "Three things speak for writing first.\n- a.py:1 shows it.\n- And it is very simple too.",
            ["Three things speak for writing first.", "And it is very simple too."],
        ),
        (
            "Three things speak for writing first.\n\n- a.py:1 shows it.\n\nAnd it is very simple too.",
            ["And it is very simple too."],
        ),
        ("I concede that the disk is slower than I said.", []),
        ("You're right about what the disk costs us. Agreed on all of that, then.", []),
        ("I concede that point to you. Writing first loses no turn.", ["Writing first loses no turn."]),
        ("```\nx\n```\nWriting first loses no turn at all.\n```\ny\n```", ["Writing first loses no turn at all."]),
        ("Writing first loses no turn at all.\n```\nx\n```\na.py:1 shows it.", ["Writing first loses no turn at all."]),
        ("Writing takes 3 ms on my disk here.", []),
        ("", []),
    ],
)
def test_a_claim_is_a_block_that_states_something_and_cites_nothing(text: str, claims: list[str]) -> None:
    assert uncited(text) == claims
