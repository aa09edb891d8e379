"""Counterparts for tests of sparring, of a provider or of a plugin: programs and servers, on loopback only.

- ``workspace``: a project, a user's folders and a clean environment, in which sparring is run; and an attendance list,
where programs report in, so that a test knows without a clock that one has started or ended.
- ``model_endpoint``: speaks the model APIs (``dialects``) and their batch interfaces (``batches``), remembers every
  request, misbehaves on demand.
- ``model_servers``: servers of a user's own with their own reports, and refusals of vendors and servers.
- ``stream_noise``: answers of model APIs with the noise of real servers around them, and streams that are none.
- ``fake_cli``, ``fake_claude``, ``fake_agy``: programs that work, that answer like Claude Code, or like
Antigravity CLI by public reports, or fail in one way. They are run as files, ``python fake_cli.py …``, and import
nothing but the standard library.
- ``noise``: other output of programs, put around, between and into a recorded output.
- ``acp_agent``: an agent over ACP that plays a scenario; the only one that needs the extra ``acp``.
- ``acp_in_process``: the same agent without a process.
- ``crashes``: a disk that loses unsynced data, for all code that writes through ``sparring.disk``; and work that is
cancelled at any one of its steps, to show what remains.

``__all__`` lists what a test usually needs. Nothing else of the package imports this one, and it does not
need pytest. ``docs/testing.md`` shows how a test uses it.
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
