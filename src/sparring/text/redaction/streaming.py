"""Redact a text that comes in pieces and may have no end, with bounded memory and without holding lines back.

Whole lines are redacted and given out as soon as they are there. What may reach over lines is taken care of twice:
the lines given out last are looked at again as the surroundings of the next ones (the name of a secret may stand in
a line of its own), and a private key that has begun is held back until it ends. What is held back is bounded; a line
or a key block longer than that is given out in parts, and a secret at the seam of two parts may be missed.
"""

import re

from sparring.text.redaction import Redactor

LONGEST_LINE = 1 << 20
"""Most characters held back for the end of a line."""

LONGEST_BLOCK = 1 << 16
"""Most characters held back for the end of a key block; the longest keys in use have 13,000."""

_CONTEXT = 2048
_KEY_BEGINS = "-----BEGIN "
_BEGINNING = re.compile(r"-----BEGIN [A-Z0-9 _-]{0,100}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END [A-Z0-9 _-]{0,100}-----")
_SEAM = re.compile(r"[\s,;](?=[^\s,;]*\Z)")


class StreamRedactor:
    """Redacts one text piece by piece.

    Attributes:
        kinds: How many secrets of each kind were taken out so far.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""
        self._context = ""
        self.kinds: dict[str, int] = {}

    def feed(self, piece: str) -> str:
        """Take the next piece, and give out what can be given out."""
        self._held += piece
        end = self._end_of_ready()
        ready, self._held = self._held[:end], self._held[end:]
        return self._redacted(ready)

    def finish(self) -> str:
        """Give out the rest."""
        ready, self._held = self._held, ""
        return self._redacted(ready)

    def _end_of_ready(self) -> int:
        held = self._held
        end = held.rfind("\n") + 1
        if not end and len(held) > LONGEST_LINE:
            seam = _SEAM.search(held, len(held) - _CONTEXT)
            end = seam.end() if seam else len(held)
        begun = list(_BEGINNING.finditer(held, 0, end)) if _KEY_BEGINS in held else []
        opened = begun[-1] if begun else None
        if opened and not _END.search(held, opened.end(), end) and len(held) - opened.start() < LONGEST_BLOCK:
            return held.rfind("\n", 0, opened.start()) + 1
        return end

    def _redacted(self, ready: str) -> str:
        if not ready:
            return ""
        redacted = self._redactor.redact(self._context + ready)
        if redacted.text.startswith(self._context):
            result = redacted.text[len(self._context) :]
        else:  # a secret reaches back into what was given out already
            redacted = self._redactor.redact(ready)
            result = redacted.text
        for kind in redacted.kinds:
            self.kinds[kind] = self.kinds.get(kind, 0) + 1
        last = self._context + result
        self._context = last[last.find("\n", -_CONTEXT) + 1 :] if len(last) > _CONTEXT else last
        return result
