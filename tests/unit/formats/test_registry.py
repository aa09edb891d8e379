"""The formats there are: listed without being imported, found by name, added from elsewhere."""

import subprocess
import sys

import pytest

from sparring.errors import UnknownFormatError
from sparring.formats.registry import Listed, Registry

DEBATE = Listed("debate", "sparring.formats.debate", "Two argue, one judges.")


def test_a_format_from_elsewhere_is_added_once_and_removed() -> None:
    registry = Registry(DEBATE)
    with pytest.raises(ValueError, match="already"):
        registry.add(DEBATE)
    registry.add(Listed("row", DEBATE.module, "The same once more."))
    assert list(registry) == ["debate", "row"]
    assert registry["row"] is registry["debate"]
    registry.remove("row")
    assert (list(registry), registry.summary("debate")) == (["debate"], "Two argue, one judges.")
    with pytest.raises(UnknownFormatError):
        registry["row"]


@pytest.mark.process
def test_listing_the_formats_imports_no_format_and_no_record() -> None:
    told = "import sys; from sparring.formats.registry import FORMATS; list(FORMATS); print(*sys.modules)"
    imported = subprocess.run([sys.executable, "-c", told], capture_output=True, check=True, text=True).stdout.split()
    assert "sparring.formats.registry" in imported
    assert not set(imported) & {"pydantic", "sparring.schema", "sparring.engine", "sparring.formats.debate"}
