from typing import Any

import pytest

from sparring.text.extraction import json_object
from support.texts import cases


@pytest.mark.parametrize(("table", "reply", "found"), cases("replies"))
def test_an_object_is_read_however_a_reply_is_written(table: str, reply: str, found: dict[str, Any] | None) -> None:
    assert json_object(reply) == found, table


def test_what_is_nested_or_broken_without_end_is_no_object() -> None:
    deep = "[" * 20_000 + "]" * 20_000
    for reply in (
        f'{{"a": {deep}}}',
        '{"a": ' * 20_000 + "1" + "}" * 20_000,
        f'{{"a": {deep[15_000:25_000]},}}',
        '{"a": "' + "x" * 200_000 + '",}',
    ):
        assert json_object(reply) is None
