"""Options of a review, and the request they become: the change and its reviewers."""

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

from msgspec.structs import replace
from pydantic import BeforeValidator, Field, ValidationError

from sparring.errors import UsageError
from sparring.participants import options as shared
from sparring.participants import seats
from sparring.participants.authors import authors_of
from sparring.schema.authors import Author, AuthorSource, Independence, independence
from sparring.schema.base import LIST_LIMIT, RULE_BASED_TOOL, Effort, RepoAccess, Role
from sparring.schema.changes import digest_of
from sparring.schema.review import (
    EXAMINED,
    FAMILIES_NEEDED,
    MOST_REVIEWERS,
    DefectSeverity,
    Dismissal,
    Dismissals,
    LastReview,
    Reviewer,
    ReviewRequest,
)

LAST_REVIEW = "review/last-review.json"
DISMISSED = "review/dismissed.json"

USUAL_REVIEWERS = 3
_LAST = "last"


def _words(value: object) -> object:
    """Split a line of words, so that an interface may pass one line instead of a list."""
    return tuple(value.split()) if isinstance(value, str) else value


class ReviewOptions(shared.Options[ReviewRequest]):
    """Without reviewers sparring chooses them; without a subject the uncommitted changes are reviewed."""

    format: ClassVar[str] = "review"
    presets: ClassVar[Mapping[shared.Preset, Mapping[str, object]]] = {
        shared.Preset.QUICK: {"effort": "low", "examine": 5},
        shared.Preset.THOROUGH: {"effort": "high", "examine": LIST_LIMIT, "timeout_s": 900.0},
    }

    what: Annotated[
        tuple[str, ...],
        BeforeValidator(_words),
        shared.Option(
            "Subject: `diff` (the uncommitted changes, by default), REV..REV, or whole files.",
            mcp='Empty: the uncommitted changes; "REV..REV"; paths',
            is_subject=True,
        ),
    ] = ()
    staged: Annotated[bool, shared.Option("Review what is staged.", mcp=None)] = False
    plan: Annotated[
        str, shared.Option("Review a plan or document: its lines.", mcp="A document: its path", value="PATH")
    ] = ""
    about: Annotated[
        str, shared.Option("What the change is meant to do.", mcp="What it is meant to do", is_hinted=True)
    ] = ""
    participants: Annotated[
        str,
        shared.with_option(
            "Reviewers: claude,codex:MODEL,gemini. By default a tool of each family, at most three.",
            mcp="claude,codex:MODEL,host (you); empty: a family each",
        ),
    ] = ""
    author: Annotated[
        str,
        shared.Option(
            "Who wrote the change: TOOL, TOOL:MODEL, FAMILY, or `none`. A reviewer of that family is not independent. "
            "By default the host's family, and those that commits name (Co-Authored-By).",
            mcp=None,
            value="TOOL|FAMILY",
            is_setting=True,
        ),
    ] = ""
    fail_on: Annotated[
        DefectSeverity | None,
        shared.Option(
            "Exit with 1 if a confirmed finding is at least this severe: critical, major, minor or note.",
            is_hinted=True,
            is_rare=True,
        ),
    ] = None
    dismissed_in: Annotated[
        str,
        shared.Option(
            "A file of dismissals (`sparring review dismissed --json`), read from the commit compared with.",
            mcp=None,
            value="PATH",
            is_setting=True,
        ),
    ] = ""
    since: Annotated[str, shared.Option("`last`: only what changed since the last review.", mcp=None, value="last")] = (
        ""
    )
    examine: Annotated[
        int,
        Field(json_schema_extra={"minimum": 0, "maximum": LIST_LIMIT}),
        shared.Option(
            "Maximum of findings of a single family that another family tries to refute.", mcp=None, is_setting=True
        ),
    ] = EXAMINED
    max_kib: Annotated[int | None, shared.max_kib(f"{seats.REVIEW_KIB} of the change")] = None
    allow_secret_files: shared.SecretFiles = False
    repo_access: shared.Access = RepoAccess.NONE
    language: Annotated[str, shared.Option("Language of the findings: en, vi, ...", mcp=None, value="LANGUAGE")] = "en"
    effort: shared.EffortOption = Effort.MEDIUM
    preset: shared.PresetOption = None
    substitute: shared.SubstituteOption = ""
    timeout_s: Annotated[float, shared.timeout(mcp=None)] = 300.0


