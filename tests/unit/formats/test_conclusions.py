"""What a run has come to, whatever its format: what is doubtful in it, what is left to do, and what was arranged."""

import pytest

from sparring.formats.views import RunView
from sparring.schema.lookups import CitationStatus
from support import debating, review_runs
from support.playing import ended, ledger_of
from support.stored_runs import stored

LONG = "word " * 400


def debated(status: CitationStatus) -> bool:
    """Return whether a debate is shown in green of which everything cited has that status."""

    def ledger(ask: object) -> str:
        del ask
        return ledger_of("a.py:1", status=status).model_dump_json()

    places = (f"r{round_}.{side}.ledger" for round_ in (1, 2) for side in ("proposer", "challenger"))
    return RunView(ended(debating.request(), debating.played(dict.fromkeys(places, ledger)))).conclusion.is_green


def test_a_debate_is_green_only_if_something_in_it_holds() -> None:
    found = {status: debated(status) for status in CitationStatus}
    assert found == {status: status is CitationStatus.VERIFIED for status in CitationStatus}


def test_a_review_with_findings_is_not_green() -> None:
    assert not RunView(review_runs.review()).conclusion.is_green


@pytest.mark.parametrize("name", ["debate", "jury", "fact-check", "chaired-debate"])
def test_notices_make_a_conclusion_doubtful_only_as_warnings(name: str) -> None:
    whole = stored(name)
    notices = ("ann ignores --effort.", "[WARN] The judge is ann.")
    request = whole.header.request.model_copy(update={"notices": notices})
    found = RunView(
        whole.model_copy(update={"header": whole.header.model_copy(update={"request": request})})
    ).conclusion
    assert (notices[0] in found.notes, notices[0] in found.doubts) == (True, False)
    assert notices[1] in found.doubts


def test_a_pipe_gets_the_parts_that_do_not_fit_a_terminal() -> None:
    whole = stored("debate")
    request = whole.header.request.model_copy(update={"notices": tuple(f"[WARN] {n}: {LONG}" for n in range(12))})
    long = whole.model_copy(update={"header": whole.header.model_copy(update={"request": request})})
    assert RunView(long).whole_verdict().count(LONG.strip()) == 12
    assert RunView(long).verdict().count(LONG.strip()) == 0
    assert "… and" in RunView(long).verdict()
