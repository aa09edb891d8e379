"""``python -m sparring.server``: the server without the command line around it."""

from sparring.server.building import build_server
from sparring.server.stdio import run


def main() -> None:
    """Serve on standard input and output until the host closes them or ends us."""
    run(build_server())


if __name__ == "__main__":
    main()
