"""Measurement of reviewers: bugs are planted, each as a separate change, and reviewed blind.

Each change is two ordinary reviews: the same model as often as there are reviewers, and all of them with
cross-examination. The findings of one model, and of families without cross-examination, are counted from the same
answers. They are kept in the ledger, so that the same command continues after an interruption; prompts that both
reviews have in common are asked once, and counted for both.
"""

import random
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread
from msgspec import Struct
from pydantic import ValidationError

from sparring.app import App
from sparring.engine.dry_run import dry_run
from sparring.engine.estimate import plan_of
from sparring.errors import UsageError, raising_first
from sparring.evaluation.kept_runs import KeptRuns, opened
from sparring.formats.registry import FORMATS
from sparring.lookup.working_tree import list_files
from sparring.participants.authors import NO_AUTHOR
from sparring.participants.change import selected
from sparring.participants.options import AccompanyingInput, Options
from sparring.participants.seats import PART_BYTES, ChangeQuery
from sparring.reports.bench import Arm, BenchResult, PlantedPlace, ReviewedBug, count_hits, figures, reason_not_counted
from sparring.schema.base import Record, RepoAccess
from sparring.schema.changes import ChangeKind, FileChange, Hunk, LineMark, ReviewedChange, ReviewedFile
from sparring.schema.dry_run import DryRun
from sparring.schema.faults import describe_fault
from sparring.schema.review import FAMILIES_NEEDED, ReviewRequest
from sparring.schema.runs import Expected, Limits, Request, Run, Spent
from sparring.text import redaction, secret_shapes, tidying

USUAL_SAMPLE = 20
_USUAL_REPEATS = 3
_AT_ONCE = 2
_AROUND = 12
_MOST_COMPARED = 1_000_000
_FILE_LIMIT = 1024 * 1024
_SHOWN = 120


class PlantedBug(Record):
    """A bug: the original text, its replacement, and the harm that it would do.

    A table may group its bugs by the ``promise`` that they break; reviewers do not see it.
    """

    name: str
    old: str
    new: str
    why: str = ""
    known: str = ""
    promise: str = ""


class _Bugs(Record):
    bug: tuple[PlantedBug, ...]
    promises: Mapping[str, str] = {}


def read_bugs(folder: Path) -> tuple[PlantedBug, ...]:
    """Return the bugs of all tables in ``folder``, in the order of their files.

    Raises:
        UsageError: There are none, a table cannot be read, or two bugs have the same name.
    """
    bugs = [bug for file in sorted(folder.glob("*.toml")) for bug in _table(file)]
    if not bugs:
        shown = tidying.one_line(str(folder), _SHOWN)
        raise UsageError(
            f"There is no planted bug in {shown}.", hint="A .toml file has [[bug]] with name, old and new."
        )
    for name, count in Counter(bug.name for bug in bugs).items():
        if count > 1:
            raise UsageError(f"Two planted bugs are called {tidying.one_line(repr(name), _SHOWN)}.")
    return tuple(bugs)


def _table(file: Path) -> tuple[PlantedBug, ...]:
    shown = tidying.one_line(str(file), _SHOWN)
    try:
        with file.open("rb") as stream:
            return _Bugs.model_validate(tomllib.loads(stream.read(_FILE_LIMIT).decode())).bug
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"]))
        raise UsageError(
            f"{shown} is not a table of planted bugs: {tidying.one_line(describe_fault(fault, place), _SHOWN)}."
        ) from error
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{shown} cannot be read: {tidying.one_line(str(error), _SHOWN)}.") from error


class Planted(Struct, frozen=True):
    """A bug as a change that can be reviewed, or ``is_repair``: the change that takes it out."""

    name: str
    place: PlantedPlace
    change: ReviewedChange
    redactions: int = 0
    is_repair: bool = False


