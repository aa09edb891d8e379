"""The authors of a change: those that are named, else the host that we run in and the trailers of the commits."""

from collections.abc import Iterable, Iterator

from sparring.errors import UsageError
from sparring.participants.seats import Tools, family_of, quoted, split_tools
from sparring.schema.authors import Author, AuthorSource
from sparring.schema.families import NAMES, canonical
from sparring.text.tidying import did_you_mean
from sparring.text.trailers import known_families

NO_AUTHOR = "none"
"""The name that stands for no model."""


def authors_of(named: str, signed: Iterable[Author], roster: Tools) -> tuple[Author, ...]:
    """Return the model families that wrote a change; empty: as far as is known, none did.

    Args:
        named: ``TOOL``, ``TOOL:MODEL`` or ``FAMILY``, several between commas; ``none``; empty: none is named.
        signed: Authors in the trailers of its commits.
        roster: The available tools.

    Raises:
        UsageError: There is no such tool and no such family.
    """
    if named.strip().lower() == NO_AUTHOR:
        return ()
    if named.strip():
        return tuple(dict.fromkeys(_named_authors(named, roster)))
    host = roster.hosted_by
    own = [Author(family=family_of(host, roster), source=AuthorSource.HOST)] if host else []
    return (*own, *signed)


def _named_authors(named: str, roster: Tools) -> Iterator[Author]:
    for each in split_tools(named):
        if each.tool in roster.tool_names:
            yield Author(family=family_of(each.tool, roster, each.model), model=each.model or "")
            continue
        families = roster.all_families | known_families() | NAMES
        family = canonical(each.tool)
        if family not in families:
            suggestion = did_you_mean(each.tool, sorted({*roster.tool_names, *families}))
            raise UsageError(
                f"There is no tool and no family named {quoted(each.tool)}.{suggestion}",
                hint=f"Name the author of the change, or `{NO_AUTHOR}`. Known families: {', '.join(sorted(families))}.",
            )
        yield Author(family=family, model=each.model or "")
