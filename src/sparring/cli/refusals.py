"""What cannot be parsed, in words of ours; the parser's own are for programmers."""

import re
from typing import Any

from sparring.text.likeness import did_you_mean

_SENTENCES = (
    (r"No such command '(.*?)'\.?(?: Did you mean '(.*?)'\?)?.*", "There is no command {0}."),
    (r"Missing (?:argument|parameter):? '?(.*?)'?\.?", "{0} is missing."),
    (r"Missing option '(.*?)'.*", "{0} is missing."),
    (
        r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)",
        "{0} is too much: words in a row need quotation marks.",
    ),
    (r"Option '(.*?)' requires an argument\.?", "{0} needs a value."),
    (r"Option '(.*?)' requires (\d+) arguments\.?", "{0} needs {1} values."),
    (r"Option '(.*?)' does not take a value\.?", "{0} takes no value."),
    (r"Invalid value for '(.*?)'(?: / '.*?')*: .*is not one of (.*?)\.?", "{0} must be one of {1}."),
    (r"Invalid value for '(.*?)'(?: / '.*?')*: .*(?:valid integer|int\b).*", "{0} must be a whole number."),
    (r"Invalid value for '(.*?)'(?: / '.*?')*: .*(?:valid number|float\b).*", "{0} must be a number."),
    (r"Invalid value for '(.*?)'(?: / '.*?')*: .*(?:valid boolean|bool\b).*", "{0} must be true or false."),
    (r"Invalid value for '(.*?)'(?: / '.*?')*: .*greater than or equal to (-?[\d.]+).*", "{0} must be at least {1}."),
    (r"Invalid value for '(.*?)'(?: / '.*?')*: .*less than or equal to (-?[\d.]+).*", "{0} must be at most {1}."),
)
"""What the parser says, and what is said instead."""


def refusal(error: Any) -> tuple[str, str]:
    """The sentence about what was typed, and where the help for it is."""
    context = getattr(error, "ctx", None)
    typed = "sparring" if context is None else context.command_path
    return _sentence(error, context), f"`{typed} --help` shows what can be typed."


def _sentence(error: Any, context: Any) -> str:
    if option := getattr(error, "option_name", "") if "No such option" in error.format_message() else "":
        known = [name for param in context.command.params for name in param.opts] if context else []
        return f"There is no option {option}.{did_you_mean(option, [*known, '--help'])}"
    message = error.format_message().strip()
    for pattern, sentence in _SENTENCES:
        if found := re.fullmatch(pattern, message, re.DOTALL):
            name, *rest = found.groups()
            meant = f" Did you mean {_either(rest[0])}?" if "command" in sentence and rest[0] else ""
            return sentence.format(_called(name), *rest) + meant
    return message if message.endswith((".", "?", "!")) else f"{message}."


def _either(quoted: str) -> str:
    """One of several names as Typer lists them: ``debate', 'batch``."""
    return " or ".join(quoted.split("', '"))


def _called(name: str) -> str:
    """An option as it is typed, an argument in capitals, as the help has it; anything else as it was typed."""
    return name.upper() if re.fullmatch(r"[a-z]+(?:_[a-z]+)+|topic|claim|question|hosts?|word", name) else name
