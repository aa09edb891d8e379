"""The journal of a run that somebody else writes, read as it grows: nothing is locked and nothing changed."""

from pathlib import Path

from sparring.errors import StateCorruptError
from sparring.schema.runs import RunHeader
from sparring.schema.transcript import Turn
from sparring.store.journal import journal_stream, untrusted
from sparring.store.lines import Defect, EndLine, Link, StartLine, TurnLine, placed, unseal


class JournalFollower:
    """Reads on where it stopped. A last line that has no end yet is left for the next time.

    Attributes:
        header: What is held; None before the first line was written.
        is_over: Whether the end of the run has been read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.header: RunHeader | None = None
        self.is_over = False
        self._link = Link()
        self._read = 0

    def turns(self) -> tuple[Turn, ...]:
        """What has been said since the last time, in the order in which it was written down.

        Raises:
            StateCorruptError: A line is not as it was written, or there is no journal any more.
            StateUnwritableError: It cannot be read.
        """
        found = list[Turn]()
        with journal_stream(self.folder) as stream:
            stream.seek(self._read)
            for content in stream:
                if not content.endswith(b"\n"):
                    break  # it is being written at this moment, or was torn and will be set aside
                sealed = unseal(content, self._link)
                if isinstance(sealed, str):
                    # After a power cut the end of a line can be on disk and its middle not.
                    if sealed is Defect.NOT_JSON and not stream.read(1):
                        break
                    raise untrusted(self.folder, self._link.seq + 1, sealed)
                self._link, self._read = sealed.following, self._read + len(content)
                match sealed.line:
                    case StartLine():
                        self.header = sealed.line.body
                    case TurnLine():
                        found.append(self._placed(sealed.line.body.turn))
                    case EndLine():
                        self.is_over = True
                    case _:
                        pass
        return tuple(found)

    def _placed(self, turn: Turn) -> Turn:
        if self.header is None:
            raise StateCorruptError(f"{self.folder} holds a journal that has no beginning.")
        return placed(turn, self.header)
