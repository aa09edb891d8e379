"""``python -m sparring`` is the ``sparring`` script."""

import os
import sys


def main() -> None:
    """Serve a host, which must not wait for the command line to be imported, or do what was typed."""
    # No other package's plugin sees our records; to search all installed ones for some takes a twentieth of a start.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    try:
        if sys.argv[1:] == ["serve"]:
            from sparring.server.__main__ import main as run  # noqa: PLC0415 -- one of the two doors
        else:
            from sparring.cli import run  # noqa: PLC0415 -- the other
        run()
    except KeyboardInterrupt:  # while modules were imported: nothing had begun
        sys.exit(130)
    except Exception as error:
        from sparring.errors import ExhaustedError  # noqa: PLC0415 -- only where it is needed

        if not (exhausted := ExhaustedError.behind(error)):
            raise
        sys.exit(f"Error: {exhausted}")


if __name__ == "__main__":
    main()
