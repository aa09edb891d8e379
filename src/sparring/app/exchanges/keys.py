"""The key of an exchange: a digest of everything that determines the request and its provider."""

import hashlib
import json

from msgspec import Struct

from sparring.schema.consultation import Question
from sparring.store.exchanges.sql import Key

_NOT_IN_KEY = {"stable", "brief", "timeout_s", "keep_session", "model"}
"""Fields of a question that are not part of its key; a field added to questions is part of it by default."""

_BYTES = 16


class ExchangeKeys(Struct, frozen=True):
    """The keys of one question: one for each attempt.

    Two seats that ask one tool in the same words need an answer each, so the number of the sample is part of the key.
    A failed attempt is kept, and the next one is another exchange.
    """

    digest: bytes

    @classmethod
    def of(cls, question: Question, provider: str, model: str) -> "ExchangeKeys":
        """Return the keys of ``question`` to ``provider``; ``model`` applies where the question names none."""
        asked = question.model_dump(mode="json", exclude=_NOT_IN_KEY)
        parts = {**asked, "model": question.model or model, "provider": provider, "sample": question.sample}
        return cls(hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).digest())

    def key(self, attempt: int) -> Key:
        """Return the key of that attempt, counted from 1."""
        return hashlib.sha256(self.digest + b"%d" % attempt).digest()[:_BYTES]
