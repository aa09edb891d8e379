"""Check what belongs to a class: a method, a field, a constant, its own or that of a class it is made from.

The classes that one is made from are looked for in its own file and in those that it imports them from.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sparring.checks.citations.definitions import Definition, Source
from sparring.checks.citations.finding import Finding, not_found, verified
from sparring.checks.citations.lookup import Lookup

_BASE = re.compile(r"[A-Za-z_]\w*")
_MOST_BASES = 10
_IMPORT = re.compile(r"^from[ \t]+\.*([\w.]+)[ \t]+import[ \t]*(\([^()]*\)|[^\n]*)", re.MULTILINE)


@dataclass(frozen=True)
class _Class:
    name: str
    path: str
    source: Source
    definition: Definition

    @property
    def bases(self) -> list[str]:
        return _BASE.findall(self.definition.heading.partition(":")[0])


def member_finding(container: str, member: str, lookup: Lookup) -> Finding | None:
    """What the classes named ``container`` say of a member; None if it may be inherited from outside, or is near.

    Args:
        container: A name of which the lookup was asked where it is defined.
        member: A name that some file holds.
        lookup: The tree.
    """
    waiting = list(_classes(container, lookup.defining(container), lookup))
    seen, is_open = {container}, not waiting
    while waiting and len(seen) < _MOST_BASES:
        each = waiting.pop(0)
        if has_member(each.source, each.definition, each.name, member):
            return verified(f"it is defined in {each.path}")
        is_open |= _is_near(member, each)
        for base in each.bases:
            found = [] if base in seen else list(_classes(base, _where_from(base, each, lookup), lookup))
            is_open |= base not in seen and not found
            seen.add(base)
            waiting += found
    return None if is_open or waiting else not_found(f"{container} has no {member}")


def has_member(source: Source, found: Definition, container: str, member: str) -> bool:
    """Whether a class defines a member, in its block or beside it as Go does."""
    return source.has_member(member, found.line, found.end_line) or source.has_method_of(container, member)


def _is_near(member: str, each: _Class) -> bool:
    """Whether a name stands where it could belong to a class all the same: in Python only within it."""
    block = (each.definition.line, each.definition.end_line)
    first, last = block if each.path.endswith(".py") else (1, len(each.source.lines))
    return any(first <= each.source.line_at(offset) <= last for offset in each.source.occurrences(member))


def _classes(name: str, paths: tuple[str, ...], lookup: Lookup) -> Iterator[_Class]:
    for path in paths:
        source = lookup.source(path)
        if source:
            yield from (_Class(name, path, source, found) for found in source.definitions(name) if found.is_class)


def _where_from(name: str, user: _Class, lookup: Lookup) -> tuple[str, ...]:
    """The file that uses a name, and those that it may import it from."""
    modules = (match[1] for match in _IMPORT.finditer(user.source.text) if name in _BASE.findall(match[2]))
    found = (path for module in modules for path in lookup.listing.modules(tuple(module.split("."))))
    return (user.path, *(path for path in found if not path.endswith("/")))
