"""Families of models: common base weights, and therefore common errors.

A family is a property of the model and not of the server behind which it runs. It follows from the id of the model, and
from the architecture where a server reports one, because some names hide their base. A fine-tuned or distilled model is
of the family of its base. A model of which nothing is known has no family, and is related to nothing.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache

_MODELS = 128
"""Models whose families are cached: every answer of a table names the same few."""

_GEOGRAPHIES = r"(?:us|eu|apac|global|us-gov|jp|au|ca|sa)\."
_BEDROCK_VENDORS = (
    r"(?:anthropic|amazon|meta|mistral|cohere|deepseek|openai|ai21|qwen|google|moonshot|moonshotai|minimax|nvidia"
    r"|writer|zai)\."
)
_BEDROCK = re.compile(rf"(?:{_GEOGRAPHIES})?(?:{_BEDROCK_VENDORS})")
_BEDROCK_VERSION = re.compile(r"-v\d+$")
_PATH = re.compile(r"[/\\]")
_FILE = re.compile(r"(?:-\d{5}-of-\d{5})?\.(?:gguf|safetensors|bin|llamafile)$")

_SYNONYMS = {
    "alibaba": "qwen",
    "anthropic": "claude",
    "gemma": "gemini",
    "google": "gemini",
    "meta": "llama",
    "mistralai": "mistral",
    "moonshot": "kimi",
    "openai": "gpt",
    "xai": "grok",
    "zai": "glm",
}
"""Names of vendors that a provider file may give in the place of a family."""

_VENDORS = {"anthropic": "claude", "x-ai": "grok"}
"""Vendors whose path names the family even where the name is an alias such as ``opus``."""

_WORD = r"(?:^|[-_. ])"

# Models without public weights are no base of others: a name that only mentions one is of another family.
_CLOSED = (
    ("claude", r"claude"),
    ("gpt", r"(?:azure[-_])?(?:chat)?gpt[-_.]?\d(?!all)|chatgpt|gpt-(?:image|audio|realtime|latest)"),
    ("gpt", r"codex|o[1345](?:-|$)|(?:text-|code-)?davinci|babbage"),
    ("gemini", r"gemini|learnlm|(?:text|chat|code)-bison|bison"),
    ("grok", r"grok"),
)

_OPEN = (
    ("gpt", r"gpt-?oss"),
    ("gemini", r"gemma"),
    ("tinyllama", r"tiny-?llama"),  # trained from nothing by others than Meta, as is the next
    ("openllama", r"open[-_]?llama"),
    ("qwen", r"qwen|qwq|qvq|tongyi|qwerky"),
    ("llama", rf"llama|{_WORD}(?:maverick|scout)(?:[-_.]|$)"),
    ("mistral", r"mistral|mixtral|ministral|magistral|mathstral|codestral|devstral|pixtral|voxtral"),
    ("deepseek", r"deepseek|mai-ds-r1"),
    ("phi", rf"{_WORD}phi-?\d"),
    ("command", rf"{_WORD}command(?:[-_.]|$|r)|{_WORD}aya(?:[-_.]|$)|c4ai|cohere"),
    ("smollm", r"smollm"),
    ("glm", rf"(?:{_WORD}|chat)glm"),
    ("kimi", r"kimi|moonshot|moonlight"),
    ("minimax", rf"minimax|{_WORD}abab\d"),
    ("nemotron", r"nemotron"),
    ("granite", r"granite"),
    ("nova", r"(?:^|[-.])nova(?:-|$)|(?:^|[-.])titan(?:-|$)"),
    ("jamba", r"jamba"),
    ("hunyuan", r"hunyuan"),
    ("ernie", r"ernie"),
    ("seed", rf"doubao|{_WORD}seed[-_]"),
    ("step", rf"{_WORD}step[-_]?\d"),
    ("mimo", rf"{_WORD}mimo"),
    ("olmo", r"olmo"),
    ("falcon", r"falcon"),
    ("yi", r"^yi(?:[-_.\d]|$)"),
    ("exaone", r"exaone"),
    ("internlm", r"internlm|internvl"),
    ("lfm", rf"{_WORD}lfm-?\d"),
    ("longcat", r"longcat"),
    ("ling", r"^(?:ling|ring)[-_.]"),
    ("solar", rf"{_WORD}solar"),
    ("starcoder", r"starcoder"),
    ("minicpm", r"minicpm"),
    ("baichuan", r"baichuan"),
    ("stablelm", r"stablelm"),
    ("muse", r"^muse[-_]"),
)
"""Patterns of names; the first match counts: a name that matches two is a derivative of the first."""

NAMES = frozenset(family for family, _ in (*_CLOSED, *_OPEN))
"""The families that have a name here."""

_BASES_OF_DEEPSEEK = ("qwen", "llama", "mistral", "gemini", "phi")

_HIDING = re.compile(
    r"hermes|dolphin|nous-|wizard|zephyr|vicuna|tulu|orca|starling|openchat|neural-chat|alpaca|guanaco"
)
"""Names of fine-tuned models that do not say which base they have."""

_NOT_OPENAIS = re.compile(r"gpt4all|gpt-?j\b|gpt-?neo|gigachat")

_DEEPSEEK_R1_TAGS = (
    (re.compile(r"(?:1\.5|7|8|14|32)b|latest"), "qwen"),
    (re.compile(r"70b"), "llama"),
    (re.compile(r"671b"), "deepseek"),
)
"""The models that Ollama serves as ``deepseek-r1``: mostly others that were taught by it."""

_GENERIC = re.compile(
    r"ai|any|assistant|auto|base|best|big|chat|cheap|completion|completions|custom|default|deployment|dev|fast|"
    r"free|ft|gguf|instruct|large|latest|llm|local|main|medium|mini|model|models|my|our|primary|prod|"
    r"production|quick|reasoning|router|server|small|smart|staging|standard|team|test|text|the|think|thinking|"
    r"tuned|turbo|v|work"
)
_HOSTS = frozenset({"llama-server", "llama.cpp", "llamafile", "ollama", "lm-studio", "vllm", "text-generation-webui"})
_SEPARATOR = re.compile(r"[-_. ]+")
_JOINT = re.compile(r"[-_ ]+")
_VERSION = re.compile(r"[rv]?\d+[a-z]?")

_QUANTISED = re.compile(
    r"[-_.](?:i?q\d(?:_[0-9a-z]+)*|ud|awq|gptq|exl[23]|fp(?:4|8|16|32)|bf16|f16|f32|int[48]|[348]-?bits?|w\dag?\d*"
    r"|mlx|gguf|nvfp4|mxfp4|quantized|qat|dynamic)(?=[-_.]|$)"
)
_SIZE_TAG = re.compile(r"(?:e?\d+(?:\.\d+)?[bm])(?:[-_].*)?")

_SHARED_ARCHITECTURES = frozenset({"llama", "deepseek2"})
"""Architectures that several families share: the name decides, if it names a family."""

_ARCHITECTURES: Mapping[str, str] = {"gptoss": "gpt", "gpt-oss": "gpt", "deepseek2": "deepseek", "mllama": "llama"}
_ARCHITECTURE_IS_NO_FAMILY = re.compile(r"gpt2|gptj|gptneox|gpt_neox|bloom|mpt|bert|t5|mamba|rwkv|clip|opt$")


@cache
def _patterns(table: tuple[tuple[str, str], ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Compile the patterns of ``table`` on the first use: many commands need none."""
    return tuple((family, re.compile(pattern)) for family, pattern in table)


