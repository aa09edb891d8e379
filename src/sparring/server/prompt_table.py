"""What the prompts are called and can be given. It stands here, so that listing them reads no file.

That this is what the skills say, and what the tools take, is tested.
"""

from dataclasses import dataclass
from enum import Enum, auto


class Offer(Enum):
    """What is offered for an argument whose values are not known beforehand.

    ``OTHER_TOOLS`` are several as well, without the host, which cannot consult itself.
    """

    NOTHING = auto()
    TOOL = auto()
    TOOLS = auto()
    OTHER_TOOLS = auto()


@dataclass(frozen=True)
class Argument:
    """One argument. ``values`` are those that it can have, or what is offered for it."""

    name: str
    description: str
    values: tuple[str, ...] | Offer = Offer.NOTHING


@dataclass(frozen=True)
class SkillPrompt:
    """One prompt. ``subject`` is what it is about: the words before the flags, and the argument that is required."""

    name: str
    title: str
    description: str
    subject: Argument
    options: tuple[Argument, ...]

    def argument(self, name: str) -> Argument | None:
        """The argument of that name."""
        return next((argument for argument in (self.subject, *self.options) if argument.name == name), None)


def _numbers(first: int, last: int) -> tuple[str, ...]:
    return tuple(str(number) for number in range(first, last + 1))


def _tool(name: str, description: str) -> Argument:
    return Argument(name, description, Offer.TOOL)


def _tools(name: str, description: str) -> Argument:
    return Argument(name, description, Offer.TOOLS)


_EFFORT = Argument("effort", "low, medium, high or max", ("low", "medium", "high", "max"))
_CONTEXT = Argument("context", '"diff", or "file=PATH" for a file of the project', ("diff", "file="))
_LANGUAGE = Argument("language", "Of the reasons: en, vi, ...", ("en", "vi"))

PROMPTS = (
    SkillPrompt(
        "debate",
        "Debate",
        "Two AI tools argue a question, a judge picks a side",
        Argument("topic", "The question to argue about"),
        (
            _tool("proposer", "Tool that argues for"),
            _tool("challenger", "Tool that argues against"),
            _tool("judge", "Tool that decides; host: you"),
            _tools("judges", "A panel instead: TOOL,TOOL"),
            Argument("rounds", "1 to 5", _numbers(1, 5)),
            _EFFORT,
            _CONTEXT,
        ),
    ),
    SkillPrompt(
        "consult",
        "Second opinion",
        "Ask another AI tool, or several side by side",
        Argument("question", "What to ask"),
        (
            Argument("tool", "Whom to ask: TOOL,TOOL", Offer.OTHER_TOOLS),
            Argument("model", "For a single tool"),
            Argument("count", "How often each is asked: 1 to 5", _numbers(1, 5)),
            _EFFORT,
            _CONTEXT,
        ),
    ),
    SkillPrompt(
        "fact-check",
        "Fact-check",
        "Check a claim against evidence",
        Argument("claim", "The statement to check"),
        (
            Argument("evidence", "A text to hold it against"),
            Argument("evidence_file", "A file to hold it against"),
            _tools("agents", "Who checks: TOOL,TOOL"),
            Argument("max_rounds", "1 to 5", _numbers(1, 5)),
            Argument("escalation", "When they debate: auto, always or never", ("auto", "always", "never")),
            _LANGUAGE,
            _EFFORT,
        ),
    ),
    SkillPrompt(
        "jury",
        "Jury",
        "Does a claim say the same as the text it is drawn from?",
        Argument("claim", "The headline, summary or paraphrase"),
        (
            Argument("truth", "The text it is drawn from"),
            Argument("truth_file", "A file with that text"),
            _tool("advocate", "Tool that argues for faithful"),
            _tool("skeptic", "Tool that argues against"),
            _tool("fact_checker", "Tool that compares"),
            _tool("judge", "Tool that decides"),
            Argument("rebuttals", "0 to 2", _numbers(0, 2)),
            _LANGUAGE,
            _EFFORT,
        ),
    ),
    SkillPrompt(
        "chaired-debate",
        "Chaired debate",
        "A question of fact, argued with web sources that code checks",
        Argument("topic", "A statement to argue for and against"),
        (
            _tool("promoter", "Tool that argues for"),
            _tool("detractor", "Tool that argues against"),
            _tool("chair", "Tool that rules and decides"),
            Argument("max_rounds", "1 to 10", _numbers(1, 10)),
            Argument("time_budget", "Minutes"),
            Argument("output_dir", "Folder of the project for the record"),
            _EFFORT,
            _CONTEXT,
        ),
    ),
)
