"""Distinct rows of a table, counted outside of memory."""

import gc
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from sparring.batch.distinct import DistinctKeys

KEYS = 50_000
A_KEY = 16
"""Bytes of memory for each key; a set of integers takes several times as much."""


@given(st.lists(st.lists(st.binary(min_size=16, max_size=16).map(lambda key: key[:1] * 16), max_size=9), max_size=9))
def test_a_key_is_new_once(blocks: list[list[bytes]]) -> None:
    met = set[bytes]()
    with DistinctKeys.opened() as distinct:
        for block in blocks:
            expected = [key not in met and not met.add(key) for key in block]
            assert distinct.add(block) == expected


def test_keys_that_were_added_take_no_memory() -> None:
    with DistinctKeys.opened() as distinct:
        gc.collect()
        tracemalloc.start()
        try:
            for number in range(KEYS):
                assert distinct.add([number.to_bytes(8) + bytes(8)]) == [True]
            assert tracemalloc.get_traced_memory()[0] < KEYS * A_KEY
        finally:
            tracemalloc.stop()
