"""Browser with which tests look at pages."""

import shutil

_NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_browser() -> str | None:
    """The program; None where there is none."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)
