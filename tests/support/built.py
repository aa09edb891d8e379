"""What the package's own build makes of the checkout."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def built_wheel(folder: Path, source: Path = ROOT) -> Path:
    """The wheel of ``source``, built without a network."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built
