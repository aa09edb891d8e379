"""Replies that depend on nothing but the installed versions, recorded beforehand.

The snapshot that ships with sparring is made by ``python -m sparring.server.stdio``; a test compares it with the
SDK. With any other version of the SDK a start makes one of its own in the user's cache, for the next start.
Only the standard library, and little of it, is imported here, because hosts wait for it: neither ``pathlib`` nor
``importlib.metadata``.
"""

import json
import os
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

Message = dict[str, Any]

HANDSHAKE = "initialize"
PROBE = "server/discover"
LISTEN = "subscriptions/listen"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"

SHIPPED = os.path.join(os.path.dirname(__file__), "snapshot.json")

_MADE_OF = ("sparring", "mcp", "mcp_types", "pydantic")
"""The distributions whose versions decide about the server's answers."""

_LARGEST = 1 << 20
"""Bytes of a snapshot at most; it has some 60 kB."""

_MOST_KEPT = 8
"""Snapshots in the cache: of as many environments, or versions."""


class Snapshot:
    """Answers by protocol revision and method.

    Attributes:
        recorded: The file.
        is_ours: Whether it ships with sparring and was made with the installed versions.
        fallback: The revision that answers a handshake with an unknown one.
        modern: The revision without a handshake.
    """

    def __init__(self, recorded: Mapping[str, Any], *, is_ours: bool) -> None:
        self.recorded = recorded
        self.is_ours = is_ours
        self.fallback: str = recorded["fallback"]
        self.modern: str = recorded["modern"]
        self._kinds: Message = recorded["acknowledged"]["notifications"]
        self._results: dict[str, Message] = {self.modern: {}}
        for answer in recorded["answers"]:
            for revision in answer["revisions"]:
                self._results.setdefault(revision, {})[answer["method"]] = answer["result"]

    def negotiated(self, offered: str) -> str:
        """The revision that a handshake which offers ``offered`` agrees on."""
        return offered if HANDSHAKE in self._results.get(offered, {}) else self.fallback

    def answer(self, revision: str, request: Message) -> Message | None:
        """Return the SDK's reply to a plain request in a session of ``revision``; None if only it knows."""
        if request["method"] == LISTEN and revision == self.modern:
            asked = request["params"]["notifications"]
            params = {
                "_meta": {SUBSCRIPTION: request["id"]},
                "notifications": {kind: True for kind in self._kinds if asked.get(kind)},
            }
            return {"jsonrpc": "2.0", "method": ACKNOWLEDGED, "params": params}
        result = self._results[revision].get(request["method"])
        return None if result is None else {"jsonrpc": "2.0", "id": request["id"], "result": result}


def load(shipped: str = SHIPPED, cache: str | None = None) -> Snapshot | None:
    """Return the snapshot to answer from; None if nothing can be answered before the SDK is imported.

    The shipped one if it was made with the installed versions; else that of an earlier start; else the shipped one
    nevertheless, for one start, if the SDK speaks the same protocol: the definitions are ours. Those of another version
    of sparring are never used.
    """
    made_of, ours = installed(), _read(shipped)
    if ours is None or None in made_of.values() or ours["made_of"]["sparring"] != made_of["sparring"]:
        return None
    if ours["made_of"] == made_of:
        return Snapshot(ours, is_ours=True)
    written = _read(cached(made_of, shipped, cache))
    if written and written["made_of"] == made_of:
        return Snapshot(written, is_ours=False)
    return Snapshot(ours, is_ours=False) if ours["protocol"] == protocol() else None


def keep(recorded: Mapping[str, Any], shipped: str = SHIPPED, cache: str | None = None) -> None:
    """Write a snapshot to the user's cache, for the next start. A cache that cannot be written is ignored."""
    file = cached(recorded["made_of"], shipped, cache)
    folder = os.path.dirname(file)
    with suppress(OSError):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        own = f"{file}.{os.getpid()}"
        with suppress(FileNotFoundError):
            os.remove(own)  # of an earlier process of this number
        with os.fdopen(os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            json.dump(recorded, stream, ensure_ascii=False)
        os.replace(own, file)
        for old in sorted(os.scandir(folder), key=lambda entry: entry.stat().st_mtime)[:-_MOST_KEPT]:
            os.remove(old)


def cached(made_of: Mapping[str, str | None], shipped: str, cache: str | None) -> str:
    """The file in the user's cache for the snapshot of these versions.

    A checkout changes its tools without changing its version; the shipped snapshot changes with them.
    """
    with open(shipped, "rb") as stream:
        ours = zlib.crc32(stream.read())
    versions = [f"{name}-{version}" for name, version in made_of.items()]
    return os.path.join(cache or _cache(), "snapshots", ",".join([*versions, f"{ours:08x}.json"]))


def installed() -> dict[str, str | None]:
    """Return the version of each distribution that decides; None where it is unknown."""
    return {name: next(_versions(name), None) for name in _MADE_OF}


def protocol() -> int | None:
    """Return a checksum of the SDK's revisions of the protocol; None where they are unknown."""
    folder = next((folder for folder in sys.path if _has(folder, "mcp_types")), "")
    try:
        with open(os.path.join(folder, "mcp_types", "version.py"), "rb") as stream:
            return zlib.crc32(stream.read(_LARGEST))
    except OSError:
        return None


def _has(folder: str, package: str) -> bool:
    return os.path.exists(os.path.join(folder, package, "__init__.py"))


def _versions(distribution: str) -> Iterator[str]:
    folders = sys.path
    if distribution != "sparring":  # a checkout of ours is in another folder than its metadata
        folders = [folder for folder in folders if _has(folder, distribution)][:1]
    for folder in folders:
        with suppress(OSError):
            for name in os.listdir(folder or "."):
                if name.startswith(f"{distribution}-") and name.endswith(".dist-info"):
                    yield name.removeprefix(f"{distribution}-").removesuffix(".dist-info")


def _cache() -> str:
    """As ``settings`` has it, which takes longer to import."""
    if sys.platform == "win32":
        return os.path.join(os.environ.get("LOCALAPPDATA", os.path.expanduser("~")), "sparring", "Cache")
    below = "Library/Caches" if sys.platform == "darwin" else ".cache"
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    return os.path.join(chosen if os.path.isabs(chosen) else os.path.expanduser(f"~/{below}"), "sparring")


def _read(file: str) -> Mapping[str, Any] | None:
    """Read a snapshot; None if there is none, or it is damaged or another file."""
    try:
        if not os.path.isfile(file) or os.path.getsize(file) > _LARGEST:
            return None
        with open(file, "rb") as stream:
            recorded = json.loads(stream.read())
        Snapshot(recorded, is_ours=False)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    return recorded if "made_of" in recorded and "protocol" in recorded else None
