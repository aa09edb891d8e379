"""Notes of the user to those who speak: they enter the transcript as turns, and later prompts end with them."""

from collections.abc import Callable, Collection
from hashlib import sha256

from sparring.schema.base import NOTE_TAKER, Role, utc_now
from sparring.schema.consultation import Answer
from sparring.schema.transcript import Ask, Note, Transcript, Turn, TurnKind


def note_turn(note: Note) -> Turn:
    """Return the turn by which ``note`` enters the transcript; it counts as no call."""
    return Turn(
        kind=TurnKind.NOTE,
        role=Role.VERIFIER,
        round=1,
        tool=NOTE_TAKER,
        label="note",
        ask_id=note.id,
        prompt_sha256=sha256(note.text.encode()).hexdigest(),
        at=utc_now(),
        reply=Answer(tool=NOTE_TAKER, response=note.text, duration_ms=0),
    )


def with_notes(
    asks: tuple[Ask, ...], said: Transcript, kinds: Collection[TurnKind], worded: Callable[[str], str]
) -> tuple[Ask, ...]:
    """Return ``asks``; the prompts of those of these ``kinds`` end with the notes that ``said`` holds.

    Args:
        asks: Asks of one step.
        said: All that was said before.
        kinds: Kinds of turns that are shown notes.
        worded: Words a note for a prompt.
    """
    notes = [turn.answer.response for turn in said.turns if turn.kind is TurnKind.NOTE and turn.answer]
    if not notes:
        return asks
    end = "".join(f"\n{worded(note)}" for note in notes)
    return tuple(_followed(ask, end) if ask.kind in kinds else ask for ask in asks)


def _followed(ask: Ask, end: str) -> Ask:
    question = ask.question.model_copy(update={"prompt": f"{ask.question.prompt}{end}"})
    return ask.model_copy(update={"question": question})