@lru_cache(maxsize=_MODELS)
def family_of_model(model: str, *, architecture: str = "") -> str:
    """Return the family of a model id, e.g. ``gpt`` of ``openrouter/openai/gpt-5.5``; empty where it is unknown.

    A named model without a known family is its own family, under its name.
    """
    if family := named_family(model, architecture=architecture):
        return family
    name, _, _ = _parts(model)
    return "" if _is_hidden(name) else model_key(model)


@lru_cache(maxsize=_MODELS)
def named_family(model: str, *, architecture: str = "") -> str:
    """Return the family of a model id if a pattern names it; else an empty string.

    Args:
        model: The id as the server of the model spells it.
        architecture: The server's report of the weights, e.g. ``qwen3``. It takes precedence over the name.
    """
    by_weights = _family_of_architecture(architecture)
    if by_weights and architecture.lower() not in _SHARED_ARCHITECTURES:
        return by_weights
    name, tag, vendor = _parts(model)
    return _family_of_name(name, tag) or by_weights or _VENDORS.get(vendor, "")


def canonical(family: str) -> str:
    """A family as a provider file states it, in the word that is used here for it."""
    return _SYNONYMS.get(family, family)


@lru_cache(maxsize=_MODELS)
def model_key(model: str) -> str:
    """The name of a model without what depends on the server: router, vendor, quantisation, price class.

    Two ids of one key are one model. Empty where the id names no model.
    """
    name, tag, _ = _parts(model)
    if _is_generic(name):
        return ""
    size = _SIZE_TAG.fullmatch(tag)
    full = f"{name}-{tag}" if size else name
    while (plain := _QUANTISED.sub("", full)) != full:
        full = plain
    return _JOINT.sub("-", full).strip("-.")


