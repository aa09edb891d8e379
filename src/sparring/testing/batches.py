"""The batch interfaces of a loopback model endpoint: Anthropic's, OpenAI's and Google's.

Each question of a batch goes to the same behaviour as a single one, so that everything that counts or decides there
also applies here: ``Say`` is an answer, ``Refuse`` an error, ``Hang`` a question that was not reached before the end,
and ``Reset`` one that was cancelled. A batch is under way for ``polls`` queries, and then has ended; its
results come in the opposite order. A request that the real interfaces do not know is answered with 404.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import parse_qsl

from msgspec import Struct, field

from sparring.testing.dialects import Json


class BatchReply(Struct, frozen=True):
    """An answer to a request about a batch."""

    status: int
    body: bytes


Outcome = Literal["said", "refused", "expired", "cancelled"]


class Played(Struct, frozen=True):
    """Result of a question: the whole answer, or the error as the dialect spells it."""

    outcome: Outcome
    body: Json = field(default_factory=dict[str, Any])
    status: int = 200


Play = Callable[[str, Json], Played]
"""Plays a question to that path."""

Kind = Literal["anthropic", "openai", "google"]

_GONE = {"error": {"type": "not_found_error", "message": "There is no such batch."}}


class Batch(Struct):
    """A submitted batch.

    Attributes:
        entries: The questions by their names.
        polls_left: Queries to which it is still reported as under way.
        intent: The caller's mark, where the interface takes one.
    """

    id: str
    kind: Kind
    path: str
    entries: list[tuple[str, Json]]
    polls_left: int
    intent: str = ""
    created_at: float = field(default_factory=time.time)
    is_cancelled: bool = False
    results: dict[str, Played] = field(default_factory=dict[str, Played])


class _Asked(Struct, frozen=True):
    """A request about a batch; ``parts`` are those of its path."""

    parts: re.Match[str]
    content: bytes
    headers: Mapping[str, str]
    query: Mapping[str, str] = field(default_factory=dict[str, str])


class BatchDesk:
    """The batches of an endpoint.

    Attributes:
        polls: Queries to which a batch that is submitted later is reported as under way.
        batches: Submitted batches by their ids, in order.
        asked: Method and path of every request about batches, in order.
        results_url: The address of results that Anthropic's interface reports; its own where it is empty.
        per_page: Batches of a page of the list.
        results_as: Response in place of the results of Anthropic's and OpenAI's interfaces.
    """

    def __init__(self, play: Play) -> None:
        self.polls = 1
        self.batches: dict[str, Batch] = {}
        self.asked: list[tuple[str, str]] = []
        self.results_url = ""
        self.results_as: bytes | None = None
        self._play = play
        self._arrived = threading.Condition()
        self._files: dict[str, bytes] = {}
        self.per_page = 100
        self._routes: tuple[tuple[str, str, Callable[[_Asked], BatchReply]], ...] = (
            ("POST", r"/v1/messages/batches", self._make_of_anthropic),
            ("GET", r"/v1/messages/batches", self._list_of_anthropic),
            ("GET", r"/v1/messages/batches/(?P<id>[^/]+)", self._look_at),
            ("GET", r"/v1/messages/batches/(?P<id>[^/]+)/results", self._lines_of_anthropic),
            ("POST", r"/v1/messages/batches/(?P<id>[^/]+)/cancel", self._cancel),
            ("POST", r"/v1/files", self._keep),
            ("POST", r"/v1/batches", self._make_of_openai),
            ("GET", r"/v1/batches", self._list_of_openai),
            ("GET", r"/v1/batches/(?P<id>[^/]+)", self._look_at),
            ("POST", r"/v1/batches/(?P<id>[^/]+)/cancel", self._cancel),
            ("GET", r"/v1/files/(?P<id>[^/]+)-(?P<part>output|errors)/content", self._lines_of_openai),
            ("POST", r"(?P<model>/v1beta/models/[^/:]+):batchGenerateContent", self._make_of_google),
            ("GET", r"/v1beta/batches", self._list_of_google),
            ("GET", r"/v1beta/batches/(?P<id>[^/:]+)", self._look_at),
            ("POST", r"/v1beta/batches/(?P<id>[^/:]+):cancel", self._cancel),
        )

    def wait_for(self, count: int, *, timeout_s: float = 60) -> None:
        """Return as soon as there were so many requests about batches."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self.asked) >= count, timeout=timeout_s):
                raise TimeoutError(f"{len(self.asked)} of {count} requests within {timeout_s} s")

    def lose(self) -> None:
        """Know nothing any more of any batch."""
        self.batches.clear()

    def serve(
        self, method: str, path: str, content: bytes, headers: Mapping[str, str], query: str = ""
    ) -> BatchReply | None:
        """The answer to a request that is about batches; None when it is about something else."""
        for of, pattern, serves in self._routes:
            if of == method and (match := re.fullmatch(pattern, path)):
                with self._arrived:
                    self.asked.append((method, path))
                    self._arrived.notify_all()
                try:
                    return serves(_Asked(match, content, headers, dict(parse_qsl(query))))
                except KeyError:
                    return BatchReply(404, json.dumps(_GONE).encode())
        return None

    def _make(self, kind: Kind, path: str, entries: list[tuple[str, Json]], intent: str = "") -> Batch:
        made = Batch(f"{kind}_batch_{len(self.batches) + 1}", kind, path, entries, self.polls, intent)
        assert len({name for name, _ in entries}) == len(entries), "each name comes once"
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name, _ in entries)
        self.batches[made.id] = made
        return made

    def _make_of_anthropic(self, asked: _Asked) -> BatchReply:
        entries = [(entry["custom_id"], entry["params"]) for entry in json.loads(asked.content)["requests"]]
        return _json(self._status_json(self._make("anthropic", "/v1/messages", entries)))

    def _keep(self, asked: _Asked) -> BatchReply:
        boundary = asked.headers["content-type"].partition("boundary=")[2].encode()
        purpose, file = asked.content.split(b"--" + boundary)[1:3]
        assert purpose.split(b"\r\n\r\n")[1] == b"batch\r\n"
        name = f"file-{len(self._files) + 1}"
        self._files[name] = file.split(b"\r\n\r\n", 1)[1]
        return _json({"id": name, "object": "file", "purpose": "batch"})

    def _make_of_openai(self, asked: _Asked) -> BatchReply:
        wanted = json.loads(asked.content)
        assert wanted["completion_window"] == "24h"
        lines = [json.loads(line) for line in self._files[wanted["input_file_id"]].splitlines() if line]
        assert all((line["method"], line["url"]) == ("POST", wanted["endpoint"]) for line in lines)
        entries = [(line["custom_id"], line["body"]) for line in lines]
        intent = wanted.get("metadata", {}).get("sparring_intent", "")
        return _json(self._status_json(self._make("openai", wanted["endpoint"], entries, intent)))

    def _make_of_google(self, asked: _Asked) -> BatchReply:
        wanted = json.loads(asked.content)["batch"]
        requests = wanted["inputConfig"]["requests"]["requests"]
        entries = [(entry["metadata"]["key"], entry["request"]) for entry in requests]
        name = wanted["displayName"]
        return _json(self._status_json(self._make("google", f"{asked.parts['model']}:generateContent", entries, name)))

    def _page(self, after: str) -> tuple[list[Batch], str]:
        """The batches after that one, the newest first, and the last of them if there are more."""
        newest = list(self.batches.values())[::-1]
        begin = next((at + 1 for at, batch in enumerate(newest) if batch.id == after), 0)
        batches = newest[begin : begin + self.per_page]
        return batches, batches[-1].id if begin + len(batches) < len(newest) else ""

    def _list_of_anthropic(self, asked: _Asked) -> BatchReply:
        batches, more = self._page(asked.query.get("after_id", ""))
        listed = [{**self._status_json(batch), "created_at": _moment(batch)} for batch in batches]
        return _json({"data": listed, "has_more": bool(more), "last_id": more or None})

    def _list_of_openai(self, asked: _Asked) -> BatchReply:
        batches, more = self._page(asked.query.get("after", ""))
        listed = [
            {
                **self._status_json(batch),
                "created_at": int(batch.created_at),
                "metadata": {"sparring_intent": batch.intent},
            }
            for batch in batches
        ]
        return _json({"object": "list", "data": listed, "has_more": bool(more)})

    def _list_of_google(self, asked: _Asked) -> BatchReply:
        batches, more = self._page(asked.query.get("pageToken", ""))
        replies = [(self._status_json(batch), batch) for batch in batches]
        listed = [
            {**each, "metadata": {**each["metadata"], "displayName": batch.intent, "createTime": _moment(batch)}}
            for each, batch in replies
        ]
        return _json({"operations": listed} | ({"nextPageToken": more} if more else {}))

    def _look_at(self, asked: _Asked) -> BatchReply:
        batch = self.batches[asked.parts["id"]]
        if batch.polls_left:
            batch.polls_left -= 1
        elif not batch.results:
            self._play_all(batch)
        return _json(self._status_json(batch))

    def _cancel(self, asked: _Asked) -> BatchReply:
        batch = self.batches[asked.parts["id"]]
        batch.is_cancelled, batch.polls_left = True, 0
        return _json(self._status_json(batch))

    def _play_all(self, batch: Batch) -> None:
        for name, body in reversed(batch.entries):
            if batch.is_cancelled:
                batch.results[name] = Played("cancelled")
            else:
                batch.results[name] = self._play(batch.path, body)

    def _status_json(self, batch: Batch) -> Json:
        match batch.kind:
            case "anthropic":
                ended = {"results_url": self.results_url or f"{batch.path}/batches/{batch.id}/results"}
                status = "ended" if batch.results else "canceling" if batch.is_cancelled else "in_progress"
                return {"id": batch.id, "type": "message_batch", "processing_status": status} | (
                    ended if batch.results else {"results_url": None}
                )
            case "openai":
                return {"id": batch.id, "object": "batch", **self._status_of_openai(batch)}
            case "google":
                name = {"name": f"batches/{batch.id}"}
                if not batch.results:
                    return name | {"metadata": {"state": "BATCH_STATE_RUNNING"}}
                entries = [_entry_of_google(key, played) for key, played in batch.results.items()]
                answered = {"inlinedResponses": {"inlinedResponses": entries}}
                return name | {"metadata": {"state": "BATCH_STATE_SUCCEEDED"}, "done": True, "response": answered}

    @staticmethod
    def _status_of_openai(batch: Batch) -> Json:
        if not batch.results:
            return {"status": "cancelling" if batch.is_cancelled else "in_progress", "output_file_id": None}
        outcomes = {played.outcome for played in batch.results.values()}
        ended = "cancelled" if "cancelled" in outcomes else "expired" if "expired" in outcomes else "completed"
        output = f"{batch.id}-output" if "said" in outcomes else None
        errors = f"{batch.id}-errors" if outcomes - {"said"} else None
        return {"status": ended, "output_file_id": output, "error_file_id": errors}

    def _lines_of_anthropic(self, asked: _Asked) -> BatchReply:
        played = self.batches[asked.parts["id"]].results
        return self._lines([{"custom_id": name, "result": _of_anthropic(each)} for name, each in played.items()])

    def _lines_of_openai(self, asked: _Asked) -> BatchReply:
        played = self.batches[asked.parts["id"]].results.items()
        is_success = asked.parts["part"] == "output"
        return self._lines(
            [{"custom_id": name, **_of_openai(each)} for name, each in played if (each.outcome == "said") is is_success]
        )

    def _lines(self, lines: list[Json]) -> BatchReply:
        content = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        return BatchReply(200, content if self.results_as is None else self.results_as)


def _of_anthropic(played: Played) -> Json:
    match played.outcome:
        case "said":
            return {"type": "succeeded", "message": played.body}
        case "refused":
            return {"type": "errored", "error": played.body}
        case "expired":
            return {"type": "expired"}
        case "cancelled":
            return {"type": "canceled"}


def _of_openai(played: Played) -> Json:
    if played.outcome in {"said", "refused"}:
        return {"response": {"status_code": played.status, "request_id": "r", "body": played.body}, "error": None}
    return {"response": None, "error": {"code": f"batch_{played.outcome}", "message": "It was not come to."}}


def _entry_of_google(key: str, played: Played) -> Json:
    metadata = {"metadata": {"key": key}}
    match played.outcome:
        case "said":
            return metadata | {"response": played.body}
        case "refused":
            return metadata | {"error": played.body["error"]}
        case "expired":
            return metadata | {"error": {"code": 4, "message": "It was not come to."}}
        case "cancelled":
            return metadata | {"error": {"code": 1, "message": "The operation was cancelled."}}


def _moment(batch: Batch) -> str:
    return datetime.fromtimestamp(batch.created_at, UTC).isoformat()


def _json(value: Json) -> BatchReply:
    return BatchReply(200, json.dumps(value).encode())
