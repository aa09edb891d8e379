"""Whether what a judge cites was ever said; by code, since a verdict is to rest on the debate and on nothing else."""

from collections.abc import Iterable
from dataclasses import dataclass

from sparring.formats.debate.lettering import side_of
from sparring.formats.debate.reading import Cited, Reply
from sparring.formats.debate.sides import Sides
from sparring.schema.debate import CitedArgument, Side


@dataclass(frozen=True)
class Checked:
    """A reply whose citations were looked up.

    Attributes:
        arguments: What was really said, in the words of the transcript.
        unanswered: The same, of the challenges that it says were left unanswered.
        invented: What nobody, or the other side, has said.
    """

    reply: Reply
    winner: Side
    arguments: tuple[CitedArgument, ...]
    unanswered: tuple[CitedArgument, ...]
    invented: tuple[Cited, ...]

    @property
    def supports_winner(self) -> bool:
        """Whether it cites an argument that the side it picked has made."""
        return any(argument.side is self.winner for argument in self.arguments)


def check(reply: Reply, sides: Sides) -> Checked:
    """``reply`` with every citation looked up in what that side has said."""
    return Checked(
        reply=reply,
        winner=side_of(reply.winner, sides.order),
        arguments=_located(reply.arguments, sides),
        unanswered=_located(reply.unanswered, sides),
        invented=tuple(cited for cited in (*reply.arguments, *reply.unanswered) if not _locate(cited, sides)),
    )


def _located(cited: Iterable[Cited], sides: Sides) -> tuple[CitedArgument, ...]:
    found = (_locate(each, sides) for each in cited)
    return tuple(dict.fromkeys(argument for argument in found if argument))


def _locate(cited: Cited, sides: Sides) -> CitedArgument | None:
    return sides.locate(side_of(cited.side, sides.order), cited.quote)
