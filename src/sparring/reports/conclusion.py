"""First lines of a run: twenty at most, whatever its format; and the same as fields for programs.

A format supplies the content (``Conclusion``); this module decides how much of it is shown where. Lines that do not
fit are announced, and stand below.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sparring.reports.independence import independence_warnings, substitutions
from sparring.reports.markdown import HARD_BREAK, Section, literal
from sparring.reports.runs import seconds, spending_text
from sparring.schema.base import Record
from sparring.schema.runs import Run
from sparring.text.tidying import one_line

LINES = 20
"""Most lines of the first lines, at ``COLUMNS``."""

COLUMNS = 80

_HEADLINE = 2
"""Most lines of the headline; a line parts it from the rest."""

_WHOLE = 2_000
"""Characters of a row that are examined."""

_FULL = 5_000
_ROW_SHOWN = 600
"""Characters of a row for each of its lines, where lines are not counted."""

_DOUBT_SHOWN, _DOUBTS_SHOWN = 300, 8
_TAGS = frozenset({"[WARN]", "[ERROR]"})

_LONGEST_PART = 24
"""Characters of a word that are left out rather than shown torn; longer ones are torn."""

_LEAST_FOR_WARNINGS = 4
"""Lines that are kept for them, however much else there is to say."""


class Conclusion(Record):
    """Conclusion of a run, in the words of its format.

    Empty fields are not shown.

    Attributes:
        headline: The end of it, e.g. ``claude (proposer) wins``.
        is_plain: Whether there are no doubts.
        is_good: Whether nothing is left to do, and something was shown: with ``is_plain`` it is shown in green.
        about: The subject of the decision with its name, e.g. ``("Topic", "Tabs or spaces?")``.
        points: Actions, a line each, the most urgent first; as many are shown as there is room for.
        why: The reason in short.
        winner: A tool; with its role, which may be another's in another run.
        label: A word of the format's own.
        firmness: Firmness of the decision.
        recommendation: The recommended action; ``unless`` is the condition under which not to take it.
        doubts: Doubts that the reader must know.
        notes: Notices from before it began that are no doubts; they stand below the first lines.
        course: Facts of the format's own on how it came about, each with its name, e.g. ``("Rounds", "2 of 3")``.
        citations: Results of code for citations and quotes, counted; ``missing`` are those that do not exist.
        answered_by: The participants that answered: role, tool and model.
        below: Markdown that a terminal or a pipe shows completely below the first lines.
    """

    headline: str
    is_plain: bool
    is_good: bool = True
    about: tuple[str, str]
    points: tuple[str, ...] = ()
    why: str = ""
    winner: str = ""
    winner_role: str = ""
    label: str = ""
    firmness: str = ""
    recommendation: str = ""
    unless: str = ""
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    course: tuple[tuple[str, str], ...] = ()
    citations: Mapping[str, int] = {}
    missing: tuple[str, ...] = ()
    answered_by: tuple[str, ...] = ()
    below: str = ""

    @property
    def is_green(self) -> bool:
        """Return whether a reader may take it as it is."""
        return self.is_plain and self.is_good

    def with_substitutions(self, run: Run) -> "Conclusion":
        """Return this with the substitutions in ``run``, and their consequences, as the first doubts.

        Arrangements from before the run make nothing doubtful, so they are moved to the notes; a warning about one has
        its tag, and stays a doubt.
        """
        first = (*substitutions(run), *independence_warnings(run))
        arrangements = [notice for notice in run.header.request.notices if not notice.startswith("[")]
        doubts = list(first)
        notes = list(self.notes)
        for doubt in self.doubts:
            if doubt in arrangements:
                notes.append(doubt)
            elif doubt not in first:
                doubts.append(doubt)
        return self.model_copy(update={"doubts": tuple(doubts), "notes": tuple(dict.fromkeys(notes))})


class FirstLines(Struct, frozen=True):
    """The first lines, and those doubts that they have no room for, each as a line."""

    section: Section
    left_out: Sequence[str]


class _Row(Struct, frozen=True):
    """Row of the first lines: its name, and its greatest number of lines."""

    name: str
    text: str
    lines: int

    @property
    def full_text(self) -> str:
        """All of it, in a line."""
        return one_line(f"{self.name}: {self.text}", _WHOLE)

    @property
    def cut_text(self) -> str:
        """As much of it as there is room for."""
        return shortened_to_lines(self.full_text, self.lines)

    @property
    def height(self) -> int:
        """Number of lines that the row takes."""
        return height(self.cut_text)


def first_lines(run: Run, conclusion: Conclusion) -> FirstLines:
    """Return the conclusion of ``run`` in at most ``LINES`` lines of ``COLUMNS`` columns."""
    before, after = _rows(run, conclusion)
    headline = shortened_to_lines(conclusion.headline, _HEADLINE)
    # The headline and every row get their least number of lines first, then points, then doubts. What is left goes to
    # the rows that are cut.
    room = LINES - height(headline) - 1 - sum(row.height for row in (*before, *after))
    reserved = min(2 * len(conclusion.doubts), _LEAST_FOR_WARNINGS)
    points, _ = _fitting(conclusion.points, room - reserved)
    room -= sum(height(point) for point in points)
    doubts, left_out = _fitting(urgent_first(conclusion.doubts), max(room, reserved))
    room -= sum(height(doubt) for doubt in doubts)
    rows = [inert(row.cut_text) for row in _grown((*before, *after), room)]
    text = _in_reading_order(
        rows[: len(before)],
        [inert(point) for point in points],
        [_warning_text(doubt) for doubt in doubts],
        rows[len(before) :],
    )
    remaining = tuple(_warning_text(doubt) for doubt in (*left_out, *conclusion.notes))
    return FirstLines(Section(f"# {literal(headline)}", text), remaining)


def uncut_conclusion(run: Run, conclusion: Conclusion) -> Section:
    """Return the whole conclusion of ``run``, uncut: for a pipe, in which it is data."""
    before, after = _rows(run, conclusion)
    text = _in_reading_order(
        [inert(_on_one_line(f"{row.name}: {row.text}")) for row in before],
        [inert(_on_one_line(point)) for point in conclusion.points],
        [_warning_text(_on_one_line(doubt)) for doubt in urgent_first(conclusion.doubts)],
        [inert(_on_one_line(f"{row.name}: {row.text}")) for row in after],
    )
    return Section(f"# {literal(_on_one_line(conclusion.headline))}", text)


def full_conclusion(run: Run, conclusion: Conclusion) -> Section:
    """Return the same in at most ``_FULL`` characters and any number of lines, for readers of nothing else."""
    before, after = _rows(run, conclusion)
    points = [inert(one_line(point, _ROW_SHOWN)) for point in conclusion.points[:_DOUBTS_SHOWN]]
    if len(conclusion.points) > _DOUBTS_SHOWN:
        points.append(f"… and {len(conclusion.points) - _DOUBTS_SHOWN} more.")
    all_doubts = (*urgent_first(conclusion.doubts), *conclusion.notes)
    doubts = [_warning_text(one_line(doubt, _DOUBT_SHOWN)) for doubt in all_doubts[:_DOUBTS_SHOWN]]
    if len(all_doubts) > _DOUBTS_SHOWN:
        doubts.append(f"… and {len(all_doubts) - _DOUBTS_SHOWN} more.")
    text = _in_reading_order(
        [inert(one_line(row.full_text, _ROW_SHOWN * row.lines)) for row in before],
        points,
        doubts,
        [inert(one_line(row.full_text, _ROW_SHOWN * row.lines)) for row in after],
    )
    if len(text) > _FULL:  # marks lengthen the text
        return first_lines(run, conclusion).section
    return Section(f"# {literal(one_line(conclusion.headline, _HEADLINE * COLUMNS))}", text)


def _in_reading_order(before: Sequence[str], points: Sequence[str], doubts: Sequence[str], after: Sequence[str]) -> str:
    """Return the lines as Markdown: the subject, the points, the other rows before the doubts, the doubts, the rest."""
    return HARD_BREAK.join((*before[:1], *points, *before[1:], *doubts, *after))


def _on_one_line(text: str) -> str:
    return one_line(text, len(text) + 1)


def _grown(rows: Sequence[_Row], spare: int) -> list[_Row]:
    """The rows, the first that are cut with as many more lines as ``spare`` gives them."""
    grown: list[_Row] = []
    for row in rows:
        more = min(spare, height(row.full_text) - row.height)
        if more > 0:
            grown.append(replace(row, lines=row.height + more))
            spare -= more
        else:
            grown.append(row)
    return grown


def _rows(run: Run, conclusion: Conclusion) -> tuple[Sequence[_Row], Sequence[_Row]]:
    """Return the rows before and after the doubts; with headline and two facts of the course sixteen lines."""
    name, subject = conclusion.about
    checked = ", ".join(f"{count} {what}" for what, count in conclusion.citations.items() if count)
    if checked and conclusion.missing:
        checked += f"; not there: {', '.join(conclusion.missing)}"
    header = run.header
    before = (
        _Row(name, subject, 1),
        _Row("Why", conclusion.why, 2),
        _Row("Firmness", conclusion.firmness, 1),
        _Row("Do", conclusion.recommendation, 2),
        _Row("Unless", conclusion.unless, 1),
    )
    after = (
        *(_Row(fact, value, 1) for fact, value in conclusion.course),
        _Row("Checked by code", checked, 2),
        _Row("Answered by", ", ".join(conclusion.answered_by), 2),
        _Row("Used", usage_text(run), 1),
        _Row("Run", f"{header.run_id}, {header.created_at:%Y-%m-%d %H:%M} UTC", 1),
    )
    return tuple(row for row in before if row.text), tuple(row for row in after if row.text)


def usage_text(run: Run) -> str:
    """E.g. ``6 calls, 1,500 tokens, $0.0123, 52.0 s of answers``."""
    return f"{spending_text(run.spent)}, {seconds(answering_ms(run))} of answers"


def answering_ms(run: Run) -> int:
    """Return the sum of the durations of all answers and failures of this run, in milliseconds."""
    return sum(turn.reply.duration_ms for turn in run.transcript.turns if not turn.taken_from)


def _fitting(texts: Sequence[str], room: int) -> tuple[list[str], list[str]]:
    """Return the whole text where ``room`` lines are enough for it; else see ``_shortened``."""
    whole = [one_line(text, _WHOLE) for text in texts]
    if sum(height(text) for text in whole) <= room:
        return whole, []
    return _shortened(texts, room)


def _shortened(texts: Sequence[str], room: int) -> tuple[list[str], list[str]]:
    """As many as fit into ``room`` lines, two lines each at most; then those that are not shown whole."""
    shown: list[str] = []
    cut: list[str] = []
    for index, text in enumerate(texts):
        is_last = index == len(texts) - 1
        # Before the last text, a line is kept for the number of texts that are left out.
        lines = min(2, room if is_last else room - 1)
        if lines < 1:
            return [*shown, f"… and {len(texts) - index} more, below."], [*cut, *texts[index:]]
        line = shortened_to_lines(text, lines)
        shown.append(line)
        if line != _on_one_line(text):
            cut.append(text)
        room -= height(line)
    return shown, cut


def urgent_first(doubts: Sequence[str]) -> list[str]:
    """Those that begin with a tag before the others."""
    return sorted(doubts, key=lambda doubt: not doubt.startswith("["))


def _warning_text(doubt: str) -> str:
    """Return ``doubt`` made ``inert``, except for its tag."""
    tag, space, words = doubt.partition(" ")
    return f"{tag} {inert(words)}" if space and tag in _TAGS else inert(doubt)


def inert(text: str) -> str:
    """``text`` with nothing in it that acts but its own code spans, where each that begins also ends."""
    parts = text.split("`")
    if len(parts) % 2 == 0 or "``" in text:
        return literal(text)
    for index in range(0, len(parts), 2):  # every other part is the content of a code span
        bare = parts[index].strip()
        if bare:
            parts[index] = parts[index].replace(bare, literal(bare))  # keeps the space at either end
    return "`".join(parts)


def height(text: str) -> int:
    """In how many lines a terminal of ``COLUMNS`` shows ``text``, which has no line end, when it wraps words."""
    lines, column = 1, 0
    for word in text.split(" "):
        lines, column = _after_word(lines, column, _width(word))
    return lines


def shortened_to_lines(text: str, lines: int) -> str:
    """``text`` folded into one line, and so short that it takes no more than ``lines`` lines of a terminal."""
    folded = one_line(text, lines * COLUMNS)
    return folded if height(folded) <= lines else _cut(folded, lines)


def _cut(text: str, lines: int) -> str:
    longest = bisect_right(range(len(text)), lines, key=lambda end: height(f"{text[:end]} …")) - 1
    cut = text[: max(longest, 0)]
    last_space = cut.rfind(" ", len(cut) - _LONGEST_PART)
    if last_space > 0:
        cut = cut[:last_space]
    return f"{cut} …"


def _after_word(line: int, column: int, width: int) -> tuple[int, int]:
    """Return the cursor after one more word from ``column`` of ``line``; a long word takes several lines."""
    if column and column + 1 + width <= COLUMNS:
        return line, column + 1 + width
    if column:
        line += 1
    full_lines, rest = divmod(max(width - 1, 0), COLUMNS)
    return line + full_lines, min(rest + 1, width)


def _width(word: str) -> int:
    """Columns that it takes: East Asian characters take two."""
    return len(word) + sum(unicodedata.east_asian_width(character) in "WF" for character in word)


class Spending(Record):
    """Usage of a run, for programs; unknown values are None, and ``at_least`` marks incomplete sums."""

    calls: int
    tokens: int | None
    cost_usd: float | None
    at_least: bool
    answering_ms: int


def spending_of(run: Run) -> Spending:
    """Return the usage of ``run``."""
    spent = run.spent
    return Spending(
        calls=spent.calls,
        tokens=spent.tokens or (None if spent.uncounted_calls else 0),
        cost_usd=spent.cost_usd or (None if spent.unpriced_calls else 0.0),
        at_least=bool(spent.uncounted_calls or spent.unpriced_calls),
        answering_ms=answering_ms(run),
    )
