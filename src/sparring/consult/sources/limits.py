"""How much of the world is looked at for one source."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The bounds of looking sources up (specification: issue Rigor, Sources).

    Attributes:
        page_s: Seconds for a page, all redirects included.
        reading_s: Seconds for the text of a PDF, which takes a program of its own.
        body_bytes: Most bytes of a page, packed or unpacked.
        text_characters: Most characters of a page that are searched: searching takes seconds for millions.
        redirects: Most redirects that are followed for a page.
        addresses: Most addresses of one host that are tried.
        at_once: Pages that are fetched side by side.
        kept_pages: Pages that are remembered.
        kept_characters: Characters of theirs, all together.
        kept_s: Seconds after which a page is fetched again: a server lives longer than a debate.
    """

    page_s: float = 10.0
    reading_s: float = 10.0
    body_bytes: int = 5 * 1024 * 1024
    text_characters: int = 2_000_000
    redirects: int = 5
    addresses: int = 3
    at_once: int = 4
    kept_pages: int = 256
    kept_characters: int = 16_000_000
    kept_s: float = 3600.0
