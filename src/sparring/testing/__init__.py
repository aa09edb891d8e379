"""What the tests of sparring, of a provider or of a plugin play against: real programs and servers, on loopback only.

- ``model_endpoint``: speaks the model APIs (``dialects``), remembers every request, misbehaves on demand.
- ``fake_cli``, ``fake_claude``, ``faulty_cli``: programs that behave, answer as Claude Code does, or fail in one way.
- ``acp_agent``: an agent over ACP that plays a scenario; needs the extra ``sparring[acp]``.
- ``losing_disk``: a disk that loses what was not synced, for whatever writes through ``sparring.disk``.
- ``cancelling``: cancels a piece of work at any one of its steps, to see what it leaves behind.
- ``attendance``: where those programs report in, so that a test knows without a clock that one is there or gone.

Nothing else of the package imports it. ``docs/testing.md`` shows how a test uses it.
"""
