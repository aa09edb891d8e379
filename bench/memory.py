"""Peak memory of a whole debate whose answers are 1 MiB each."""

import sys
import tempfile
from pathlib import Path

from bench.processes import cost_of
from bench.scripted_tools import environment, write_tools

SPARRING = str(Path(sys.executable).with_name("sparring"))


def main() -> None:
    """Print the peak beside that of a debate with short answers (aim: under 120 MiB)."""
    peaks: dict[str, float] = {}
    for size, speech in (("short", "Yes, see `README.md:1`."), ("1 MiB", "All work and no play. " * 47_663)):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_tools(folder / "config", delay_s=0, speech=speech)
            argv = [SPARRING, "debate", "Bench?", "--proposer", "left", "--challenger", "right", "--judge", "bench"]
            peaks[size] = cost_of([*argv, "--rounds", "5"], environment=environment(folder)).peak_mib
    for size, peak in peaks.items():
        print(f"5-round debate, {size} answers: {peak:.0f} MiB")
    print(f"ratio {peaks['1 MiB'] / peaks['short']:.2f}  (aim: < 120 MiB)")


if __name__ == "__main__":
    main()
