"""A Chat Completions endpoint that answers every question after a while, in a stream: ``slow_api.py SECONDS``."""

import asyncio
import json
import sys

WORDS = 10


async def main(delay_s: float) -> None:
    """Print the address, then serve until ended."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lengths = (line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
                await reader.readexactly(int(next(lengths, b"").partition(b":")[2] or 0))
                await asyncio.sleep(delay_s)
                writer.write(ANSWER)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=256)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    async with server:
        await server.serve_forever()


def _answer() -> bytes:
    ends: list[str | None] = [*[None] * WORDS, "stop"]
    chunks = [
        {"model": "m", "choices": [{"index": 0, "delta": {"content": "Yes. "}, "finish_reason": end}]} for end in ends
    ]
    events = [*(json.dumps(chunk) for chunk in chunks), "[DONE]"]
    body = b"".join(
        b"%x\r\n%b\r\n" % (len(piece), piece) for piece in (*(f"data: {e}\n\n".encode() for e in events), b"")
    )
    return b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n" + body


ANSWER = _answer()

if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