def _parts(model: str) -> tuple[str, str, str]:
    """The name of the model in an id, the tag behind it, and the vendor before it; all in lower case."""
    segments = [each for each in _PATH.split(model.strip().lower().removeprefix("ft:")) if each]
    last = segments[-1] if segments else ""
    vendor = segments[-2] if len(segments) > 1 else ""
    if model.lower().startswith("arn:"):
        kind = vendor.rpartition(":")[2]
        if kind in {"application-inference-profile", "provisioned-model", "custom-model", "imported-model"}:
            return "", "", ""
    name, _, tag = last.partition(":")
    name, at, revision = name.partition("@")
    name = _FILE.sub("", name)
    if bedrock := _BEDROCK.match(name):
        name = _BEDROCK_VERSION.sub("", name[bedrock.end() :])
    if at and revision.isdigit():
        name = f"{name}-{revision}"
    return name, tag, vendor


def _family_of_name(name: str, tag: str) -> str:
    if not name or _is_generic(name):
        return ""
    if (of_base := _distilled(name)) is not None:
        return of_base
    if closed := next((family for family, pattern in _patterns(_CLOSED) if pattern.match(name)), ""):
        return closed
    own = next((family for family, pattern in _patterns(_OPEN) if pattern.search(name)), "")
    if own == "deepseek":
        return _under_deepseek(name, tag)
    if own or _NOT_OPENAIS.search(name):
        return own
    return next((family for family, pattern in _patterns(_CLOSED) if _names(pattern, name)), "")


def _names(pattern: re.Pattern[str], name: str) -> bool:
    """Return whether one of the words of a name begins with a match of the pattern."""
    return any(pattern.match(name, place.end()) for place in _SEPARATOR.finditer(name)) and not _is_hidden(name)


def _distilled(name: str) -> str | None:
    """Return the base of a distilled model, which is named after the word, else before it; None for other models."""
    before, word, behind = name.partition("distill")
    if not word:
        return None
    for part in (behind, before):
        known = [family for family, pattern in _patterns(_OPEN) if pattern.search(part)]
        if bases := [family for family in known if family != "deepseek"]:
            return bases[0]
    return None


def _under_deepseek(name: str, tag: str) -> str:
    """DeepSeek's own, or the base of a model distilled from it: official names state it in the tag, or nowhere."""
    for family, pattern in _patterns(_OPEN):
        if family in _BASES_OF_DEEPSEEK and (pattern.search(name) or pattern.search(tag)):
            return family
    if name == "deepseek-r1":
        return next((family for pattern, family in _DEEPSEEK_R1_TAGS if pattern.match(tag)), "deepseek")
    return "deepseek"


def _is_hidden(name: str) -> bool:
    return _HIDING.search(name) is not None


def _is_generic(name: str) -> bool:
    """Return whether a name could stand for any model: ``auto``, ``default``, that of a deployment or of a server."""
    words = [word for word in _SEPARATOR.split(name) if word]
    return name in _HOSTS or all(_GENERIC.fullmatch(word) or _VERSION.fullmatch(word) for word in words)


def _family_of_architecture(architecture: str) -> str:
    name = architecture.strip().lower()
    if not name or name == "llama" or _ARCHITECTURE_IS_NO_FAMILY.match(name):
        return ""
    if known := _ARCHITECTURES.get(name):
        return known
    patterns = (*_patterns(_OPEN), *_patterns(_CLOSED))
    return next((family for family, pattern in patterns if pattern.search(name)), "")
