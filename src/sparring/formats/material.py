"""How material that goes with a question is put before a model: quoted, and said to be no instruction."""

from sparring.prompts import PromptLibrary
from sparring.schema.context import ContextPart
from sparring.text.tidying import one_line

_NAME_SHOWN = 200
"""Characters of a part's name. A file may be called anything, with line ends as well."""


def framed(context: tuple[ContextPart, ...], prompts: PromptLibrary) -> str:
    """``context`` as one block, each part between fences that nothing inside can close."""
    parts = (
        prompts.render(
            "consult/part", {"number": str(number), "name": one_line(part.name, _NAME_SHOWN), "text": part.text}
        )
        for number, part in enumerate(context, start=1)
    )
    return prompts.render("consult/material", {"count": str(len(context)), "parts": "\n".join(parts).strip()}).strip()
