"""Our side of a talk with an agent: what it may ask of us, and what it is given.

Files are read for an agent that was allowed to see the project, and for nobody else. Nothing is written, and nothing
is run.
"""

from pathlib import Path
from typing import Any

from acp import RequestError
from acp.schema import ReadTextFileRequest, ReadTextFileResponse, RequestPermissionRequest, RequestPermissionResponse
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from pydantic import BaseModel, ValidationError

from sparring.consult.acp.hearing import Hearing, ToolCall
from sparring.consult.acp.permits import Permits, response
from sparring.consult.context import read_project_file
from sparring.errors import UsageError
from sparring.schema.base import RepoAccess
from sparring.text.redaction import Redactor

FILE_LIMIT = 1024 * 1024
"""Most bytes of a file that an agent is given."""

SERVED_LIMIT = 8 * 1024 * 1024
"""Most characters that it is given in all; whoever reads more is not answering a question."""

_DONE = frozenset({"completed", "in_progress"})


class Desk:
    """Answers an agent's requests.

    Attributes:
        refused: What it asked for and was not given, in its own words, each once.
        redactions: How many secrets were taken out of what it was given.
    """

    def __init__(self, hearing: Hearing, project: Path, access: RepoAccess, redactor: Redactor) -> None:
        self._hearing = hearing
        self._permits = Permits(project, access)
        self._project = project
        self._access = access
        self._redactor = redactor
        self._one_at_a_time = CapacityLimiter(1)
        self._served = 0
        self.refused: dict[str, None] = {}
        self.redactions = 0

    def liberties(self) -> list[str]:
        """What it did with tools of its own that nobody had allowed."""
        done = (call for call in self._hearing.calls.values() if call.status in _DONE and call.kind != "think")
        granted = self._hearing.allowed
        return [str(call) for call in done if call.id not in granted and not self._permits.tolerates(call)]

    async def __call__(self, method: str, params: Any, is_notification: bool) -> Any:  # noqa: FBT001 - the package's shape
        """Answer one request, or take in one notification, of which none is ever an error.

        Raises:
            RequestError: The request is not granted; the agent is told.
        """
        if is_notification:
            if method == "session/update":
                self._hearing.hear(params)
            return None
        try:
            return await self._answer(method, params)
        except ValidationError as error:
            raise RequestError.invalid_params() from error

    async def _answer(self, method: str, params: Any) -> BaseModel:
        match method:
            case "session/request_permission":
                return self._permission(RequestPermissionRequest.model_validate(params), params)
            case "fs/read_text_file" if self._access is RepoAccess.READ:
                return await self._file(ReadTextFileRequest.model_validate(params))
            case _:
                self.refused[method] = None
                raise RequestError.method_not_found(method)

    def _permission(self, request: RequestPermissionRequest, params: dict[str, Any]) -> RequestPermissionResponse:
        # Validated anew: the package drops a location that it cannot understand, and would have us allow the rest.
        call = self._hearing.known(ToolCall.model_validate(params["toolCall"]))
        allowed = self._permits.allows(call)
        if allowed:
            self._hearing.allowed.add(call.id)
        else:
            self.refused[str(call)] = None
        return response(request.options, allowed=allowed)

    async def _file(self, request: ReadTextFileRequest) -> ReadTextFileResponse:
        try:
            # One at a time, or a flood of requests would be as many files in memory.
            text = await run_sync(self._read, request.path, limiter=self._one_at_a_time)
        except UsageError as error:
            self.refused[f"read {request.path}"] = None
            raise RequestError.invalid_params({"details": str(error)}) from error
        first = max((request.line or 1) - 1, 0)
        lines = text.splitlines(keepends=True)[first:]
        content = "".join(lines if request.limit is None else lines[: request.limit])
        self._served += len(content)
        return ReadTextFileResponse(content=content)

    def _read(self, path: str) -> str:
        if self._served >= SERVED_LIMIT:
            raise UsageError("Enough was read.")
        file = read_project_file(path, project=self._project, folders=(self._project,), limit=FILE_LIMIT)
        if file.text is None:
            raise UsageError(f"The file has more than {FILE_LIMIT // 2**20} MiB.")
        harmless = self._redactor.redact(file.text)  # whole: half a secret is no longer recognised
        self.redactions += harmless.count
        return harmless.text
