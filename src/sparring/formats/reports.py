"""Views of a run of any format: whole, or in fewer characters, or as a record.

Records are written elsewhere. Their text is not changed: the files are JSON, which escapes control characters.
"""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from sparring.engine.format import Presentation
from sparring.errors import DeliberationError
from sparring.formats.registry import FORMATS
from sparring.reports.conclusion import Conclusion, first_lines, in_full, whole
from sparring.reports.markdown import Section, Sections, SideBySide, bullets, given, joined
from sparring.reports.progress import stage, where_it_stands
from sparring.reports.voices import voice
from sparring.schema.base import Record, Role
from sparring.schema.runs import Request, Run
from sparring.schema.transcript import Transcript, Turn

DECISION_LIMIT = 9_000
"""Characters of a decision: a tool's result must stay below 10,000, and carries a little more than this text."""

_EMPTY_TRANSCRIPT = Transcript()


def presentation(run: Run) -> Presentation[Any]:
    """Return the presentation of the format of ``run``."""
    return FORMATS[run.header.kind].presentation()


class _Ended:
    """A finished run with its format's view, the source of every form of output.

    Raises:
        DeliberationError: The run has not finished.
    """

    def __init__(self, run: Run) -> None:
        self.forms = presentation(run)
        self.view: Any = self.forms.view(run)
        self.conclusion: Conclusion = self.forms.conclusion(self.view).as_answered(run)


def report(run: Run) -> str:
    """``report.md``: all of a finished run, the result first; of an unfinished one its present state."""
    if run.outcome is None:
        return progress_text(run)
    ended = _Ended(run)
    first = first_lines(run, ended.conclusion)
    more = given("## Notes", bullets(first.left_out))
    return joined([first.section, *more, *ended.forms.report(ended.view)])


def page(run: Run, *, scripts: Sequence[str] = ("page.js",), connects: bool = False) -> str:
    """``report.html``: the same as a page; see ``document`` for its scripts."""
    from sparring.reports.page.pictures import Pictures  # noqa: PLC0415 -- output for a terminal does not need them
    from sparring.reports.page.run import run_page  # noqa: PLC0415 -- the same

    if run.outcome is None:
        so_far = [Section("", progress_text(run)), *_turns_so_far(run)]
        return run_page(run, None, so_far, Pictures(), scripts=scripts, connects=connects)
    ended = _Ended(run)
    pictures = ended.forms.pictures(ended.view) if ended.forms.pictures else Pictures()
    sections = ended.forms.report(ended.view)
    return run_page(run, ended.conclusion, sections, pictures, scripts=scripts, connects=connects)


def _turns_so_far(run: Run) -> Sections:
    """Show the turns of an unfinished run, each under its speaker."""
    telling = Telling(run.header.request)
    sections = [
        Section(f"### {' · '.join(filter(None, (stage(turn), voice(turn), turn.tool_name)))}", text, turn.ask_id)
        for turn in run.transcript.turns
        if (text := telling(turn))
    ]
    return [Section("## Said so far", ""), *sections] if sections else []


def conclusion(run: Run) -> Conclusion:
    """Return the conclusion of a finished run; raises ``DeliberationError`` for an unfinished one."""
    return _Ended(run).conclusion


def verdict_first(run: Run) -> str:
    """The first lines of the report, and its format's details below them; of an unfinished run its present state."""
    if run.outcome is None:
        return progress_text(run)
    ended = conclusion(run)
    return joined([first_lines(run, ended).section, *given("", ended.below)])


def verdict_whole(run: Run) -> str:
    """The same with nothing cut, for a pipe."""
    if run.outcome is None:
        return progress_text(run)
    ended = conclusion(run)
    return joined([whole(run, ended), *given("", ended.below)])


def in_short(run: Run) -> str:
    """Return the conclusion of a finished run in at most a few thousand characters; ``decision`` continues it."""
    return joined([in_full(run, conclusion(run))])


def decision(run: Run) -> Sections:
    """Return the grounds of the decision of a finished run, in full."""
    forms = presentation(run)
    return forms.details(forms.view(run))


def piped(run: Run) -> str | None:
    """Return the text that a pipe receives instead of the first lines of a finished run; None if it is the same."""
    forms = presentation(run)
    return forms.piped(forms.view(run)) if forms.piped else None


def side_by_side(run: Run) -> SideBySide | None:
    """The decision of a finished run as columns for a wide terminal; None without such columns."""
    columns = presentation(run).columns
    if columns is None:
        return None
    ended = _Ended(run)
    shown = columns(ended.view)
    first = first_lines(run, ended.conclusion).section
    return replace(shown, above=(first, *shown.above), is_plain=ended.conclusion.is_green)


class Telling:
    """Markdown of each turn of a run, for live views; each turn is passed once, in order.

    Attributes:
        transcript: All turns so far.
    """

    def __init__(self, request: Request, transcript: Transcript = _EMPTY_TRANSCRIPT) -> None:
        self._request = request
        self.transcript = transcript

    def __call__(self, turn: Turn) -> str:
        """Empty: nothing but that it was taken."""
        self.transcript = self.transcript.extended((turn,))
        return _turn_text(self._request, self.transcript)


def _turn_text(request: Request, transcript: Transcript) -> str:
    format_ = FORMATS[request.kind]
    if tell := format_.presentation().live:
        return tell(request, transcript)
    turn = transcript.turns[-1]
    is_shown_at_the_end = format_.asks_at_once or turn.role is Role.VERIFIER
    return turn.answer.response if turn.answer and not is_shown_at_the_end else ""


def progress_text(run: Run, *, limit: int = DECISION_LIMIT) -> str:
    """Return the speakers of an unfinished run, the missing turns, and how to resume."""
    return where_it_stands(run, case(run.header.request), presentation(run).remaining(run), limit=limit)


def case(request: Request) -> Sections:
    """Return the sections that are shown before the first turn; empty if that is only the subject."""
    shown = FORMATS[request.kind].presentation().case
    return shown(request) if shown else ()


def result(run: Run) -> Record:
    """``result.json`` of a finished run, and the state file until the next run, except after a consultation.

    Raises:
        DeliberationError: The run has not finished.
    """
    forms = presentation(run)
    return forms.result(forms.view(run))


def last(run: Run) -> Record | None:
    """Return the record for ``last-*.json`` after ``run``; None if it must not replace an earlier one.

    Raises:
        DeliberationError: The run has not finished.
    """
    if run.outcome is None:
        raise DeliberationError(f"Run {run.header.run_id} has not finished.")
    forms = presentation(run)
    if forms.last:
        return forms.last(forms.view(run))
    return result(run) if FORMATS[run.header.kind].last_files and not run.outcome.has_failed else None


def files(run: Run) -> dict[str, str | Record]:
    """Return the content of each file that a finished run has in addition to its report, by name."""
    forms = presentation(run)
    view = forms.view(run) if forms.files else None
    return {name: content(view) for name, content in forms.files.items()}
