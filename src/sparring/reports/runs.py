"""Facts about any run: its request, outcome and notices; durations, costs and sizes in words."""

from collections.abc import Sequence
from datetime import datetime
from typing import Generic, TypeVar

from sparring.errors import DeliberationError
from sparring.reports import independence
from sparring.reports.markdown import HARD_BREAK, inline
from sparring.schema.base import HOST_TOOL, RULE_BASED_TOOL, Participant, Record, Role, StateParticipant, ToolName
from sparring.schema.consultation import DETAIL_LIMIT, Answer, ContextSize, Failure, FailureCode, Usage
from sparring.schema.runs import CHARACTERS_PER_TOKEN, Expected, Limits, Run, Spent
from sparring.schema.transcript import Respondent
from sparring.text.tidying import one_line

_NAME_SHOWN = 100
"""Characters of a model's name that are shown. A tool may report a name of any length."""

_UNNAMED = {RULE_BASED_TOOL: "no model", HOST_TOOL: "the calling agent"}
"""Names for tools without a known model, where that is not the tool's own default."""


def number_of(number: int, noun: str) -> str:
    """E.g. ``1 call`` or ``1,024 rows``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def seconds(duration_ms: int) -> str:
    """E.g. ``8.5 s``."""
    return f"{duration_ms / 1000:.1f} s"


def cause(code: FailureCode, detail: str, duration_ms: int) -> str:
    """E.g. ``timeout after 240.0 s (no answer in time)``."""
    waited = f" after {seconds(duration_ms)}" if duration_ms else ""
    why = one_line(detail, DETAIL_LIMIT)
    return f"{code}{waited} ({why})" if why else f"{code}{waited}"


def cause_of(failure: Failure) -> str:
    """The same of a failure."""
    return cause(failure.code, failure.detail, failure.duration_ms)


def usage(used: Usage) -> str:
    """E.g. ``1,200 tokens in (900 cached), 300 out, $0.0123``."""
    cost = "cost unknown" if used.cost_usd is None else f"${used.cost_usd:.4f}"
    if used.input_tokens is None and used.output_tokens is None:
        return f"tokens unknown, {cost}"
    read = _count(used.input_tokens) + " tokens in" + _part(used.cached_tokens, "cached")
    written = _count(used.output_tokens) + " out" + _part(used.reasoning_tokens, "reasoning")
    return f"{read}, {written}, {cost}"


def answer_facts(answer: Answer, *more: str) -> str:
    """Return duration and usage of an answer, ``more``, and its warnings, in a few lines."""
    facts = [seconds(answer.duration_ms), usage(answer.usage), *more]
    facts += [f"{answer.redactions} redacted"] if answer.redactions else []
    warnings = (inline(f"[WARN] {warning}") for warning in answer.warnings)
    return "\n\n".join([inline(", ".join(facts)), *warnings])


def spending_text(spent: Spent) -> str:
    """E.g. ``5 calls, at least 1,500 tokens, cost unknown``."""
    text = f"{number_of(spent.calls, 'call')}, {_tokens(spent)}, {_cost(spent)}"
    again = spent.maybe_paid_twice
    if again:
        text += f"; {number_of(again, 'call')} {'was' if again == 1 else 'were'} retried and may be paid for twice"
    return text


def estimate_text(expected: Expected, expected_if: str = "") -> str:
    """E.g. ``5 to 9 calls, usually 6, about 1,500 tokens of prompts (an estimate: 4 characters a token)``.

    ``expected_if`` is the condition of the usual number, if there is one.
    """
    rule = f"an estimate: {CHARACTERS_PER_TOKEN} characters a token"
    calls = number_of(expected.most, "call")
    if expected.fewest < expected.most:
        usual = f"{expected.usual:,} if {expected_if}" if expected_if else f"usually {expected.usual:,}"
        calls = f"{expected.fewest:,} to {calls}, {usual}"
    return f"{calls}, {estimated_tokens_text(expected.prompt_tokens)} of prompts ({rule})"


def estimated_tokens_text(tokens: int) -> str:
    """E.g. ``about 1,500 tokens``; a small number would look more exact than an estimate is."""
    return f"about {tokens:,} tokens" if tokens >= _FEWEST_ESTIMATED else f"fewer than {_FEWEST_ESTIMATED} tokens"


_FEWEST_ESTIMATED = 100


def overspent(limits: Limits, spent: Spent) -> tuple[str, ...]:
    """Return a warning for each exceeded limit: asks under way are not interrupted for tokens or money."""
    warnings: list[str] = []
    if limits.tokens is not None and spent.tokens > limits.tokens:
        warnings.append(f"[WARN] {spent.tokens:,} tokens were used; the limit was {limits.tokens:,}.")
    if limits.cost_usd is not None and spent.cost_usd > limits.cost_usd:
        warnings.append(f"[WARN] ${spent.cost_usd:.4f} was spent; the limit was ${limits.cost_usd:g}.")
    return tuple(warnings)


def byte_size(count: int) -> str:
    """E.g. ``812 B``, ``12.4 KiB``."""
    return f"{count} B" if count < 1024 else f"{count / 1024:,.1f}".removesuffix(".0") + " KiB"


def context_sizes(context: Sequence[ContextSize]) -> str:
    """E.g. ``diff 8 KiB, src/a.py 812 B``."""
    return ", ".join(f"{one_line(part.name, _NAME_SHOWN)} {byte_size(part.size_bytes)}" for part in context)


def context_line(context: Sequence[ContextSize]) -> str:
    """E.g. ``2 parts, 8.8 KiB: diff 8 KiB, src/a.py 812 B``."""
    total = byte_size(sum(part.size_bytes for part in context))
    return f"{number_of(len(context), 'part')}, {total}: {context_sizes(context)}"


def _tokens(spent: Spent) -> str:
    if not spent.uncounted_calls:
        return f"{spent.tokens:,} tokens"
    return f"at least {spent.tokens:,} tokens" if spent.tokens else "tokens unknown"


def _cost(spent: Spent) -> str:
    if not spent.unpriced_calls:
        return f"${spent.cost_usd:.4f}"
    return f"at least ${spent.cost_usd:.4f}" if spent.cost_usd else "cost unknown"


def _count(tokens: int | None) -> str:
    return "unknown" if tokens is None else f"{tokens:,}"


def _part(tokens: int | None, name: str) -> str:
    return f" ({tokens:,} {name})" if tokens else ""


def tool_with_model(tool: ToolName, model: str | None) -> str:
    """A tool and the model behind it, e.g. ``claude (opus)``."""
    if model is None:
        return f"{tool} ({_UNNAMED.get(tool, 'its default model')})"
    return f"{tool} ({one_line(model, _NAME_SHOWN)})"


def respondent_with_model(respondent: Respondent | StateParticipant) -> str:
    """The tool that answered and its model, e.g. ``codex for claude (gpt-5)``."""
    return tool_with_model(respondent.tool, respondent.model).replace(respondent.tool, respondent.name, 1)


AnyRequest = TypeVar("AnyRequest", bound=Record)
AnyOutcome = TypeVar("AnyOutcome", bound=Record)
AnyRecord = TypeVar("AnyRecord", bound=Record)


def request_of(run: Run, kind: type[AnyRecord]) -> AnyRecord:
    """Return the request of ``run``, which must be of ``kind``.

    Raises:
        DeliberationError: The run is of another kind.
    """
    return _one_of(kind, run.header.request, run)


def _one_of(kind: type[AnyRecord], record: Record | None, run: Run) -> AnyRecord:
    if not isinstance(record, kind):
        raise DeliberationError(f"Run {run.header.run_id} is another kind of run, or has not finished.")
    return record


class FinishedRun(Generic[AnyRequest, AnyOutcome]):
    """A run of one kind that has ended."""

    def __init__(self, run: Run, request: type[AnyRequest], outcome: type[AnyOutcome]) -> None:
        """Look at ``run`` as one with such a request and such an outcome.

        Raises:
            DeliberationError: It is another kind of run, or it has not ended.
        """
        self.run = run
        self.request = request_of(run, request)
        self.outcome = _one_of(outcome, run.outcome, run)

    @property
    def notices(self) -> tuple[str, ...]:
        """Warnings for the reader, each line once."""
        run = self.run
        answered = (*independence.substitutions(run), *independence.independence_warnings(run))
        planned = independence.current_notices(run.header.request.notices, run)
        ended = run.outcome.notices if run.outcome else ()
        spent = overspent(run.header.limits, run.spent)
        return tuple(dict.fromkeys((*answered, *planned, *ended, *run.notices, *spent)))

    @property
    def at(self) -> datetime:
        """When the last turn was taken; without one, when the run began."""
        turns = self.run.transcript.turns
        return turns[-1].at if turns else self.run.header.created_at

    def about(self, asked: dict[str, str]) -> str:
        """Return the options and the estimate of the run, a fact a line; its real usage is shown first."""
        header = self.run.header
        facts = asked | ({"Expected": estimate_text(header.estimate)} if header.estimate else {})
        return HARD_BREAK.join(f"{name}: {inline(fact)}" for name, fact in facts.items())

    def respondents(self, seat: Participant, role: Role, number: int = 0) -> tuple[Respondent, ...]:
        """The tools that answered in a seat, in the order of their last answers; empty where none did.

        The model of the seat's own tool is the one it was asked to use, unless it reported another.
        """
        respondents = independence.respondents(self.run, role, number)
        own = {"model": seat.model}
        return tuple(each if each.model or each.stands_in_for else each.model_copy(update=own) for each in respondents)

    def respondent(self, seat: Participant, role: Role, number: int = 0) -> StateParticipant:
        """The tool that answered last in a seat; where none did, the tool that was asked."""
        respondents = self.respondents(seat, role, number)
        if not respondents:
            return StateParticipant(tool=seat.tool, model=seat.model)
        return StateParticipant(
            tool=respondents[-1].tool, model=respondents[-1].model, stands_in_for=respondents[-1].stands_in_for
        )

    def name_of(self, seat: Participant, role: Role, number: int = 0) -> str:
        """All tools that answered in a seat, e.g. ``claude and codex for claude``; else the tool that was asked."""
        return " and ".join(each.name for each in self.respondents(seat, role, number)) or seat.tool

    def title_of(self, seat: Participant, role: Role, number: int = 0) -> str:
        """The same with their models."""
        respondents = self.respondents(seat, role, number)
        return " and ".join(map(respondent_with_model, respondents)) or tool_with_model(seat.tool, seat.model)

    def record(self, kind: type[AnyRecord], /, **more: object) -> AnyRecord:
        """Return a record of ``kind`` with ``more``, else with the fields of outcome, run and request by name."""
        run = self.run
        removed = sum(turn.reply.redactions for turn in run.transcript.turns)
        circumstances = {
            "id": run.header.run_id,
            "spent": run.spent,
            "redactions": dict(self.request).get("redactions", 0) + removed,
            "timestamp": self.at,
            "notices": self.notices,
        }
        return record_of(kind, self.request, self.outcome, **circumstances | more)


def record_of(kind: type[AnyRecord], /, *sources: Record, **more: object) -> AnyRecord:
    """Return a record of ``kind`` with ``more``, else with the fields of the same name of the last of ``sources``."""
    known: dict[str, object] = {name: value for source in sources for name, value in source} | more
    return kind(**{name: known[name] for name in kind.model_fields if name in known})
