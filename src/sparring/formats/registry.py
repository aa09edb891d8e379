"""The formats there are: a new one is a folder, its prompts, and its line here."""

from sparring.engine.format import Format, Rules
from sparring.formats import chaired_debate, consult, debate, fact_check, jury
from sparring.prompts import PromptLibrary
from sparring.schema.base import Record
from sparring.schema.runs import Request, RunKind

FORMATS: dict[str, Format] = {
    format_.name: format_
    for format_ in (consult.FORMAT, debate.FORMAT, chaired_debate.FORMAT, fact_check.FORMAT, jury.FORMAT)
}


def format_of(what: Request | RunKind) -> Format:
    """The format of a request, or of a kind of run."""
    return FORMATS[what.kind if isinstance(what, Record) else what.value]


def rules(request: Request, prompts: PromptLibrary) -> Rules:
    """The rules of the run that ``request`` asks for."""
    return format_of(request).rules(request, prompts)
