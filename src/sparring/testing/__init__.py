"""Counterparts for tests of sparring, of a provider or of a plugin: programs and servers, on loopback only.

- ``workspace``: a project, a user's folders and a clean environment, in which sparring is run; and an attendance, where
  programs report in, so that a test knows without a clock that one is there or gone.
- ``model_endpoint``: speaks the model APIs (``dialects``) and their batch interfaces (``batches``), remembers every
  request, misbehaves on demand.
- ``model_servers``: servers of a user's own as they report themselves, and how vendors and servers refuse a request.
- ``stream_noise``: answers of model APIs with the noise of real servers around them, and streams that are none.
- ``fake_cli``, ``fake_claude``, ``fake_agy``: programs that behave, and that answer as Claude Code does, or as
  Antigravity CLI is reported to, or fail in one way. They are run as files, ``python fake_cli.py …``, and import
  nothing but the standard library.
- ``noise``: what programs print around their answers, put around, between and into a recorded output.
- ``acp_agent``: an agent over ACP that plays a scenario; needs the extra ``acp``, as nothing else here does.
- ``acp_in_process``: the same agent without a process.
- ``crashes``: a disk that loses what was not synced, for whatever writes through ``sparring.disk``; and work that is
  cancelled at any one of its steps, to see what it leaves behind.

What stands in ``__all__`` is what a test needs day by day. Nothing else of the package imports this one, and nothing
here needs pytest. ``docs/testing.md`` shows how a test uses it.
"""

from sparring.testing.model_endpoint import Behaviour, Call, Hang, ModelEndpoint, Refuse, Request, Reset, Say, Send
from sparring.testing.workspace import Attendance, Finished, Workspace

__all__ = [
    "Attendance",
    "Behaviour",
    "Call",
    "Finished",
    "Hang",
    "ModelEndpoint",
    "Refuse",
    "Request",
    "Reset",
    "Say",
    "Send",
    "Workspace",
]