def planted(
    name: str, path: str, texts: tuple[str, str], redactor: redaction.Redactor, *, is_repair: bool = False
) -> Planted:
    """Return the change from the first of ``texts`` to the second, without any sign of its purpose.

    Raises:
        ValueError: It cannot be shown.
    """
    file = ReviewedFile(path=path, change=FileChange.MODIFIED, hunks=(_hunk(*texts),))
    chosen = selected((file,), (), redactor, ChangeQuery(limit_kib=PART_BYTES // 1024))
    if not chosen.parts or chosen.left_out:
        raise ValueError(f"{path} may contain secrets, or its lines are too long")
    change = ReviewedChange(kind=ChangeKind.DIFF, title=path, files=chosen.files, parts=chosen.parts)
    return Planted(name, PlantedPlace.of(change), change, chosen.redactions, is_repair)


def _hunk(before: str, after: str) -> Hunk:
    """Return the changed lines with context; one place only, so that few lines have to be compared."""
    old, new = _lines(before), _lines(after)
    equal_start = _equal_lines(old, new)
    equal_end = _equal_lines(old[equal_start:][::-1], new[equal_start:][::-1])
    old_end, new_end = len(old) - equal_end, len(new) - equal_end
    first = max(0, equal_start - _AROUND)
    lines = [
        *(LineMark.KEPT + line for line in old[first:equal_start]),
        *_compared(old[equal_start:old_end], new[equal_start:new_end]),
        *(LineMark.KEPT + line for line in old[old_end : old_end + _AROUND]),
    ]
    if all(line.startswith(LineMark.KEPT) for line in lines):
        raise ValueError("it changes no line")
    return Hunk(first=first + 1, old_first=first + 1, lines=tuple(lines))


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def _equal_lines(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of lines at the beginning that are equal."""
    count = 0
    for line, other_line in zip(one, other, strict=False):
        if line != other_line:
            break
        count += 1
    return count


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Yield the lines as a difference; where they are too many to be compared, all are removed and added."""
    if len(old) * len(new) > _MOST_COMPARED:
        yield from (LineMark.REMOVED + line for line in old)
        yield from (LineMark.ADDED + line for line in new)
        return
    for tag, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (LineMark.KEPT + line for line in old[first:last])
        else:
            yield from (LineMark.REMOVED + line for line in old[first:last])
            yield from (LineMark.ADDED + line for line in new[start:end])


class Drawing(Struct, frozen=True):
    """Draw of the bugs to plant.

    Attributes:
        sample: Number of bugs; 0: all.
        seed: Seed of the draw.
        with_repairs: Whether the change that removes each of them is reviewed as well.
    """

    sample: int = USUAL_SAMPLE
    seed: int = 1
    with_repairs: bool = False

    def drawn(
        self, bugs: Sequence[PlantedBug], texts: Mapping[str, str], redactor: redaction.Redactor
    ) -> tuple[tuple[Planted, ...], tuple[str, ...]]:
        """Return the changes, and a notice of bugs that cannot be planted; others are drawn in their place.

        Args:
            bugs: All bugs to draw from.
            texts: The text files of the project, by path.
            redactor: Removes secrets from changes.

        Raises:
            UsageError: ``sample`` is negative.
        """
        if self.sample < 0:
            raise UsageError(f"sample must be 0 (all) or more; it is {self.sample}.")
        changes_per_bug = 2 if self.with_repairs else 1
        drawn, problems = list[Planted](), list[str]()
        for bug in random.Random(self.seed).sample(bugs, len(bugs)):  # noqa: S311 -- nothing secret
            if self.sample and len(drawn) >= self.sample * changes_per_bug:
                break
            try:
                drawn += self._changes(bug, texts, redactor)
            except ValueError as error:
                problems.append(f"{bug.name} ({error})")
        if not problems:
            return tuple(drawn), ()
        shown = tidying.one_line("; ".join(problems[:_NAMED]), 600)
        more = f" and {len(problems) - _NAMED} more" if len(problems) > _NAMED else ""
        return tuple(drawn), (f"[WARN] Planted bugs passed over: {shown}{more}.",)

    def _changes(self, bug: PlantedBug, texts: Mapping[str, str], redactor: redaction.Redactor) -> list[Planted]:
        """Return the change that plants ``bug``, and where wanted its repair; ``ValueError`` where it is impossible."""
        occurrences = Counter({path: text.count(bug.old) for path, text in texts.items()} if bug.old else {})
        if occurrences.total() != 1:
            raise ValueError(f"its text occurs in {occurrences.total()} places of the project")
        ((path, _),) = occurrences.most_common(1)
        original, with_bug = texts[path], texts[path].replace(bug.old, bug.new)
        changes = [planted(bug.name, path, (original, with_bug), redactor)]
        if self.with_repairs:
            changes.append(planted(bug.name, path, (with_bug, original), redactor, is_repair=True))
        return changes


_NAMED = 5


def project_texts(project: Path, environment: Mapping[str, str], ignored: Iterable[Path]) -> dict[str, str]:
    """Return the text files of a project by their paths, except for those in the folders that are ``ignored``.

    Files that may hold secrets, links, files over 1 MiB and files that are no UTF-8 text are left out.
    """
    ignored_folders = [folder.resolve() for folder in ignored]
    texts: dict[str, str] = {}
    for path in anyio.run(list_files, project, environment):
        file = project / path
        if secret_shapes.may_hold_secrets(path) or file.is_symlink():
            continue
        if any(map(file.resolve().is_relative_to, ignored_folders)):
            continue
        try:
            if file.is_file() and file.stat().st_size <= _FILE_LIMIT:
                texts[path] = file.read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            continue
    return texts


class PlantedBugs:
    """Puts planted bugs to reviewers."""

    def __init__(self, app: App, options: Options[Any], changes: Sequence[Planted], limits: Limits) -> None:
        """Check everything that would prevent the reviews, before anything is paid.

        Raises:
            SparringError: As for a single review; or a requested review would not be blind.
        """
        for name in _OTHER_CHANGES:
            if getattr(options, name):
                raise UsageError(f"--bench reviews planted bugs and nothing else; leave out --{name}.")
        if not changes:
            raise UsageError("None of the planted bugs applies to this project.")
        options = options.model_copy(update={"author": NO_AUTHOR})
        request = app.request(options, AccompanyingInput(is_by_user=True, change=changes[0].change))
        if not isinstance(request, ReviewRequest) or request.repo_access is not RepoAccess.NONE:
            raise UsageError(
                "Reviewers that may open files could look planted bugs up.", hint="Leave out --repo-access."
            )
        self._app = app
        self._request = request.model_copy(update={"dismissed": (), "notices": ()})
        self._changes = changes
        self._limits = limits
        self._spent = Spent()
        self._reviewed: dict[int, ReviewedBug] = {}
        self.notices = request.notices
        app.roster.sweep()

    async def dry_run(self) -> DryRun:
        """Return what the asks that are left would take, without asking.

        Raises:
            StoreError: The ledger cannot be opened.
        """
        async with self._opened() as runs:
            left = await runs.left(self._all_requests())
        format_, prompts, is_paid = FORMATS[self._request.kind], self._app.prompts, self._app.roster.is_paid
        estimate = await to_thread.run_sync(dry_run, format_, left, prompts, is_paid)
        return estimate.model_copy(update={"first_prompt": "", "notices": self.notices})

    async def measure(self, begin: Callable[[Expected], None], tell: Callable[[int, ReviewedBug], None]) -> None:
        """Review every change. A later call continues after a cancellation.

        Args:
            begin: Called with the remaining calls of a run without failures, before the first of them.
            tell: Called after each change.

        Raises:
            StoreError: Answers cannot be stored.
        """
        places = anyio.Semaphore(_AT_ONCE)

        async def review(runs: KeptRuns, number: int, planted: Planted) -> None:
            async with places:
                self._reviewed[number] = reviewed = await self._review(runs, planted)
                self._spent = runs.spent
                tell(number, reviewed)

        async with self._opened() as runs:
            begin(self._expected(await runs.left(self._all_requests())))
            with raising_first(), anyio.move_on_after(self._limits.wall_s):
                async with self._app.roster.connections.acquired(), anyio.create_task_group() as group:
                    for number, planted in enumerate(self._changes):
                        group.start_soon(review, runs, number, planted)

    def _opened(self) -> AbstractAsyncContextManager[KeptRuns]:
        return opened(self._app, FORMATS[self._request.kind], self._request, self._limits)

    def _all_requests(self) -> list[ReviewRequest]:
        return [request for planted in self._changes for request in self._requests(planted)]

    def _expected(self, left: Iterable[Request]) -> Expected:
        format_, prompts = FORMATS[self._request.kind], self._app.prompts
        expected = [plan_of(format_, request, prompts).expected for request in left]
        totals = {name: sum(getattr(each, name) for each in expected) for name in Expected.model_fields}
        return Expected(**totals)

    def result(self, drawing: Drawing, drawn_of: int, notices: Iterable[str] = ()) -> BenchResult:
        """Return the result so far."""
        reviewed = tuple(
            self._reviewed.get(number) or _not_counted(planted, "it was not reviewed in time")
            for number, planted in enumerate(self._changes)
        )
        return BenchResult(
            arms=figures(reviewed, self._arm_names()),
            reviewed=reviewed,
            budget=self._budget(),
            drawn_of=drawn_of,
            seed=drawing.seed,
            spent=self._spent,
            notices=(*self.notices, *notices),
        )

    async def _review(self, runs: KeptRuns, planted: Planted) -> ReviewedBug:
        requests = self._requests(planted)
        reviews = list[Run]()
        for request in requests:
            run = await runs.run(request)
            if isinstance(run, str):  # why a limit has no room for it
                return _not_counted(planted, run)
            if problem := reason_not_counted(run):
                return _not_counted(planted, problem)
            reviews.append(run)
        by_one_reviewer = reviews[0]
        by_all = reviews[1] if len(reviews) > 1 else None
        return ReviewedBug(
            name=planted.name,
            place=planted.place,
            is_repair=planted.is_repair,
            runs=tuple(runs.key(request).hex() for request in requests),
            hits=count_hits(planted.place, by_one_reviewer, by_all),
        )

    def _requests(self, planted: Planted) -> tuple[ReviewRequest, ...]:
        update = {"change": planted.change, "redactions": planted.redactions}
        return bench_requests(self._request.model_copy(update=update))

    def _arm_names(self) -> dict[Arm, str]:
        reviewers = self._request.reviewers
        first, all_tools = reviewers[0].tool, ", ".join(reviewer.tool for reviewer in reviewers)
        return {
            Arm.ONCE: f"{first} once",
            Arm.AGAIN: f"{first} {_repeats(self._request)} times",
            Arm.JOINED: f"{all_tools} joined",
            Arm.CONFIRMED: f"{all_tools} cross-examined: confirmed",
            Arm.STANDING: f"{all_tools} cross-examined: confirmed or contested",
        }

    def _budget(self) -> str:
        first, times = self._request.reviewers[0].tool, _repeats(self._request)
        if not _can_join(self._request):
            return f"All reviewers are of one family, so that nothing is joined: {first} is asked {times} times."
        return (
            f"Equal budget: {first} {times} times and {times} reviewers joined have as many calls for each change. "
            f"“Once” is the first answer of the former; cross-examination continues from those of the latter, and "
            "what it asks beyond them is in its rows."
        )


_OTHER_CHANGES = ("what", "staged", "plan", "since", "about")


def bench_requests(request: ReviewRequest) -> tuple[ReviewRequest, ...]:
    """Return the reviews of a change: by the first reviewer repeatedly, and by all if their findings can be joined."""
    first = request.reviewers[0]
    by_one_reviewer = request.model_copy(update={"reviewers": (first,) * _repeats(request), "examined": 0})
    return (by_one_reviewer, request) if _can_join(request) else (by_one_reviewer,)


def _can_join(request: ReviewRequest) -> bool:
    """Return whether the reviewers are of enough model families for their findings to be joined."""
    return len({reviewer.family for reviewer in request.reviewers}) >= FAMILIES_NEEDED


def _repeats(request: ReviewRequest) -> int:
    count = len(request.reviewers)
    return count if count > 1 else _USUAL_REPEATS


def _not_counted(planted: Planted, problem: str) -> ReviewedBug:
    return ReviewedBug(name=planted.name, place=planted.place, is_repair=planted.is_repair, problem=problem)
