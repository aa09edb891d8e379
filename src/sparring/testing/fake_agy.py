"""A small real program that speaks like Antigravity CLI by public reports: ``python fake_agy.py MODE [ARGUMENT...]``.

The real one was never run in development; this follows public reports up to its version 1.5.0. Each function without
an underscore is a mode; arguments that a provider file adds are those of ``agy``. It imports nothing but the
standard library. ``answers`` asks the endpoint in ``GOOGLE_GEMINI_BASE_URL``, twice, as the real one does.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

VERSION = "1.5.0"
_CONVERSATION = "6b1f7f0a-0000-4000-8000-000000000001"
_MODEL = "gemini-3.8-flash-high"
_ASKED = ("--input-format", "--output-format", "--print-timeout", "--disable-slash-commands", "--print=")
_TAKES = ("--model", "--effort", "--log-file", *_ASKED)


def answers(*arguments: str) -> None:
    """Ask the endpoint and print its answer; in key mode only, as the settings in its home say."""
    prompt = _prompt(arguments)
    settings = Path(os.environ["HOME"], ".gemini", "antigravity-cli", "settings.json")
    mode = json.loads(settings.read_bytes()).get("modelProvider") if settings.is_file() else None
    if mode != "gemini" or not os.environ.get("GEMINI_API_KEY"):
        sys.stderr.write("Authentication required\n")
        sys.exit(1)
    chosen = next((each.partition("=")[2] for each in arguments if each.startswith("--model=")), _MODEL)
    try:
        _ask("gemini-3.8-flash-lite", "Name this conversation.")
        text = _ask(chosen, prompt)
    except HTTPError as error:
        error_body = json.loads(error.read())["error"]
        sys.stderr.write(f"AGY_ERROR: {error_body.get('status')} (code {error.code}): {error_body.get('message')}\n")
        sys.exit(3)
    _init(chosen)
    _step({"step_type": "agent_response", "state": "DONE", "text_delta": text})
    _end({"response": f"{text}\n"})


def tells(*arguments: str) -> None:
    """Answer with JSON of how it was called: ``prompt``, ``arguments``, ``environment``, ``folder``, ``files``."""
    answer: dict[str, Any] = {"prompt": _prompt(arguments), "arguments": arguments, "environment": dict(os.environ)}
    files = {str(each.relative_to(os.environ["HOME"])): each.read_text() for each in _files(os.environ["HOME"])}
    _init(_MODEL)
    _end({"response": json.dumps(answer | {"folder": str(Path.cwd()), "files": files})})


def denied(*arguments: str) -> None:
    """Want a tool, be denied it, and call that a success."""
    _prompt(arguments)
    _init(_MODEL)
    sys.stderr.write(
        'jetski: no output produced — a tool required the "command" permission that headless mode cannot prompt for, '
        "so it was auto-denied.\n"
    )
    _end({"response": "", "denied_actions": ["command"]})


def searches(*arguments: str) -> None:
    """Search the web, which no rule forbids, and answer."""
    _prompt(arguments)
    _init(_MODEL)
    _step({"step_type": "tool", "state": "DONE", "tool_name": "search_web"})
    _end({"response": "I looked it up.\n"})


def runs_out(*arguments: str) -> None:
    """Print half an answer when its own time runs out, and call that a success."""
    _prompt(arguments)
    sys.stderr.write("[agy] print timeout after 12s with turn in progress; returning partial output\n")
    _end({"response": "Half an"})


def exhausted(*arguments: str) -> None:
    """Have used up the quota."""
    _prompt(arguments)
    sys.stderr.write(
        "AGY_ERROR: RESOURCE_EXHAUSTED (code 429): Individual quota reached. Resets in 3h20m\n",
    )
    sys.exit(3)


def _prompt(arguments: tuple[str, ...]) -> str:
    """Return the prompt on standard input, after the flags in ``arguments`` have been served or refused."""
    if "--version" in arguments:
        sys.stdout.write(f"{VERSION}\n")
        sys.exit(0)
    unknown = [each for each in arguments if each.startswith("-") and each.partition("=")[0] not in _names()]
    missing = [each for each in _ASKED if each not in arguments]
    if unknown or missing or arguments[-1] != "--print=":
        sys.stderr.write(f"flags provided but not defined: {unknown}; missing: {missing}\n")
        sys.exit(1)
    (line,) = sys.stdin.read().splitlines()
    event = json.loads(line)
    if event.get("event") != "user":
        sys.stderr.write("warning: ignored an event\n")
        sys.exit(0)
    return str(event["message"]["content"])


def _names() -> set[str]:
    return {each.rstrip("=") for each in _TAKES}


def _ask(model: str, prompt: str) -> str:
    base, key = os.environ["GOOGLE_GEMINI_BASE_URL"], os.environ["GEMINI_API_KEY"]
    body: dict[str, Any] = {"contents": [{"role": "user", "parts": [{"text": prompt}]}]}
    body["tools"] = [{"functionDeclarations": [{"name": "view_file"}, {"name": "search_web"}]}]
    address = f"{base}/v1beta/models/{model}:streamGenerateContent?alt=sse"
    headers = {"Content-Type": "application/json", "x-goog-api-key": key}
    request = Request(address, json.dumps(body).encode(), headers)  # noqa: S310 -- the endpoint of a test
    with urlopen(request, timeout=60) as response:  # noqa: S310 -- as above
        lines = [line[6:] for line in response.read().decode().splitlines() if line.startswith("data: ")]
    parts = [part for line in lines for part in json.loads(line)["candidates"][0]["content"]["parts"]]
    return "".join(part.get("text", "") for part in parts)


def _files(folder: str) -> list[Path]:
    return sorted(each for each in Path(folder).rglob("*") if each.is_file())


def _print(event: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(event) + "\n")


def _init(model: str) -> None:
    begun = {"cwd": str(Path.cwd()), "model": model, "tools": ["view_file", "search_web"]}
    _print({"event": "init", "conversation_id": _CONVERSATION, "init": begun | {"permission_mode": "strict"}})


def _step(step: dict[str, Any]) -> None:
    _print({"event": "step_update", "step_update": {"conversation_id": _CONVERSATION, "step_index": 1} | step})


def _end(changes: dict[str, Any]) -> None:
    used = {"input_tokens": 7, "output_tokens": 3, "thinking_tokens": 1, "cache_read_tokens": 5, "total_tokens": 10}
    result: dict[str, Any] = {"conversation_id": _CONVERSATION, "status": "SUCCESS", "num_turns": 1, "usage": used}
    _print({"event": "result", "result": result | changes})


_MODES = (answers, tells, denied, searches, runs_out, exhausted)

if __name__ == "__main__":
    {mode.__name__: mode for mode in _MODES}[sys.argv[1]](*sys.argv[2:])