def complete(options: ReviewOptions, project: seats.ProjectContext) -> ReviewRequest:
    """Return the request; raises ``UsageError`` if it contradicts itself or names something that does not exist."""
    if options.since not in ("", _LAST):
        raise UsageError(f"--since can be `last` and nothing else; it is {options.since[:40]!r}.")
    if not 0 <= options.examine <= LIST_LIMIT:
        raise UsageError(f"examine must be 0 to {LIST_LIMIT}; it is {options.examine}.")
    query = seats.ChangeQuery(
        what=options.what,
        is_staged=options.staged,
        plan=options.plan,
        limit_kib=seats.REVIEW_KIB if options.max_kib is None else options.max_kib,
        secrets_allowed=options.allow_secret_files,
    )
    authors = authors_of(options.author, project.signed_by(query), project.tools)
    chosen = choose_reviewers(options.participants, project.tools, authors)
    reviewers = tuple(
        Reviewer(tool=each.tool, model=each.model, family=seats.family_of(each.tool, project.tools, each.model))
        for each in chosen
    )
    about = project.redact(options.about)
    # Parts that the last review has seen are left out only if it was a review under the same terms.
    terms = digest_of(
        sorted((reviewer.tool, reviewer.model, reviewer.family) for reviewer in reviewers),
        sorted((author.family, author.model) for author in authors),
        about.text.strip(),
        options.repo_access,
        options.effort,
    )
    seen, seen_notices = _seen(options, project, terms)
    part_bytes = seats.part_bytes(chosen, project.tools)
    read = project.change(replace(query, terms=terms, seen=seen, part_bytes=part_bytes))

    own = project.kept(DISMISSED, Dismissals) or Dismissals()
    of_base, base_notices = _dismissed_in_base(options.dismissed_in.strip(), read.change.base, project)
    dismissed = {each.id: each for each in of_base} | {each.id: each for each in own.dismissed}
    notices = [
        *project.tools.notices,
        *_notices(reviewers, authors, options.repo_access, project.tools),
        *seen_notices,
        *project.foreign(DISMISSED),
        *base_notices,
        *read.notices,
    ]
    return shared.valid(
        lambda: options.as_request(
            ReviewRequest,
            change=read.change,
            about=about.text.strip(),
            reviewers=reviewers,
            examined=options.examine,
            dismissed=tuple(dismissed.values()),
            language=shared.language(options.language),
            redactions=about.count + read.redactions,
            authors=authors,
            unnamed=() if options.participants.strip() else (Role.REVIEWER, Role.EXAMINER),
            notices=tuple(notices),
        )
    )


def _dismissed_in_base(
    path: str, base: str | None, project: seats.ProjectContext
) -> tuple[tuple[Dismissal, ...], tuple[str, ...]]:
    """The dismissals in that file at ``base``, and a notice if there are none. The change cannot alter them."""
    if not path:
        return (), ()
    if base is None:
        raise UsageError("dismissed_in is read from the commit that is compared with; here there is none.")
    text = project.text_in_commit(path, base)
    if text is None:
        return (), (f"Nothing is dismissed: {base[:12]} has no file {path}.",)
    try:
        return Dismissals.model_validate_json(text).dismissed, ()
    except ValidationError as error:
        problem = f"{path} in {base[:12]} contains no dismissals."
        raise UsageError(problem, hint=f"Make it: sparring review dismissed --json > {path}") from error


