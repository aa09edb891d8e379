"""Orders to supervisors and records of how programs ended, as files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.processes.records import ExitRecord, LaunchOrder

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=8)
several = st.lists(texts, min_size=1, max_size=4).map(tuple)


@given(argv=several, names=several, path=texts, seconds=st.floats(0, 1e9), size=st.integers(0), outlives=st.booleans())
def test_an_order_is_read_as_it_was_written(
    argv: tuple[str, ...], names: tuple[str, ...], path: str, seconds: float, size: int, *, outlives: bool
) -> None:
    order = LaunchOrder(
        argv, names, cwd=path, mark=path, tmp=path, timeout_s=seconds, limit=size, outlives=outlives, report=path
    )
    assert vars(LaunchOrder.decoded(order.encoded())) == vars(order)


@given(code=st.none() | st.integers(-64, 255), how=st.tuples(*[st.booleans()] * 4), size=st.integers(0), path=texts)
def test_an_end_is_read_as_it_was_written(code: int | None, how: tuple[bool, ...], size: int, path: str) -> None:
    ended = ExitRecord()
    ended.exit_code, ended.duration_ms, ended.errno, ended.filename = code, size, size, path
    ended.timed_out, ended.overflowed, ended.stopped, ended.dismissed = how
    assert vars(ExitRecord.decoded(ended.encoded())) == vars(ended)


@pytest.mark.parametrize("record", [LaunchOrder, ExitRecord])
@pytest.mark.parametrize("content", [b"", b"\0" * 7, b"{}"])
def test_a_truncated_record_is_no_record(record: type[LaunchOrder | ExitRecord], content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        record.decoded(content)
