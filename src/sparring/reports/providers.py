"""The list of providers for people."""

from collections.abc import Iterator

from sparring.schema.diagnosis import ListedProvider, ProviderList

_HEADINGS = ("", "name", "kind", "family", "defined in")


def providers_list(found: ProviderList) -> str:
    """A line a provider, and below one that is not available why not; then what else there is to tell."""
    rows = [_HEADINGS, *(_row(provider) for provider in found.providers)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    heading, *table = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    lines = [heading.rstrip()]
    for provider, line in zip(found.providers, table, strict=True):
        lines += line.rstrip(), *(f"{' ' * (widths[0] + 2)}  {why}" for why in _why_not(provider))
    lines += ["", f"Your own provider files: {found.provider_dir}"]
    lines += [f"!! {problem}" for problem in found.problems]
    lines += [f"!! {file}: ignored, since a repository must not choose what is executed" for file in found.ignored]
    return "\n".join(lines)


def _row(provider: ListedProvider) -> tuple[str, ...]:
    return "ok" if provider.available else "--", provider.name, provider.kind, provider.family, provider.origin


def _why_not(provider: ListedProvider) -> Iterator[str]:
    if not provider.available:
        yield f"{provider.problem} {provider.advice}".rstrip()
