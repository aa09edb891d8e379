"""Talk to the payment provider; ``docs/provider.md`` is what they promise."""

import json
from http.client import HTTPSConnection

TIMEOUT_S = 8


class Provider:
    """Payment provider."""

    def __init__(self, host: str, token: str) -> None:
        self._host = host
        self._token = token

    def charge(self, cents: int, key: str) -> str:
        """The receipt; raises ``TimeoutError`` when no answer comes in time."""
        return self._post("/charges", {"cents": cents}, key)["receipt"]

    def refund(self, receipt: str, key: str) -> None:
        """Give the money back."""
        self._post("/refunds", {"receipt": receipt}, key)

    def _post(self, path: str, body: dict[str, object], key: str) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {self._token}", "Idempotency-Key": key}
        connection = HTTPSConnection(self._host, timeout=TIMEOUT_S)
        connection.request("POST", path, json.dumps(body), headers)
        return json.load(connection.getresponse())
