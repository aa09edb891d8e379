"""What can be said about a jury."""

from typing import Annotated, ClassVar

from sparring.schema.base import Effort
from sparring.schema.jury import JuryRequest, Rebuttals
from sparring.seating.options import (
    EffortOption,
    Input,
    LanguageOption,
    Option,
    Options,
    SecretFiles,
    UntoldModel,
    timeout,
)

_INPUT = Input("-", "the claim and its truth", only_instead=True)


class JuryOptions(Options[JuryRequest]):
    """An empty seat lets sparring choose; ``provider`` fills every empty one."""

    format: ClassVar[str] = "jury"

    claim: Annotated[
        str,
        Option(
            "What is said to say the same as the truth; `-` reads standard input.",
            words="the text that was derived: all that is none of the following",
            is_subject=True,
            is_needed=True,
        ),
    ] = ""
    truth: Annotated[
        str,
        Option(
            "What the claim is held against; without it and a file it is what is piped in.",
            told='A text, or "file=PATH" (in the project)',
            words="the text that it was derived from",
            is_needed=True,
            input=_INPUT,
            is_hinted=True,
        ),
    ] = ""
    truth_file: Annotated[
        str,
        Option(
            "A file that holds the truth, UTF-8.",
            told=None,
            value="PATH",
            words="in its place, as `file=PATH`",
            file_of="truth",
            input=_INPUT,
            is_hinted=True,
        ),
    ] = ""
    allow_secret_files: SecretFiles = False
    advocate: Annotated[
        str,
        Option(
            "Tool that argues for faithful; tool:model names its model.",
            told="Tool, tool:model, or host: you; empty: chosen",
            value="TOOL",
            words="argues that the claim is faithful",
            is_hinted=True,
        ),
    ] = ""
    skeptic: Annotated[
        str, Option("Tool that argues for mutated.", value="TOOL", words="argues that it is not", is_hinted=True)
    ] = ""
    fact_checker: Annotated[
        str,
        Option(
            "Tool that goes through the checklist.",
            value="TOOL",
            words="goes through the checklist",
            is_hinted=True,
        ),
    ] = ""
    judge: Annotated[
        str,
        Option(
            "Tool that gives the verdict.", value="TOOL", words='"judged by …"; "you decide" = host', is_hinted=True
        ),
    ] = ""
    provider: Annotated[
        str,
        Option(
            "Tool for every seat not named; `offline` needs nothing.",
            told='For every empty seat; "offline" needs no AI tool',
            value="TOOL",
            words='for every seat that is not named; "without any AI tool" = offline',
        ),
    ] = ""
    rebuttals: Annotated[
        Rebuttals,
        Option(
            "Rounds in which advocate and skeptic answer each other, 0 to 2.",
            words='"quick" = 0, "thorough" = 2',
            is_hinted=True,
        ),
    ] = 1
    language: LanguageOption = "en"
    row_id: Annotated[
        str, Option("What the pair is called where it comes from.", words="what the pair is called where it comes from")
    ] = ""
    dataset: Annotated[str, Option("Where it comes from.", words="where it comes from")] = ""
    effort: EffortOption = Effort.MEDIUM
    model_advocate: UntoldModel = ""
    model_skeptic: UntoldModel = ""
    model_fact_checker: UntoldModel = ""
    model_judge: UntoldModel = ""
    timeout_s: Annotated[float, timeout()] = 240.0
