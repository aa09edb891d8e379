"""The options of a format: declared once, and offered by CLI and MCP alike (design: One place for one thing).

A format's ``Options`` is one record. The field itself is the name, type and default of an option; the ``Option`` in
its annotation describes it for people and models. Commands, MCP tools and the tables of skills and
documentation are made from that.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, TypeGuard, TypeVar, cast, get_args, get_origin

from annotated_types import Ge, Le
from msgspec import Struct
from pydantic import BaseModel, TypeAdapter, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from sparring.errors import UsageError
from sparring.schema import base, consultation, faults, runs
from sparring.text.tidying import capitalized, one_line, setting_name

if TYPE_CHECKING:  # only a review needs it
    from sparring.schema.changes import ReviewedChange


class Input(Struct, frozen=True):
    """Mark of an option that accepts piped input.

    Attributes:
        spelled: Value by which a user requests standard input, with any waiting time.
        both: The option that standard input cannot be as well, if it is the subject already.
        only_instead: Whether it is read only without any option that could take it.
    """

    spelled: str
    both: str
    only_instead: bool = False


def flag(name: str) -> str:
    """Return the flag of an option of that name, unless its descriptor names another."""
    return f"--{name.replace('_', '-')}"


class Option(Struct, frozen=True):
    """Description of an option for help, tool definitions and the command line.

    Attributes:
        help: Description for people, in a sentence or two.
        mcp: Description for models, in the schema of the tool; None: the tool does not have the option.
        value: Placeholder for its value in tables, e.g. ``TOOL``; empty: by its type.
        flags: Its flags, other than ``--`` and its name.
        metavar: Placeholder for its value in the help.
        usual: Effect without the option, where the default is nothing.
        is_subject: Whether it is the subject of the run, and is typed without a flag.
        is_hinted: Whether the hint of a skill's arguments shows it.
        examples: First values, where there are more than can be listed.
        file_of: The option of which it is another spelling: a model writes ``file=PATH`` there.
        input: Whether piped input may be its value.
        called: Its name outside of Python, if the field cannot have it.
        is_setting: Whether it is given as ``--set NAME=VALUE``, and has no flag of its own.
        is_rare: Whether models read of it only in the list of a tool's further options, as of settings.
    """

    help: str
    mcp: str | None = ""
    value: str = ""
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    usual: str = ""
    is_subject: bool = False
    is_hinted: bool = False
    examples: tuple[str, ...] = ()
    file_of: str = ""
    input: Input | None = None
    called: str = ""
    is_setting: bool = False
    is_rare: bool = False

    @property
    def is_on_request(self) -> bool:
        """Return whether a tool takes it although its definition, which models read in every turn, omits it."""
        return self.mcp is not None and (self.is_setting or self.is_rare)

    @property
    def names_tools(self) -> bool:
        """Return whether its value is a tool, or a list of tools."""
        return self.value.startswith("TOOL")

    @classmethod
    def of(cls, field: FieldInfo) -> "Option":
        """Return the descriptor of a field of ``Options``, which has one."""
        return next(option for option in field.metadata if isinstance(option, cls))

    def typed(self, name: str) -> tuple[str, ...]:
        """Return the flags of the option; of a setting, its name."""
        flags = self.flags or (flag(name),)
        return tuple(map(setting_name, flags)) if self.is_setting else flags


def placeholder(field: FieldInfo) -> str | None:
    """Return a placeholder for values of the option: its own, its choices, or one by its type; None for a switch."""
    option = Option.of(field)
    if option.metavar:
        return option.metavar
    if words := [word for word in choices(field) if word]:
        return "|".join(words)
    if option.value.replace(",", "").replace("=", "").isupper():
        return option.value
    kind = plain_type(field)
    return None if kind is bool else "N" if kind in {int, float} else "TEXT"


class SeatOrder(Struct, frozen=True):
    """The seats of a format that can be named.

    Attributes:
        order: Those that ``--with`` fills, in this order. One provider alone fills all of them.
        further: Those that are empty unless they are named; they follow in that order.
        panels: Those that several providers can hold.
    """

    order: tuple[base.Role, ...]
    further: tuple[base.Role, ...] = ()
    panels: frozenset[base.Role] = frozenset()

    @property
    def all(self) -> tuple[base.Role, ...]:
        """Every seat."""
        return (*self.order, *self.further)

    @property
    def listed(self) -> str:
        """Their names as they are typed, with commas between them."""
        return ", ".join(role.display_name for role in self.all)


def with_option(help_: str, mcp: str | None, *, is_hinted: bool = True) -> Option:
    """Return the option that names the participants in order; its field is ``participants``."""
    return Option(help_, mcp=mcp, value="TOOL,TOOL", flags=("--with",), is_hinted=is_hinted, called="with")


def seat_option(places: SeatOrder) -> Option:
    """Return the option that names the provider of a seat; its field is ``seat``."""
    last = places.order[-1].display_name
    panels = ", ".join(role.display_name for role in places.all if role in places.panels)
    several = f" Several for a panel: {panels}=a,b,c." if panels else ""
    return Option(
        f"Provider of one seat: {last}=PROVIDER or {last}=PROVIDER:MODEL. Seats: {places.listed}.{several} Repeatable.",
        value="SEAT=TOOL",
        is_rare=True,
        is_hinted=True,
        examples=tuple(f"{role.display_name}=" for role in places.all),
    )


class Preset(StrEnum):
    """Values for several options at once; STANDARD is what holds by default."""

    QUICK = "quick"
    STANDARD = "standard"
    THOROUGH = "thorough"


PresetOption = Annotated[
    Preset | None,
    Option(
        "quick (low effort, fewest rounds), standard, or thorough (high effort, most checks). Other options go first.",
        mcp=None,
    ),
]


SubstituteOption = Annotated[
    str,
    Option(
        "Tool that answers in place of one that failed; the report names it. By default none.",
        value="TOOL",
        is_rare=True,
    ),
]

Q = TypeVar("Q", bound=runs.Request)


class Options(base.Record, Generic[Q]):
    """Options of one format without defaults filled in; ``Q`` is the request that they become.

    Attributes:
        format: The name of the format.
        places: Its seats; None where participants have no seats of their own.
        presets: The values of each preset; STANDARD has none, since it is what holds by default.
    """

    format: ClassVar[str] = ""
    places: ClassVar[SeatOrder | None] = None
    presets: ClassVar[Mapping[Preset, Mapping[str, object]]] = {}

    if TYPE_CHECKING:
        # Common to every format, each of which decides about their place in its order.
        substitute: SubstituteOption = ""
        preset: PresetOption = None

    @model_validator(mode="before")
    @classmethod
    def _left_out(cls, data: Any) -> Any:
        """Omit empty texts where a field is no text, and accept one of several words in any case."""
        if not isinstance(data, dict):
            return data
        field_names = {Option.of(field).called or name: name for name, field in cls.model_fields.items()}
        given: dict[str, Any] = {}
        for called, value in cast("dict[str, Any]", data).items():
            name = field_names.get(called, called)
            if value != "" or _is_text(cls, name):
                given[name] = _as_word(cls, name, value)
        preset = given.get("preset")
        if isinstance(preset, str) and preset in set(Preset):  # any other value is refused with its field
            return {**cls.presets.get(Preset(preset), {}), **given}
        return given

    def as_request(self, kind: type[Q], **completed: Any) -> Q:
        """Return a request with the fields ``completed``, and options of the same name that need no completing.

        These are numbers, switches and one of several words. A text is never taken over: it may hold secrets.

        Raises:
            ValidationError: The request contradicts itself; see ``valid``.
        """
        shared = {name: value for name, value in self if name in kind.model_fields and not _may_hold_text(value)}
        return kind(**{**shared, **completed})


def _may_hold_text(value: object) -> bool:
    return value is None or isinstance(value, tuple) or (isinstance(value, str) and not isinstance(value, StrEnum))


def _is_text(kind: type[BaseModel], name: str) -> bool:
    field = kind.model_fields.get(name)
    return field is None or field.annotation is str


def _as_word(kind: type[BaseModel], name: str, value: object) -> object:
    field = kind.model_fields.get(name)
    if isinstance(value, str) and field is not None and choices(field):
        return value.strip().lower()
    return value


def subject_of(options: type[Options[Any]]) -> str:
    """Return the name of the field with the subject of the run."""
    return next(name for name, field in options.model_fields.items() if Option.of(field).is_subject)


def refuse_empty_names(options: Options[Any]) -> None:
    """Refuse an option that is given and names no tool: ``--with "$TOOLS"`` without that variable.

    Raises:
        UsageError: There is one. Without it other tools than the user meant would be asked.
    """
    for name in options.model_fields_set:
        option = Option.of(type(options).model_fields[name])
        if option.names_tools and not str(getattr(options, name)).strip():
            raise UsageError(f"{option.typed(name)[0]} names no tool.", hint="Leave it out to have one chosen.")


def may_be_left_out(field: FieldInfo) -> bool:
    """Return whether the field may be left out."""
    return NoneType in get_args(field.annotation)


def plain_type(field: FieldInfo) -> Any:
    """Return the type of a field for interfaces that read words: no ranges, a single word for a list of words."""
    kind = _spelled_type(field)
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    return str if _is_one_of_several(kind) else kind


def _spelled_type(field: FieldInfo) -> Any:
    """Return the type of a field, where a value is given for it."""
    kind: Any = field.annotation
    if not may_be_left_out(field):
        return kind
    return next(arm for arm in get_args(kind) if arm is not NoneType)


def _is_one_of_several(kind: Any) -> TypeGuard[type[StrEnum]]:
    return isinstance(kind, type) and issubclass(kind, StrEnum)


def plain_default(field: FieldInfo) -> Any:
    """Return the default of a field for such an interface; whole numbers without a point, as people write them."""
    default = field.default
    if isinstance(default, StrEnum):
        return default.value
    if isinstance(default, float) and default.is_integer():
        return int(default)
    return default


def usual_value(field: FieldInfo) -> str:
    """Return the sentence on the default of a field, after a space; empty where there is nothing to say."""
    default = plain_default(field)
    return f" By default {default}." if default and not isinstance(default, bool) else ""


def choices(field: FieldInfo) -> tuple[str, ...]:
    """Return the possible words of a field, if it is one of several; the empty one first where it may be left out."""
    kind = _spelled_type(field)
    if not _is_one_of_several(kind):
        return ()
    words = tuple(word.value for word in kind)
    return ("", *words) if may_be_left_out(field) else words


def range_of(field: FieldInfo) -> tuple[int, int] | None:
    """Return the least and the most that a number which must be given may be, if it is bounded on both sides."""
    return None if may_be_left_out(field) else bounds_of(field)


def bounds_of(field: FieldInfo) -> tuple[int, int] | None:
    """Return the least and the most that a number may be, if it is bounded on both sides."""
    extra = field.json_schema_extra
    if isinstance(extra, dict) and "minimum" in extra:
        return cast("tuple[int, int]", (extra["minimum"], extra["maximum"]))
    bounds = [*field.metadata]
    for inner in getattr(_spelled_type(field), "__metadata__", ()):  # pydantic leaves those of ``Rounds | None`` there
        bounds += getattr(inner, "metadata", ())
    least = [bound.ge for bound in bounds if isinstance(bound, Ge)]
    most = [bound.le for bound in bounds if isinstance(bound, Le)]
    if not least or not most:
        return None
    return cast("tuple[int, int]", (least[0], most[0]))


class AccompanyingInput(Struct, frozen=True):
    """Input that accompanies the options.

    Attributes:
        piped: Text from standard input.
        is_by_user: Whether the user has typed them: then files may lie anywhere, and a text is never a
            file name. A value of a model may begin with ``file=``, and names files of the project.
        change: Change to review, in place of anything that could be read.
        counts: Decides which files of a change to review count, by their paths from the project's root.
    """

    piped: consultation.ContextPart | None = None
    is_by_user: bool = False
    change: "ReviewedChange | None" = None
    counts: Callable[[str], bool] = lambda _: True


CONTEXT_KIB = 256
"""Most KiB of all context together by default."""

EVIDENCE_KIB = 1024
"""Most KiB of all evidence together by default. Every agent reads it in every round."""

MOST_KIB = 2048
"""Prompts of 1 MiB are known to arrive whole with every tool."""

# -- What several formats offer ------------------------------------------------------------------------------------

EffortOption = Annotated[
    base.Effort, Option("Thinking effort: low, medium, high or max.", is_hinted=True, is_rare=True)
]
SessionEffort = Annotated[
    base.Effort | None,
    Option(
        "Thinking effort: low, medium, high or max. By default medium, or that of the session.",
        is_hinted=True,
        is_rare=True,
    ),
]
MODEL_HELP = "Model to ask for; by default, or if it is `auto`, the tool chooses."
Model = Annotated[str, Option(MODEL_HELP, value="MODEL", is_rare=True)]
Access = Annotated[
    base.RepoAccess,
    Option(
        "Access to the project: none, or read. A tool that cannot be confined to reading is refused.",
        is_rare=True,
    ),
]


class ReadingSides(StrEnum):
    """Sides of a deliberation that may open project files; AUTO: those whose tools are known to open nothing else."""

    AUTO = "auto"
    NONE = "none"
    READ = "read"


AutoAccess = Annotated[
    ReadingSides,
    Option(
        "Sides that may read project files: auto (a side that is known to open nothing else, where there are "
        "exhibits), none, or read (both sides; one that cannot be confined to reading is refused).",
        is_rare=True,
    ),
]
ContextOption = Annotated[
    tuple[str, ...],
    Option(
        "Context: `diff` (uncommitted changes), `file=PATH` (in the project), `stdin` (piped "
        "input is included anyway; this waits for it without limit). Repeatable.",
        mcp='"diff" (uncommitted), "file=PATH"',
        value="`diff`, `file=PATH`",
        is_hinted=True,
        examples=("diff", "file="),
        input=Input("stdin", "the question and its context"),
    ),
]
MAX_KIB = "max_kib"
"""The one limit on the size of material."""


def max_kib(usual: str) -> Option:
    """Return the option that limits the size of material; ``usual`` describes the default."""
    return Option(
        f"Maximum size of the context, in KiB. By default {usual}.", mcp=None, metavar="N", usual=usual, is_setting=True
    )


SecretFiles = Annotated[bool, Option("Also include files whose names suggest secrets.", mcp=None, is_setting=True)]
LanguageOption = Annotated[
    str,
    Option(
        "Language of the reasons: en, vi, ...",
        value="LANGUAGE",
        is_hinted=True,
        is_rare=True,
        examples=("en", "vi"),
    ),
]


def timeout(mcp: str | None = "") -> Option:
    """Return the option for the time limit of each consultation."""
    return Option("Timeout of each call, in seconds.", mcp=mcp, value="SECONDS", flags=("--timeout",), is_rare=True)


# -- Values, in the form that a request has ------------------------------------------------------------------------

R = TypeVar("R")
Kind = TypeVar("Kind", bound=StrEnum)

_VALUE_SHOWN = 100
"""Characters of a refused value that an error repeats."""

_LONG_FIELDS = frozenset({"topic", "question", "claim", "truth"})
"""Fields whose value error messages do not repeat."""

_LANGUAGE = TypeAdapter[str](base.Language)


def valid(build: Callable[[], R]) -> R:
    """Return the result of ``build``; raise its validation errors as a ``UsageError``."""
    try:
        return build()
    except ValidationError as error:
        raise UsageError(" ".join(_sentence(problem) for problem in error.errors())) from error


def one_of(kinds: type[Kind], word: str, called: str) -> Kind:
    """Return the member of ``kinds`` that ``word`` spells; raises ``UsageError``. ``called`` begins the sentence."""
    try:
        return kinds(word)
    except ValueError as error:
        raise UsageError(f"{called} must be one of {', '.join(kinds)}; it is {_shown(word)}.") from error


def language(tag: str) -> base.Language:
    """Parse the language of the reasons; English if it is empty; raises ``UsageError``."""
    try:
        return _LANGUAGE.validate_python(tag.strip() or "en")
    except ValidationError as error:
        raise UsageError(f"The language must be a tag such as en, vi or pt-BR; it is {_shown(tag)}.") from error


def _sentence(problem: ErrorDetails) -> str:
    """Return one fault of a request, in a sentence with the field and its valid values."""
    field = ".".join(str(part) for part in problem["loc"])
    shown = _shown(problem["input"])
    sentence = faults.in_words(problem)
    match problem["type"]:
        case "value_error":
            return f"{field}: {sentence}." if field else f"{capitalized(sentence)}."
        case "enum":
            return f"The {_CALLED.get(field, field)} {sentence}; it is {shown}."
        case "string_pattern_mismatch":
            return f"{field}: {shown} begins with a hyphen or contains characters that are not allowed."
        case _:
            given = "" if field in _LONG_FIELDS or problem["type"] in _TELLING else f"; it is {shown}"
            return f"{_CALLED.get(field, field)} {sentence}{given}."


_TELLING = frozenset({"missing", "string_unicode", "extra_forbidden"})
"""Faults that a value would add nothing to."""

_CALLED = {"fail_on": "severity to fail on", "repo_access": "repository access", "timeout_s": "timeout"}
"""Names of options in sentences, where they differ from the field name."""


def _shown(value: object) -> str:
    return one_line(repr(value), _VALUE_SHOWN)
