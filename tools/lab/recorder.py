"""An MCP server with nothing in it that writes down what it is told: ``python recorder.py FILE``."""

import json
import sys
from pathlib import Path


def main(file: Path) -> None:
    """Write down every message, and answer it."""
    with file.open("a", encoding="utf-8") as record:
        for line in sys.stdin:
            record.write(line)
            record.flush()
            told = json.loads(line)
            if "id" in told and "method" in told:
                answer = {"jsonrpc": "2.0", "id": told["id"], **reply(told["method"], told.get("params") or {})}
                sys.stdout.write(f"{json.dumps(answer)}\n")
                sys.stdout.flush()


def reply(method: str, params: dict[str, object]) -> dict[str, object]:
    """Return the reply of a server without tools."""
    match method:
        case "initialize":
            named = {"name": "recorder", "version": "1"}
            version = params["protocolVersion"]
            return {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": named}}
        case "tools/list":
            return {"result": {"tools": []}}
        case _:
            return {"error": {"code": -32601, "message": "Method not found"}}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
