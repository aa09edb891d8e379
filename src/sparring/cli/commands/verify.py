"""``sparring verify``."""

from typing import Annotated

import typer

from sparring.cli.commands.options import Json

_ROWS = "A file of one JSON object a line; `-` is standard input."

Rows = Annotated[str, typer.Argument(metavar="FILE", help=_ROWS)]
Summary = Annotated[bool, typer.Option("--json", help="Print the summary as a JSON object, on stderr.")]


def claims(rows: Rows = "-", *, as_json: Summary = False) -> None:
    """Hold claims against their evidence: JSONL in, JSONL out, a line for a line, as it comes.

    In: {"id", "claim", "evidence": ["text", ...]}; other fields are ignored.
    Out: {"id", "label", "uncovered", "findings"}, in the order of the rows.
    For a row that cannot be checked: {"line", "id", "error"}.

    Exit codes: 0 every row was checked, 1 some were not, 2 usage.
    """
    from sparring.cli.verify import verify_claims

    verify_claims(rows, as_json=as_json)


def quotes(rows: Rows = "-", *, as_json: Summary = False) -> None:
    """Look quotes up in their evidence: JSONL in, JSONL out, a line for a line, as it comes.

    In: {"id", "evidence": ["text", ...], "quote"}; other fields are ignored.
    Out: {"id", "verdict", "index", "start", "end", "nearest"}, in the order of
    the rows. For a row that cannot be checked: {"line", "id", "error"}.

    Exit codes: 0 every row was checked, 1 some were not, 2 usage.
    """
    from sparring.cli.verify import verify_quotes

    verify_quotes(rows, as_json=as_json)


def text(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The text, as Markdown or plain; `-` is standard input.")],
    *,
    evidence: Annotated[
        list[str], typer.Option(metavar="FILE", help="What it is held against. May be given several times.")
    ],
    as_json: Json = False,
) -> None:
    """Check an article or an answer against evidence: what each sentence says, and every quotation.

    Quotations are what stands in quotation marks (three words or more), and
    block quotations. Nothing is sent anywhere; files are shown with what is in
    them, secrets too, as `cat` would show them.

    Exit codes: 0 nothing contradicts the evidence, 1 a critical mismatch, or a
    quotation that is not in the evidence as it stands, 2 usage.
    """
    from sparring.cli.verify import verify_text

    verify_text(file, evidence, as_json=as_json)
