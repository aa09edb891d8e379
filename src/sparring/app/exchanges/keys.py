"""The key of an exchange: a digest of all that decides what is asked, and of whom."""

import hashlib
import json
from dataclasses import dataclass

from sparring.schema.consultation import Question
from sparring.store.exchanges.sql import Key

_NOT_IN_KEY = {"stable", "brief", "timeout_s", "keep_session", "model"}
"""Fields of a question that do not decide what a provider is asked; whatever is added to a question does."""

_BYTES = 16


@dataclass(frozen=True)
class ExchangeKeys:
    """The keys of one question: one for each attempt.

    Two seats that ask one tool in the same words want an answer each, so the number of the sample is part of the key.
    A failed attempt is kept, and the next one is another exchange.
    """

    digest: bytes

    @classmethod
    def of(cls, question: Question, provider: str, model: str) -> "ExchangeKeys":
        """The keys of ``question`` to ``provider``; ``model`` is the one that answers where the question names none."""
        asked = question.model_dump(mode="json", exclude=_NOT_IN_KEY)
        parts = {**asked, "model": question.model or model, "provider": provider, "sample": question.sample}
        return cls(hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).digest())

    def key(self, attempt: int) -> Key:
        """The key of that attempt, counted from 1."""
        return hashlib.sha256(self.digest + b"%d" % attempt).digest()[:_BYTES]
