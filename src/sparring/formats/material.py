"""How material that goes with a question is put before a model: quoted, and said to be no instruction."""

from sparring.prompts import PromptLibrary
from sparring.schema.context import ContextPart


def framed(context: tuple[ContextPart, ...], prompts: PromptLibrary) -> str:
    """``context`` as one block, each part between fences that nothing inside can close."""
    parts = (
        prompts.render("consult/part", {"number": str(number), "name": part.name, "text": part.text})
        for number, part in enumerate(context, start=1)
    )
    return prompts.render("consult/material", {"count": str(len(context)), "parts": "\n".join(parts).strip()}).strip()
