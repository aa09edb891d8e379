"""Result of every tool in two halves: the fields of the decision with one text, and all of it as text.

Some hosts show their model only the structured half of a result, others only the text; so each half is complete, and
neither repeats itself. Neither exceeds ``RESULT_LIMIT``, because hosts cut or hide longer ones. This module does not
know runs.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

from mcp.types import CallToolResult, ResourceLink, TextContent
from pydantic import BaseModel, ConfigDict, Field

from sparring.reports.conclusion import Spending
from sparring.text.tidying import one_line

RESULT_LIMIT = 10_000
"""Characters that each half of a result stays below. Counted in the structured half as JSON, where quotation marks
and line ends take two."""

RUNS_ADDRESS = "sparring://runs"
"""Address of the list of runs as a resource; the report of each is below it."""

_LEAST_BODY = 2_000
"""Below this nothing is shortened by its own rules any more; it is cut."""

_SENTENCE_LIMIT = 1_000
"""Characters of a refusal, which may repeat a request of any length."""

Status = Literal["running", "your_turn", "interrupted", "finished", "failed", "listed", "estimated", "refused"]


_FIRST_FIELDS = frozenset({"status", "run_id", "ask_id"})
"""Fields that precede the decision."""


class DecisionFields(BaseModel):
    """Decision of a run, as fields; empty ones are not sent.

    Attributes:
        outcome: Its end in a line, also where there is no verdict.
        citations: Results of code for citations and quotes, counted.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    outcome: str = ""
    winner: str = ""
    winner_role: str = ""
    label: str = ""
    firmness: str = ""
    recommendation: str = ""
    unless: str = ""
    warnings: tuple[str, ...] = ()
    citations: dict[str, int] = {}
    not_found: tuple[str, ...] = ()
    answered_by: tuple[str, ...] = ()
    spent: Spending | None = None


class ToolResult(DecisionFields):
    """The structured half.

    Attributes:
        status: Status of the run; ``your_turn`` when it waits for an answer of the host, ``failed`` when it ended
            without a result, ``listed`` for a list of runs, ``estimated`` for an estimate, ``refused``
            when nothing was done.
        estimate: Estimate for a run, as in the JSON of a dry run.
        ask_id: The ask for the host, when it is its turn.
        text: Markdown: everything that is not in the fields.
        next: The tool to call next, and its arguments.
        first: The text of the other half for the fields.
    """

    status: Status
    run_id: str = ""
    ask_id: str = ""
    estimate: dict[str, Any] = {}
    text: str
    next: str = ""
    page: int = 1
    pages: int = 1
    first: str = Field(default="", exclude=True)

    @property
    def is_error(self) -> bool:
        """Return whether the host should treat the call as failed."""
        return self.status in {"failed", "refused"}

    @property
    def markdown(self) -> str:
        """The other half: all of it as Markdown."""
        return "\n\n".join(part for part in (self.first.rstrip("\n"), self.text, self.next) if part)

    @property
    def sent(self) -> dict[str, Any]:
        """The structured half as it is sent."""
        fields = self.model_dump(mode="json", exclude_defaults=True)
        return {name: fields[name] for name in sorted(fields, key=lambda name: name not in _FIRST_FIELDS)}


def fitted(frame: ToolResult, body: Callable[[int], str]) -> ToolResult:
    """Return ``frame`` with a text made of ``body`` that keeps each half below ``RESULT_LIMIT``.

    ``body`` is called with the most characters that it may return; it is called again with fewer when its text grows
    too much as JSON.
    """
    room = body_limit(frame)
    limit = room
    text = body(limit)
    while _as_json(text) > room and limit > _LEAST_BODY:
        limit = max(limit * 2 // 3, _LEAST_BODY)
        text = body(limit)
    return _with_text(frame, next(cuts(text, room)))


def paged(frame: ToolResult, text: str, page: int, last: str = "") -> ToolResult | None:
    """Page number ``page`` of ``text`` in ``frame``; None if there is no such page.

    ``frame.next`` must hold the sentence for a page that is not the last, with ``{page}`` for the number that follows
    and, where it likes, ``{pages}`` for how many there are; ``last`` is the sentence for the last one.
    """
    longest = frame.next.format(page=10**9, pages=10**9)
    frames = (
        frame.model_copy(update={"page": 10**9, "pages": 10**9, "next": sentence}) for sentence in (longest, last)
    )
    pages = list(cuts(text, min(body_limit(each) for each in frames)))
    if not 1 <= page <= len(pages):
        return None
    more = frame.next.format(page=page + 1, pages=len(pages)) if page < len(pages) else last
    return _with_text(frame.model_copy(update={"page": page, "pages": len(pages), "next": more}), pages[page - 1])


def refused(problem: str, example: str = "") -> ToolResult:
    """A refusal: nothing was done, and why, in one line; then an ``example`` of a call that works."""
    return ToolResult(status="refused", text=f"{one_line(problem, _SENTENCE_LIMIT)} {example}".rstrip())


def nothing_done(why: str) -> ToolResult:
    """A result that states why there was nothing to do, which is no error."""
    return ToolResult(status="finished", text=one_line(why, _SENTENCE_LIMIT))


def call_result(result: ToolResult) -> CallToolResult:
    """Both halves as the protocol has them, and for a run that has ended where its whole report is."""
    text = TextContent(type="text", text=result.markdown)
    return CallToolResult(
        content=[text, _report(result.run_id)] if result.status == "finished" and result.run_id else [text],
        structured_content=result.sent,
        is_error=result.is_error,
    )


def _report(run_id: str) -> ResourceLink:
    name, address = f"Report of {run_id}", f"{RUNS_ADDRESS}/{run_id}"
    return ResourceLink(type="resource_link", uri=address, name=name, mime_type="text/markdown")


def body_limit(frame: ToolResult) -> int:
    """Return the characters, as JSON, that are left for a text in addition to ``frame``."""
    bare = _with_text(frame, ".")
    return RESULT_LIMIT - max(len(json.dumps(bare.sent, ensure_ascii=False)), len(bare.markdown))


def cuts(text: str, room: int) -> Iterator[str]:
    """``text`` in pieces of at most ``room`` characters as JSON, cut after a line end where that is possible.

    There is always one piece, and all of them together are the text.
    """
    piece: list[str] = []
    used = 0
    # A character takes at most six as JSON, so every part fits alone.
    for part in re.findall(rf"[^\n]{{1,{room // 6 - 1}}}\n?|\n", text):
        size = _as_json(part)
        if piece and used + size > room:
            yield "".join(piece)
            piece, used = [], 0
        piece.append(part)
        used += size
    yield "".join(piece)


def _with_text(frame: ToolResult, body: str) -> ToolResult:
    return frame.model_copy(update={"text": body.rstrip("\n")})


def _as_json(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False)) - 2
