"""First lines of a run: twenty at most, whatever its format; and the same as fields for programs.

A format supplies the content (``Conclusion``); this module decides how much of it is shown where. Lines that do not
fit are announced, and stand below.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sparring.reports.independence import checked_again, substitutions
from sparring.reports.markdown import HARD_BREAK, Section, literal
from sparring.reports.runs import seconds, spending
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

    def as_answered(self, run: Run) -> "Conclusion":
        """Return this with the substitutions in ``run``, and their consequences, as the first doubts.

        Arrangements from before the run make nothing doubtful, so they are moved to the notes; a warning about one has
        its tag, and stays a doubt.
        """
        first = (*substitutions(run), *checked_again(run))
        arranged = [each for each in run.header.request.notices if not each.startswith("[")]
        remaining = [doubt for doubt in self.doubts if doubt not in (*first, *arranged)]
        notes = dict.fromkeys((*self.notes, *(doubt for doubt in self.doubts if doubt in arranged)))
        return self.model_copy(update={"doubts": (*first, *remaining), "notes": tuple(notes)})


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
    def whole(self) -> str:
        """All of it, in a line."""
        return one_line(f"{self.name}: {self.text}", _WHOLE)

    @property
    def shown(self) -> str:
        """As much of it as there is room for."""
        return within(self.whole, self.lines)

    @property
    def height(self) -> int:
        """Number of lines that the row takes."""
        return height(self.shown)


def first_lines(run: Run, conclusion: Conclusion) -> FirstLines:
    """Return the conclusion of ``run`` in at most ``LINES`` lines of ``COLUMNS`` columns."""
    before, after = _rows(run, conclusion)
    headline = within(conclusion.headline, _HEADLINE)
    room = LINES - height(headline) - 1 - sum(row.height for row in (*before, *after))
    kept = min(2 * len(conclusion.doubts), _LEAST_FOR_WARNINGS)
    points, _ = _fitting(conclusion.points, room - kept)
    room -= sum(map(height, points))
    doubts, left_out = _fitting(urgent_first(conclusion.doubts), max(room, kept))
    grown = _grown((*before, *after), room - sum(map(height, doubts)))
    rows = [inert(row.shown) for row in grown]
    lines = (*rows[:1], *map(inert, points), *rows[1 : len(before)], *map(_warned, doubts), *rows[len(before) :])
    text = HARD_BREAK.join(lines)
    return FirstLines(Section(f"# {literal(headline)}", text), tuple(map(_warned, (*left_out, *conclusion.notes))))


def whole(run: Run, conclusion: Conclusion) -> Section:
    """Return the whole conclusion of ``run``, uncut: for a pipe, in which it is data."""
    before, after = _rows(run, conclusion)
    rows = [inert(_on_one_line(f"{row.name}: {row.text}")) for row in (*before, *after)]
    points = [inert(_on_one_line(point)) for point in conclusion.points]
    doubts = [_warned(_on_one_line(doubt)) for doubt in urgent_first(conclusion.doubts)]
    lines = (*rows[:1], *points, *rows[1 : len(before)], *doubts, *rows[len(before) :])
    return Section(f"# {literal(_on_one_line(conclusion.headline))}", HARD_BREAK.join(lines))


def _on_one_line(text: str) -> str:
    return one_line(text, len(text) + 1)


def _grown(rows: Sequence[_Row], spare: int) -> list[_Row]:
    """The rows, the first that are cut with as many more lines as ``spare`` gives them."""
    grown = list[_Row]()
    for row in rows:
        more = min(spare, height(row.whole) - row.height)
        grown.append(replace(row, lines=row.height + more) if more > 0 else row)
        spare -= max(more, 0)
    return grown


def in_full(run: Run, conclusion: Conclusion) -> Section:
    """Return the same in at most ``_FULL`` characters and any number of lines, for readers of nothing else."""
    before, after = _rows(run, conclusion)
    known = (*urgent_first(conclusion.doubts), *conclusion.notes)
    doubts = [_warned(one_line(doubt, _DOUBT_SHOWN)) for doubt in known]
    more = [f"… and {len(doubts) - _DOUBTS_SHOWN} more."] if len(doubts) > _DOUBTS_SHOWN else []
    rows = [inert(one_line(row.whole, _ROW_SHOWN * row.lines)) for row in (*before, *after)]
    points = [inert(one_line(point, _ROW_SHOWN)) for point in conclusion.points[:_DOUBTS_SHOWN]]
    points += [f"… and {left} more."] if (left := len(conclusion.points) - _DOUBTS_SHOWN) > 0 else []
    lines = (*rows[:1], *points, *rows[1 : len(before)], *doubts[:_DOUBTS_SHOWN], *more, *rows[len(before) :])
    shown = HARD_BREAK.join(lines)
    if len(shown) > _FULL:  # marks lengthen the text
        return first_lines(run, conclusion).section
    return Section(f"# {literal(one_line(conclusion.headline, _HEADLINE * COLUMNS))}", shown)


def _rows(run: Run, conclusion: Conclusion) -> tuple[Sequence[_Row], Sequence[_Row]]:
    """Return the rows before and after the doubts; with headline and two facts of the course sixteen lines."""
    name, subject = conclusion.about
    counts = ", ".join(f"{count} {what}" for what, count in conclusion.citations.items() if count)
    missing = f"; not there: {', '.join(conclusion.missing)}" if conclusion.missing else ""
    header = run.header
    before = (
        _Row(name, subject, 1),
        _Row("Why", conclusion.why, 2),
        _Row("Firmness", conclusion.firmness, 1),
        _Row("Do", conclusion.recommendation, 2),
        _Row("Unless", conclusion.unless, 1),
    )
    after = (
        *(_Row(each, fact, 1) for each, fact in conclusion.course),
        _Row("Checked by code", counts and counts + missing, 2),
        _Row("Answered by", ", ".join(conclusion.answered_by), 2),
        _Row("Used", used(run), 1),
        _Row("Run", f"{header.run_id}, {header.created_at:%Y-%m-%d %H:%M} UTC", 1),
    )
    return tuple(row for row in before if row.text), tuple(row for row in after if row.text)


def used(run: Run) -> str:
    """E.g. ``6 calls, 1,500 tokens, $0.0123, 52.0 s of answers``."""
    return f"{spending(run.spent)}, {seconds(answering_ms(run))} of answers"


def answering_ms(run: Run) -> int:
    """Return the sum of the durations of all answers and failures of this run, in milliseconds."""
    return sum(turn.reply.duration_ms for turn in run.transcript.turns if not turn.taken_from)


def _fitting(texts: Sequence[str], room: int) -> tuple[list[str], list[str]]:
    """Return the whole text where ``room`` lines are enough for it; else see ``_shortened``."""
    whole = [one_line(each, _WHOLE) for each in texts]
    if sum(map(height, whole)) <= room:
        return whole, []
    return _shortened(texts, room)


def _shortened(texts: Sequence[str], room: int) -> tuple[list[str], list[str]]:
    """As many as fit into ``room`` lines, two lines each at most; then those that are not shown whole."""
    shown, cut = list[str](), list[str]()
    for number, each in enumerate(texts, start=1):
        # A line is kept for how many more there are.
        lines = min(2, room - (number < len(texts)))
        if lines < 1:
            return [*shown, f"… and {len(texts) - number + 1} more, below."], [*cut, *texts[number - 1 :]]
        text = within(each, lines)
        shown.append(text)
        cut += [each] if text != one_line(each, len(each) + 1) else []
        room -= height(text)
    return shown, cut


def urgent_first(doubts: Sequence[str]) -> list[str]:
    """Those that begin with a tag before the others."""
    return sorted(doubts, key=lambda doubt: not doubt.startswith("["))


def _warned(doubt: str) -> str:
    """Return ``doubt`` made ``inert``, except for its tag."""
    tag, space, words = doubt.partition(" ")
    return f"{tag} {inert(words)}" if space and tag in _TAGS else inert(doubt)


def inert(text: str) -> str:
    """``text`` with nothing in it that acts but its own code spans, where each that begins also ends."""
    parts = text.split("`")
    if len(parts) % 2 == 0 or "``" in text:
        return literal(text)
    return "`".join(part if place % 2 else _kept(part) for place, part in enumerate(parts))


def _kept(part: str) -> str:
    """``literal`` that keeps the space at either end."""
    bare = part.strip()
    return part.replace(bare, literal(bare)) if bare else part


def height(text: str) -> int:
    """In how many lines a terminal of ``COLUMNS`` shows ``text``, which has no line end, when it wraps words."""
    lines, column = 1, 0
    for word in text.split(" "):
        lines, column = _after_word(lines, column, _width(word))
    return lines


def within(text: str, lines: int) -> str:
    """``text`` folded into one line, and so short that it takes no more than ``lines`` lines of a terminal."""
    folded = one_line(text, lines * COLUMNS)
    return folded if height(folded) <= lines else _cut(folded, lines)


def _cut(text: str, lines: int) -> str:
    longest = bisect_right(range(len(text)), lines, key=lambda end: height(f"{text[:end]} …")) - 1
    cut = text[: max(longest, 0)]
    between = cut.rfind(" ", len(cut) - _LONGEST_PART)
    return f"{cut[:between] if between > 0 else cut} …"


def _after_word(line: int, column: int, width: int) -> tuple[int, int]:
    """Return the cursor after one more word from ``column`` of ``line``; a long word takes several lines."""
    if column and column + 1 + width <= COLUMNS:
        return line, column + 1 + width
    further, rest = divmod(max(width - 1, 0), COLUMNS)
    return line + further + bool(column), min(rest + 1, width)


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
