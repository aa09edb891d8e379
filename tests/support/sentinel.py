"""Somebody on loopback whom nobody should ask, and who counts those who do."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


class Sentinel:
    """Listens while the block lasts.

    Attributes:
        url: Where.
        asked: The path of each request, and a line for each connection that was only opened.
    """

    def __init__(self) -> None:
        self.asked = asked = list[str]()

        class _Server(ThreadingHTTPServer):
            def verify_request(self, request: object, client_address: object) -> bool:
                asked.append("a connection")
                return super().verify_request(request, client_address)  # pyright: ignore[reportArgumentType]

        class _Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_error(404)

            do_POST = do_HEAD = do_GET  # noqa: N815 -- the same

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name that is called
                """Say nothing."""

        self._server = _Server(("127.0.0.1", 0), _Answers)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.005})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
