from hypothesis import given
from hypothesis import strategies as st

from sparring.reports.markdown import Section, fitted, joined

BODIES = st.lists(st.integers(0, 5000).map("x".__mul__), max_size=12)


def test_sections_that_fit_stay_whole() -> None:
    sections = [Section("# A", "a"), Section("", "b"), Section("## C", "")]
    assert fitted(sections, limit=100) == joined(sections) == "# A\n\na\n\nb\n\n## C\n"


def test_long_sections_are_cut_to_the_same_length_and_short_ones_are_not() -> None:
    sections = [Section("# A", "a" * 2000), Section("# B", "short"), Section("# C", "c" * 900)]
    assert fitted(sections, limit=1200) == (
        f"# A\n\n{'a' * 480}\n\n[… cut: 480 of 2,000 characters shown]\n\n"
        "# B\n\nshort\n\n"
        f"# C\n\n{'c' * 480}\n\n[… cut: 480 of 900 characters shown]\n"
    )


@given(BODIES, st.integers(2000, 9000))
def test_the_result_is_always_shorter_than_the_limit(bodies: list[str], limit: int) -> None:
    assert len(fitted([Section("## Some heading", body) for body in bodies], limit=limit)) < limit


@given(BODIES, st.integers(2000, 9000))
def test_every_heading_is_kept(bodies: list[str], limit: int) -> None:
    text = fitted([Section(f"## H{place}.", body) for place, body in enumerate(bodies)], limit=limit)
    assert [place for place in range(len(bodies)) if f"## H{place}." in text] == list(range(len(bodies)))
