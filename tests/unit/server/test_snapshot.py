"""Which snapshot is believed: what ships, what an earlier start wrote, or none."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from sparring.server.snapshot import SHIPPED, Message, cached, keep, load

RECORDED: Message = json.loads(Path(SHIPPED).read_text(encoding="utf-8"))
MADE_OF: Message = RECORDED["made_of"]


class Home:
    """What ships with an installation, and the cache of its user."""

    def __init__(self, root: Path, **changed: object) -> None:
        self.shipped = root / "snapshot.json"
        self.shipped.write_text(json.dumps(RECORDED | changed), encoding="utf-8")
        self.cache = root / "cache"

    def load(self) -> tuple[Any, bool] | None:
        """Whose snapshot it is, and whether it is the shipped one, made of what is installed."""
        found = load(str(self.shipped), str(self.cache))
        return found and (found.recorded.get("by", "us"), found.is_ours)

    def keep(self, **changed: object) -> Path:
        keep(RECORDED | {"by": "a start"} | changed, str(self.shipped), str(self.cache))
        return Path(cached(MADE_OF, str(self.shipped), str(self.cache)))


def beside_another(root: Path, distribution: str = "mcp", **changed: object) -> Home:
    """What ships was made beside another version of it than is installed."""
    return Home(root, made_of=MADE_OF | {distribution: "0.0.7"}, **changed)


@pytest.mark.parametrize("distribution", ["mcp", "mcp_types", "pydantic"])
def test_with_another_sdk_the_shipped_snapshot_serves_once_then_the_written_one(
    tmp_path: Path, distribution: str
) -> None:
    home = beside_another(tmp_path, distribution)
    assert home.load() == ("us", False)
    written = home.keep()
    assert home.load() == ("a start", False)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (written, written.parent)] == [0o600, 0o700]
    assert list(written.parent.iterdir()) == [written]


def test_with_an_sdk_of_another_protocol_the_first_start_waits(tmp_path: Path) -> None:
    home = beside_another(tmp_path, protocol=7)
    assert home.load() is None
    home.keep()
    assert home.load() == ("a start", False)


def test_definitions_of_another_version_of_sparring_are_never_used(tmp_path: Path) -> None:
    home = beside_another(tmp_path, "sparring")
    home.keep()
    assert home.load() is None


def test_what_was_written_for_other_versions_or_other_definitions_is_not_read(tmp_path: Path) -> None:
    home = beside_another(tmp_path)
    home.keep(made_of=MADE_OF | {"mcp": "2.9.9"})
    assert home.load() == ("us", False)
    home.keep()
    assert home.load() == ("a start", False)
    home.shipped.write_text(home.shipped.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert home.load() == ("us", False)


def test_a_cache_does_not_grow_for_ever(tmp_path: Path) -> None:
    home = beside_another(tmp_path)
    written = [home.keep(made_of=MADE_OF | {"mcp": f"2.9.{number}"}) for number in range(20)]
    written.append(home.keep())
    kept = list(written[0].parent.iterdir())
    assert len(kept) == 8
    assert written[-1] in kept


DAMAGED = (*("", "[]", "[" * 100_000, "{}", " " * 2_000_000), json.dumps({**RECORDED, "answers": [7]}))
FOREIGN = json.dumps({"by": "a stranger", **RECORDED, "made_of": {**MADE_OF, "mcp": "2.9.9"}})


@pytest.mark.parametrize("damaged", [*DAMAGED, FOREIGN], ids=lambda text: text[:9].strip())
def test_a_damaged_or_foreign_file_in_the_cache_is_ignored_and_rewritten(tmp_path: Path, damaged: str) -> None:
    home = beside_another(tmp_path)
    home.keep().write_text(damaged, encoding="utf-8")
    assert home.load() == ("us", False)
    home.keep()
    assert home.load() == ("a start", False)


def test_an_unwritable_cache_is_not_used(tmp_path: Path) -> None:
    home = beside_another(tmp_path)
    home.cache.write_text("a file", encoding="utf-8")
    home.keep()
    assert home.load() == ("us", False)


def test_the_shipped_snapshot_counts_only_for_the_installed_versions(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.keep()
    assert home.load() == ("us", True)
    home.shipped.write_text("{", encoding="utf-8")
    assert home.load() is None
    home.shipped.unlink()
    assert home.load() is None
