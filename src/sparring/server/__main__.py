"""``python -m sparring.server``: the server without the command line around it."""

from sparring.server.fast_start import main

if __name__ == "__main__":
    main()
