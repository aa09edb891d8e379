"""VERIFY quotes: is a quote really in the evidence, and where (design: Checks, Quotes)?

Nothing but finding it, word for word, makes a quote verbatim. Similarity only points to what may have been meant.

Policy where a reader could argue either way: letter case, accents and the grouping of digits count. A full stop that
the quote adds at its end does not. An ellipsis inside is checked part by part, in order, within one source; each part
needs two words, and what is left out may hold no negation. One word is a quote like any other; whether it is enough
to carry a claim is for whoever asked.
"""

from sparring.checks.quotes.evidence import Evidence

__all__ = ["Evidence"]
