"""Views of a run of any format: whole, or in fewer characters, or as a record.

Records are written elsewhere. Their text is not changed: the files are JSON, which escapes control characters.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from sparring.engine.format import Presentation
from sparring.formats.registry import FORMATS
from sparring.reports.conclusion import Conclusion, first_lines, full_conclusion, uncut_conclusion
from sparring.reports.markdown import Section, Sections, SideBySide, bullets, joined, optional_section
from sparring.reports.progress import stage, state_of_run
from sparring.reports.seat_names import seat_name
from sparring.schema.base import Record, Role
from sparring.schema.runs import Request, Run
from sparring.schema.transcript import Transcript, Turn

DECISION_LIMIT = 9_000
"""Characters of a decision: a tool's result must stay below 10,000, and carries a little more than this text."""

_EMPTY_TRANSCRIPT = Transcript()
_SCRIPTS = ("page.js",)


def presentation(run: Run) -> Presentation[Any]:
    """Return the presentation of the format of ``run``."""
    return FORMATS[run.header.kind].presentation()


class RunView:
    """A finished run with its format's view, the source of every form of output; each part is made once.

    Raises:
        DeliberationError: The run has not finished.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.forms = presentation(run)
        self.view: Any = self.forms.view(run)

    @cached_property
    def conclusion(self) -> Conclusion:
        """The conclusion, with the tools that really answered."""
        return self.forms.conclusion(self.view).with_substitutions(self.run)

    @cached_property
    def _sections(self) -> Sections:
        return self.forms.report(self.view)

    def report(self) -> str:
        """``report.md``: all of the run, the result first."""
        first = first_lines(self.run, self.conclusion)
        return joined([first.section, *optional_section("## Notes", bullets(first.left_out)), *self._sections])

    def page(self, *, scripts: Sequence[str] = _SCRIPTS, connects: bool = False) -> str:
        """``report.html``: the same as a page; see ``document`` for its scripts."""
        from sparring.reports.page.pictures import Pictures  # noqa: PLC0415 -- output for a terminal does not need them
        from sparring.reports.page.run import run_page  # noqa: PLC0415 -- the same

        pictures = self.forms.pictures(self.view) if self.forms.pictures else Pictures()
        return run_page(self.run, self.conclusion, self._sections, pictures, scripts=scripts, connects=connects)

    def verdict(self) -> str:
        """The first lines of the report, and its format's details below them."""
        return joined([first_lines(self.run, self.conclusion).section, *optional_section("", self.conclusion.below)])

    def whole_verdict(self) -> str:
        """The same with nothing cut, for a pipe."""
        return joined([uncut_conclusion(self.run, self.conclusion), *optional_section("", self.conclusion.below)])

    def summary(self) -> str:
        """The conclusion in at most a few thousand characters; ``decision`` continues it."""
        return joined([full_conclusion(self.run, self.conclusion)])

    def columns(self) -> SideBySide | None:
        """The decision as columns for a wide terminal; None without such columns."""
        if self.forms.columns is None:
            return None
        shown = self.forms.columns(self.view)
        first = first_lines(self.run, self.conclusion).section
        return replace(shown, above=(first, *shown.above), is_plain=self.conclusion.is_green)

    def piped(self) -> str | None:
        """The text that a pipe receives instead of the first lines; None if it is the same."""
        return self.forms.piped(self.view) if self.forms.piped else None

    def decision(self) -> Sections:
        """The grounds of the decision, in full."""
        return self.forms.details(self.view)

    def result(self) -> Record:
        """``result.json``, and the state file until the next run, except after a consultation."""
        return self.forms.result(self.view)

    def last(self) -> Record | None:
        """The record for ``last-*.json``; None if it must not replace an earlier one."""
        if self.forms.last:
            return self.forms.last(self.view)
        has_failed = self.run.outcome is None or self.run.outcome.has_failed
        return self.result() if FORMATS[self.run.header.kind].last_files and not has_failed else None

    def files(self) -> dict[str, str | Record]:
        """The content of each file that the run has in addition to its report, by name."""
        return {name: content(self.view) for name, content in self.forms.files.items()}


def report(run: Run) -> str:
    """``RunView.report`` of a finished run; of an unfinished one its present state."""
    return progress_text(run) if run.outcome is None else RunView(run).report()


def page(run: Run, *, scripts: Sequence[str] = _SCRIPTS, connects: bool = False) -> str:
    """``RunView.page`` of a finished run; of an unfinished one its present state, with all turns so far."""
    if run.outcome is not None:
        return RunView(run).page(scripts=scripts, connects=connects)
    from sparring.reports.page.pictures import Pictures  # noqa: PLC0415 -- output for a terminal does not need them
    from sparring.reports.page.run import run_page  # noqa: PLC0415 -- the same

    so_far = [Section("", progress_text(run)), *_sections_of_turns(run)]
    return run_page(run, None, so_far, Pictures(), scripts=scripts, connects=connects)


def _sections_of_turns(run: Run) -> Sections:
    """Show the turns of an unfinished run, each under its speaker."""
    render_turn = LiveTurnRenderer(run.header.request)
    sections: list[Section] = []
    for turn in run.transcript.turns:
        text = render_turn(turn)
        if text:
            speaker = " · ".join(part for part in (stage(turn), seat_name(turn), turn.tool_name) if part)
            sections.append(Section(f"### {speaker}", text, turn.ask_id))
    return [Section("## Said so far", ""), *sections] if sections else []


class LiveTurnRenderer:
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
    live = format_.presentation().live
    if live:
        return live(request, transcript)
    turn = transcript.turns[-1]
    # Answers of tools that are asked at once are shown together, and lookups by code with what they are about.
    if turn.answer is None or format_.asks_at_once or turn.role is Role.VERIFIER:
        return ""
    return turn.answer.response


def progress_text(run: Run, *, limit: int = DECISION_LIMIT) -> str:
    """Return the speakers of an unfinished run, the missing turns, and how to resume."""
    return state_of_run(run, case(run.header.request), presentation(run).remaining(run), limit=limit)


def case(request: Request) -> Sections:
    """Return the sections that are shown before the first turn; empty if that is only the subject."""
    shown = FORMATS[request.kind].presentation().case
    return shown(request) if shown else ()
