from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.providers.api.calls import Retries, is_worth_a_retry, told_wait_s

NOON = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


def test_a_wait_is_drawn_from_a_bound_that_doubles_up_to_the_longest() -> None:
    longest = Retries(tries=6, first_s=1, longest_s=5, draw=lambda: 1.0)

    assert [longest.wait_s(tried) for tried in range(1, 7)] == [1, 2, 4, 5, 5, None]


def test_the_draw_comes_on_top_of_what_the_provider_asks_for() -> None:
    assert Retries(first_s=1, draw=lambda: 0.25).wait_s(2, 30) == 30.5


@given(st.integers(1, 4), st.none() | st.floats(0, 1e6))
def test_nobody_comes_back_earlier_than_told_or_later_than_the_bound(tried: int, told_s: float | None) -> None:
    wait_s = Retries().wait_s(tried, told_s)

    assert wait_s is not None
    assert (told_s or 0) <= wait_s <= (told_s or 0) + 0.5 * 2 ** (tried - 1)


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "0"}, 0),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7),
        ({"retry-after": "Sat, 21 Nov 2026 12:01:30 GMT"}, 90),
        ({"retry-after": "Sat, 21 Nov 2026 12:01:30 -0000"}, 90),
        ({"retry-after": "Sat, 21 Nov 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
    ],
    ids=str,
)
def test_a_wait_is_told_in_seconds_milliseconds_or_as_a_date(headers: dict[str, str], wait_s: float | None) -> None:
    assert told_wait_s(headers, NOON) == wait_s


@pytest.mark.parametrize(
    ("status", "headers", "worth_it"),
    [
        *((status, {}, True) for status in (408, 409, 429, 500, 502, 503, 504, 529)),
        *((status, {}, False) for status in (200, 307, 400, 401, 402, 403, 404, 413, 422)),
        (429, {"x-should-retry": "false"}, False),
        (400, {"x-should-retry": "true"}, True),
        (429, {"x-should-retry": "perhaps"}, True),
    ],
)
def test_what_is_worth_a_retry_is_known_by_the_status_unless_the_server_knows_better(
    status: int, headers: dict[str, str], *, worth_it: bool
) -> None:
    assert is_worth_a_retry(status, headers) is worth_it
