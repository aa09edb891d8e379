"""``sparring view --live``: the page of one run on loopback while it goes on."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx
import pytest
from msgspec import Struct, field

from sparring.errors import UsageError
from sparring.reports.progress import place_line
from sparring.schema.transcript import PendingAsk, Placed
from sparring.server.live import serve_page
from sparring.store.journal import JournalWriter
from support.http_server import PLAIN
from support.journals import KEY, header, outcome, turn
from support.workbench import PATIENCE_S


class Served(Struct):
    """A page that is served."""

    url: str = ""
    was_over: list[bool] = field(default_factory=list[bool])


@asynccontextmanager
async def served(
    folder: Path, after_end_s: float = PATIENCE_S, note: Callable[[str, str], object] | None = None
) -> AsyncGenerator[Served]:
    """The page of the run in ``folder``; by the end of the block whoever serves it must have ended."""
    page, there = Served(), anyio.Event()
    bell, asked = anyio.create_memory_object_stream[None](1)

    def hello(address: str) -> None:
        page.url = address
        there.set()

    async def serve() -> None:
        page.was_over.append(await serve_page(folder, asked, hello, after_end_s=after_end_s, note=note))

    with bell, asked, anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as group:
            group.start_soon(serve)
            await there.wait()
            yield page
            if not page.was_over:
                await bell.send(None)


async def next_event(lines: AsyncIterator[str]) -> tuple[str, dict[str, Any]]:
    """The name and the data of the next event."""
    name, data, _ = [await anext(lines) for _ in range(3)]
    return name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / header().run_id


async def test_a_listener_gets_every_turn_and_the_end(folder: Path) -> None:
    with JournalWriter.create(folder, header(), key=KEY) as writer:
        writer.turn(turn(0), step=0, index=0, of=1)
        async with served(folder) as page, httpx.AsyncClient(verify=PLAIN, timeout=PATIENCE_S) as http:
            first = await http.get(page.url)
            assert "connect-src 'self'" in first.headers["content-security-policy"]
            async with http.stream("GET", f"{page.url}/events") as stream:
                assert stream.headers["content-type"].startswith("text/event-stream")
                lines = stream.aiter_lines()
                assert await next_event(lines) == ("more", {"turns": 1, "speaking": []})
                writer.turn(turn(1), step=1, index=0, of=1)
                assert await next_event(lines) == ("more", {"turns": 2, "speaking": []})
                writer.end(outcome())
                assert await next_event(lines) == ("over", {"turns": 2, "speaking": []})
            last = await http.get(page.url)
            assert "connect-src" not in last.headers["content-security-policy"]
            while not page.was_over:
                await anyio.lowlevel.checkpoint()
    assert page.was_over == [True]


async def test_a_page_shows_the_speaker_until_the_answer_arrives(folder: Path) -> None:
    asked = PendingAsk(index=0, ask_id=turn(0).ask_id, call="0" * 32, place=Placed(**turn(0).place))
    with JournalWriter.create(folder, header(), key=KEY) as writer:
        writer.asked([asked], step=0, of=1)
        async with (
            served(folder) as page,
            httpx.AsyncClient(verify=PLAIN, timeout=PATIENCE_S) as http,
            http.stream("GET", f"{page.url}/events") as stream,
        ):
            lines = stream.aiter_lines()
            name, told = await next_event(lines)
            assert (name, told["turns"], [each["who"] for each in told["speaking"]]) == (
                "asked",
                0,
                [place_line(turn(0))],
            )
            assert told["speaking"][0]["s"] >= 0
            writer.turn(turn(0), step=0, index=0, of=1)
            assert await next_event(lines) == ("more", {"turns": 1, "speaking": []})


async def test_a_reader_of_the_page_may_tell_both_sides_something_and_no_other_page_may(folder: Path) -> None:
    notes = list[tuple[str, str]]()

    def note(run_id: str, text: str) -> None:
        if not text:
            raise UsageError("A note has 1 to 2,000 characters.")
        notes.append((run_id, text))

    with JournalWriter.create(folder, header(), key=KEY) as writer:
        writer.turn(turn(0), step=0, index=0, of=1)
        async with served(folder, note=note) as page, httpx.AsyncClient(verify=PLAIN, timeout=PATIENCE_S) as http:
            async with http.stream("GET", f"{page.url}/events") as stream:
                assert (await next_event(stream.aiter_lines()))[1]["notes"] is True
            own = {"Origin": f"http://{urlsplit(page.url).netloc}"}
            told = [
                await http.post(f"{page.url}/note", content=text, headers=headers)
                for text, headers in (
                    ("Mind the cost.", own),
                    ("", own),
                    ("x" * 20_000, own),
                    ("Lies.", {}),
                    ("Lies.", {"Origin": "https://evil.example"}),
                )
            ]
            assert [answer.status_code for answer in told] == [204, 409, 413, 404, 404]
            assert told[1].text == "A note has 1 to 2,000 characters.\n"
            assert notes == [(folder.name, "Mind the cost.")]
        async with served(folder) as page, httpx.AsyncClient(verify=PLAIN, timeout=PATIENCE_S) as http:
            own = {"Origin": f"http://{urlsplit(page.url).netloc}"}
            assert (await http.post(f"{page.url}/note", content="Mind it.", headers=own)).status_code == 404


async def test_only_the_secret_address_opens_a_live_page(folder: Path) -> None:
    with JournalWriter.create(folder, header(), key=KEY):
        async with served(folder) as page, httpx.AsyncClient(verify=PLAIN, timeout=PATIENCE_S) as http:
            root, run = f"http://{urlsplit(page.url).netloc}", f"/runs/{folder.name}"
            secret = urlsplit(page.url).path.split("/")[1]
            assert len(secret) >= 32
            paths = (
                run,
                f"{run}/events",
                "/",
                f"/x{run}",
                f"/{secret[:-1]}{run}",
                f"/{secret}",
                f"/{secret}/runs/last",
            )
            answers = [await http.get(f"{root}{path}") for path in paths]
            odd = {"Host": ("evil.example", "localhost"), "Origin": ("https://evil.example", "null")}
            answers += [await http.get(page.url, headers={name: each}) for name in odd for each in odd[name]]
            answers.append(await http.post(page.url))
            assert {(answer.status_code, answer.text) for answer in answers} == {(404, "There is no such page.\n")}
            assert (await http.get(page.url, headers={"Origin": root})).status_code == 200
    assert page.was_over == [False]


async def test_a_page_that_was_never_fetched_expires(folder: Path) -> None:
    with JournalWriter.create(folder, header(), key=KEY) as writer:
        writer.end(outcome())
    async with served(folder, after_end_s=0) as page:
        while not page.was_over:
            await anyio.lowlevel.checkpoint()
    assert page.was_over == [True]
