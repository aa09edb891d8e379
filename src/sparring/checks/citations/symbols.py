"""Check a name of the code: ``name``, ``Class.method``, ``module.func()``, ``ns::name``.

A single name is *verified* where it stands as a whole word in its letter case. Of a dotted one the parts must belong
together: the dotted text itself stands somewhere, it is a module, the module offers the name, or the class (or one of
its bases) defines it. What belongs to a class of the project and is nowhere near it is *not found*. Where something
may be inherited from outside, or both names are there and nothing joins them, nobody can say.
"""

import re
from collections.abc import Iterator

from sparring.checks.citations.definitions import Source
from sparring.checks.citations.finding import Finding, not_found, unchecked, verified
from sparring.checks.citations.lookup import Lookup
from sparring.checks.citations.members import has_member, member_finding
from sparring.checks.citations.tree import depth

SYMBOL = re.compile(r"(?P<name>[A-Za-z_]\w*(?:(?:\.|::|#|->)[A-Za-z_]\w*)*)(?P<call>\(\))?")
"""How a name is written, called or not. Plain words are written so too; see ``named_in_code``."""

_JOINTS = re.compile(r"\.|::|#|->")
_MADE_BY_SOMEBODY = re.compile(r"_|\.|::|#|->|[a-z][A-Z]|[A-Z]{2}[a-z]")
_LONGEST_SYMBOL = 120
_OFFERING = ("__init__.py", "__init__.pyi", "index.ts", "index.tsx", "index.js", "mod.rs", "lib.rs")
"""Files that speak for their folder."""


def named_in_code(words: str) -> tuple[str, ...]:
    """What stands between the dots of a name that somebody has made; empty for a plain word and everything else."""
    match = SYMBOL.fullmatch(words) if len(words) <= _LONGEST_SYMBOL else None
    if match is None or not (match["call"] or _MADE_BY_SOMEBODY.search(match["name"])):
        return ()
    return name_parts(match["name"])


def name_parts(name: str) -> tuple[str, ...]:
    """What stands between the dots (or ``::``, ``#``, ``->``) of a name."""
    return tuple(_JOINTS.split(name))


def symbol_finding(parts: tuple[str, ...], lookup: Lookup, *, is_plain_word: bool = False) -> Finding | None:
    """What the working tree says about a name; None for a word that only looks like one.

    Args:
        parts: What stands between its dots.
        lookup: The tree, asked for each of the parts.
        is_plain_word: It could be a word of any text; then it counts only where it is defined.
    """
    if is_plain_word:
        return _defined(parts[0], lookup)
    if len(parts) > 1 and (finding := _module(parts, lookup)):
        return finding
    missing = [part for part in parts if not lookup.holding(part) and not lookup.listing.modules((part,))]
    if missing:
        return _nowhere(missing[0], lookup)
    if len(parts) == 1:
        is_held = lookup.holding(parts[0])
        return verified(f"it stands in {lookup.shallowest(parts[0])}") if is_held else _module(parts, lookup)
    return _together(parts, lookup)


def symbol_finding_in(parts: tuple[str, ...], path: str, source: Source) -> Finding:
    """What the file beside a name says about it."""
    *_, container, member = ("", *parts)
    is_module = container in re.split(r"[/.]", path)
    for part in parts[-2:]:
        if not source.holds(part) and not (part == container and is_module):
            return not_found(f"{part} is not in {path}")
    if len(parts) == 1 or _is_literal(parts, source) or (is_module and source.offers(member)):
        return verified(f"it stands in {path}")
    classes = (found for found in source.definitions(container) if found.is_class)
    if any(has_member(source, each, container, member) for each in classes):
        return verified(f"it is defined in {path}")
    return unchecked(f"both names stand in {path}, but nothing in it joins them")


def _nowhere(name: str, lookup: Lookup) -> Finding:
    if not lookup.is_complete:
        return unchecked("not every file of the project was searched")
    return not_found(f"no file of the project holds {name}")


def _defined(word: str, lookup: Lookup) -> Finding | None:
    for path in lookup.defining(word):
        source = lookup.source(path)
        if source and any(source.definitions(word)):
            return verified(f"it is defined in {path}")
    return None


def _module(parts: tuple[str, ...], lookup: Lookup) -> Finding | None:
    found = lookup.listing.modules(parts)
    return verified(f"it is the module {min(found, key=depth)}") if found else None


def _together(parts: tuple[str, ...], lookup: Lookup) -> Finding:
    container, member = parts[-2:]
    for path in lookup.candidates(*(part for part in parts if lookup.holding(part))):
        source = lookup.source(path)
        if source and _is_literal(parts, source):
            return verified(f"it stands in {path}")
    for path in _offering(parts[:-1], lookup):
        source = lookup.source(path)
        if source and source.offers(member):
            return verified(f"{path} has it")
    return member_finding(container, member, lookup) or unchecked(
        "both names are there, but nothing shows that they belong together"
    )


def _is_literal(parts: tuple[str, ...], source: Source) -> bool:
    joined = r"\s{0,9}(?:\.|::|#|->)\s{0,9}".join(re.escape(part) for part in parts)
    return re.search(rf"(?<!\w){joined}(?!\w)", source.text) is not None


def _offering(parts: tuple[str, ...], lookup: Lookup) -> Iterator[str]:
    """The files of which a dotted name may be had: the module itself, and what speaks for its folder."""
    for path in lookup.listing.modules(parts):
        if not path.endswith("/"):
            yield path
            continue
        yield from (path + name for name in _OFFERING if path + name in lookup.listing.files)
