"""Files that a test compares whole outputs with, below ``tests/golden``; ``make renew`` writes them anew."""

from pathlib import Path

from msgspec import Struct

GOLDEN = Path(__file__).parents[1] / "golden"


class Golden(Struct, frozen=True):
    """Comparison of an output with its golden file. With ``renews`` a file is written instead, and the test passes."""

    renews: bool

    def holds(self, path: str, content: str) -> None:
        """Return whether the file at ``path`` below ``tests/golden`` has this content, to the letter."""
        file = GOLDEN / path
        if self.renews:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
        assert content == (file.read_text(encoding="utf-8") if file.is_file() else None), (
            f"{path} differs; if that is meant, `make renew` writes it"
        )
