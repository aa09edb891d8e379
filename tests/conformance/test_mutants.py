"""The planted bugs of ``tools/mutants`` can be planted: each finds its one place in the code as it is now."""

from mutants.run import ROOT, bugs, place_of


def test_every_planted_bug_finds_its_place() -> None:
    for bug in bugs():
        place_of(bug, ROOT)
        assert bug.old != bug.new, bug.name
        assert bug.why, bug.name