def _seen(options: ReviewOptions, project: seats.ProjectContext, terms: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return what need not be reviewed again: nothing if the last review was incomplete, or under other terms."""
    if not options.since:
        return frozenset(), ()
    last = project.kept(LAST_REVIEW, LastReview)
    if last is None:
        raise UsageError("There is no earlier review in this project.", hint="Leave --since out.")
    if not last.has_quorum:
        return frozenset(), ("[WARN] The last review is not complete: all is reviewed again.",)
    if last.terms != terms:
        return frozenset(), ("[WARN] The last review had other reviewers or options: all is reviewed again.",)
    return frozenset(last.seen), ()


def choose_reviewers(spelled: str, roster: seats.Tools, authors: Sequence[Author] = ()) -> tuple[seats.NamedTool, ...]:
    """Return the named reviewers, or one of each family, first those that did not write the change.

    Raises:
        UsageError: There are too many, or one of them does not exist or cannot review.
        SparringError: No tool can review.
    """
    named = seats.split_tools(spelled)
    if not named:
        return _usual(roster, authors)
    if len(named) > MOST_REVIEWERS:
        raise UsageError(f"A review has at most {MOST_REVIEWERS} reviewers; {len(named)} are named.")
    for each in named:
        roster.spec(each.tool)  # raises where there is no such tool
        if each.tool == RULE_BASED_TOOL:
            raise UsageError(f"{RULE_BASED_TOOL} has no model, and cannot review.", hint="Name AI tools.")
    return named


def _usual(roster: seats.Tools, authors: Sequence[Author]) -> tuple[seats.NamedTool, ...]:
    tools = seats.one_of_each_family(roster.ai_tools(), roster)
    if roster.host and len(tools) < FAMILIES_NEEDED:
        tools = seats.one_of_each_family((*tools, roster.host), roster)
    if not tools:
        return (seats.NamedTool(seats.further_tool((), roster)),)
    wrote = {author.family for author in authors}
    tools = sorted(tools, key=lambda tool: seats.family_of(tool, roster) in wrote)
    return tuple(seats.NamedTool(tool) for tool in tools[:USUAL_REVIEWERS])


def _notices(
    chosen: Sequence[Reviewer], authors: Sequence[Author], access: RepoAccess, roster: seats.Tools
) -> tuple[str, ...]:
    """Return warnings about the choice of reviewers, first what it means for the result."""
    seated = [seats.NamedTool(reviewer.tool, reviewer.model) for reviewer in chosen]
    notices = [
        *seats.unknown_family_notices(seated, roster),
        *seats.access_notices([reviewer.tool for reviewer in chosen], access, roster),
    ]
    if warning := _independence_notice(chosen, authors):
        notices.insert(0, warning)
    return tuple(notices)


def _independence_notice(chosen: Sequence[Reviewer], authors: Sequence[Author]) -> str:
    """Return a warning if too few reviewers are independent of each other and of the authors; empty if enough are.

    A finding is confirmed by two families. A reviewer of an author's family counts if it is another model, or not.
    """
    families = dict.fromkeys(reviewer.family for reviewer in chosen)
    if len(families) < FAMILIES_NEEDED:
        return f"[WARN] All reviewers are of one family ({', '.join(families)}): the review can only end incomplete."

    dependent: list[Reviewer] = []
    weaker: list[Reviewer] = []
    counted: dict[str, Independence] = {}
    for reviewer in dict.fromkeys(chosen):
        degree = independence(reviewer.family, reviewer.model, authors, is_named=reviewer.model is not None)
        if degree is Independence.SAME:
            dependent.append(reviewer)
            continue
        if degree is Independence.OTHER_MODEL:
            weaker.append(reviewer)
        counted[reviewer.family] = degree
    independent_families = sum(degree is Independence.INDEPENDENT for degree in counted.values())
    if len(counted) >= FAMILIES_NEEDED and independent_families >= FAMILIES_NEEDED:
        return ""

    wrote = f"The change was written by {_names_of_authors(authors)}" if authors else ""
    if len(counted) < FAMILIES_NEEDED or not independent_families:
        if dependent:
            names = ", ".join(reviewer.tool for reviewer in dependent)
            problem = f"[WARN] {wrote}, so {names} does not count: the review can only end incomplete."
        else:
            problem = f"[WARN] {wrote}, and no reviewer is of another family: the review can only end incomplete."
        return f"{problem} Add a reviewer of another family, or name another model: --with TOOL:MODEL,OTHER."
    names = ", ".join(reviewer.tool for reviewer in weaker)
    return f"{wrote}: {names} counts, since it is another model; that is weaker than another family."


def _names_of_authors(authors: Sequence[Author]) -> str:
    """E.g. ``claude (the host)``."""
    sources = {AuthorSource.HOST: " (the host)", AuthorSource.TRAILER: " (by a commit's trailer)"}
    names = [f"{author.family}{sources.get(author.source, '')}" for author in authors]
    return ", ".join(dict.fromkeys(names))
