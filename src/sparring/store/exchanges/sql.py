"""SQL that the statements of all steps share."""

from sparring.store.exchanges.database import SqlStatement

Key = bytes
"""Key of an exchange: 16 bytes."""

Statements = list[SqlStatement]

DIMENSIONS = ("calls", "tokens", "cost")

LIVES = "EXISTS (SELECT 1 FROM sparring_worker WHERE id = ?)"
"""Condition that a worker has an entry."""


def for_each(text: str, join: str = ", ") -> str:
    """Return ``text`` for calls, tokens and money; ``@`` stands for the name of each."""
    return join.join(text.replace("@", name) for name in DIMENSIONS)
