"""Material that goes with a question: files, a diff, what came through a pipe."""

from pydantic import Field

from sparring.schema.base import Record


class ContextSize(Record):
    """Where a piece of material is from, and how many bytes it had before secrets were taken out."""

    name: str = Field(min_length=1)
    size_bytes: int = Field(ge=0)


class ContextPart(ContextSize):
    """A piece of material as it was read. It is kept whole, so that a resumed run needs no second look at the world."""

    text: str

    @property
    def size(self) -> ContextSize:
        """What can be said of it without repeating it."""
        return ContextSize(name=self.name, size_bytes=self.size_bytes)
