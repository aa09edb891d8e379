"""A dry run in words: the participants, the number of calls, and the price as far as it is known."""

from collections.abc import Iterator

from sparring.reports.runs import estimated_tokens_text, number_of
from sparring.schema.dry_run import DryRun, SeatCalls, TableState
from sparring.schema.runs import CHARACTERS_PER_TOKEN
from sparring.text.tidying import one_line

_NAME_SHOWN = 100


def dry_run_text(estimate: DryRun) -> str:
    """All of it, over several lines."""
    return "\n".join(_lines(estimate))


def _lines(estimate: DryRun) -> Iterator[str]:
    yield f"No tool was called. A {estimate.kind} would take:"
    if estimate.rows:
        yield table_state_line(estimate.rows)
    calls = estimate.calls
    usual = f", {calls.usual:,} if {estimate.expected_if}" if estimate.expected_if else f", usually {calls.usual:,}"
    is_exact = calls.fewest == calls.most
    yield f"Calls: {calls.fewest:,}" if is_exact else f"Calls: {calls.fewest:,} to {calls.most:,}{usual}"
    tokens = estimated_tokens_text(estimate.prompt_tokens)
    yield f"Prompts: {tokens} (an estimate: {CHARACTERS_PER_TOKEN} characters a token)"
    yield "Price: unknown before the first call" if estimate.cost_usd is None else "Price: nothing"
    for seat in estimate.seats:
        yield f"- {_seat(seat)}: {seat.role}, {number_of(seat.calls, 'call')}"
    if estimate.first_prompt:
        yield f"\nThe first prompt:\n\n{estimate.first_prompt}"


def _seat(seat: SeatCalls) -> str:
    more = [one_line(seat.model, _NAME_SHOWN)] if seat.model else []
    more += [f"effort {seat.effort}"] if seat.effort else []
    return f"{seat.tool} ({', '.join(more)})" if more else seat.tool


def table_state_line(state: TableState) -> str:
    """E.g. ``Of 1,000 rows 200 were judged before, 300 with other seats or prompts and are taken, 500 are left.``."""
    aside = (
        (state.reused, "with other settings and are taken as they are"),
        (state.repeated, "say the same as another"),
        (state.rejected, "cannot be judged"),
    )
    known = "".join(f", {count:,} {what}" for count, what in aside if count)
    return f"Of {state.rows:,} rows {state.judged_before:,} were judged before{known}, {state.remaining:,} are left."
