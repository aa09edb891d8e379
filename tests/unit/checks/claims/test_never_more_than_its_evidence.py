"""What was measured and found wanting: pairs of which no word may be said that their evidence does not carry."""

import pytest

from sparring.checks.claims import check_claim
from sparring.schema.claims import Label

S, R, N = Label.SUPPORTED, Label.REFUTED, Label.NEI


@pytest.mark.parametrize(
    ("claim", "evidence", "labels"),
    [
        ("The bridge was closed in 2019 by aliens.", "The bridge was closed in 2019 for repairs.", {N}),
        ("It requires Python 3.10.", "It requires Python 3.11 or later.", {R}),
        ("It requires Python 3.12.", "It requires Python 3.11 or later.", {S, N}),
        ("The server listens on port 8080.", "The server listens on port 8081.", {R}),
        ("The request times out after 30 seconds.", "The request times out after 30 ms.", {R}),
        ("The table holds 10 million rows.", "The table holds 10 thousand rows.", {R}),
        ("The company has 650k users.", "The company has 650m users.", {R, N}),
        ("The ticket costs $10.", "The ticket costs €10.", {R, N}),
        ("The new parser is 3x faster.", "The new parser is 3 times slower.", {R, N}),
        ("The suite has 120 tests.", "The suite has 121 tests.", {R}),
        ("The town has 645,000 people.", "The town has 645k people.", {S}),
        ("The cache is enabled by default.", "The cache is disabled by default.", {R}),
        ("It runs on Node 18.", "It runs on Node 20.", {R, N}),
        ("It was fixed in version 1.2.3.", "It was fixed in version 1.2.4.", {R}),
        ("The tool supports Windows.", "The tool does not support Windows.", {R}),
        ("Google acquired Apple.", "Apple acquired Google.", {R, N}),
        ("Apple bought Google in 2019.", "Google bought Apple in 2019.", {R, N}),
        ("The limit is 3,600 requests.", "The limit is 3600 requests.", {S}),
        ("The limit is 10k characters.", "The limit is 10000 characters.", {S}),
        ("It waits 90 seconds.", "It waits 1.5 minutes.", {S}),
        ("It keeps 4 GiB of memory.", "It keeps 4096 MiB of memory.", {S}),
        ("It keeps 4 GB of memory.", "It keeps 4 MB of memory.", {R}),
        ("About 13,000 people came.", "12,987 people came.", {S}),
        ("13,000 people came.", "12,987 people came.", {S}),
        ("50 people came.", "51 people came.", {R}),
        ("The field is required.", "The field is optional.", {R}),
        ("It retries at least 3 times.", "It retries at most 3 times.", {R}),
        ("Windows is fully supported.", "SUPPORTED\nThe word stands here.", {N}),
        ("The bridge was painted green by convicts.", "The bridge was closed.", {N}),
        ("`max_size` is required.", "`min_size` is required.", {N}),
        ("`--verbose` prints more.", "`--verbosity` prints more.", {N}),
    ],
)
def test_no_label_says_more_than_the_evidence(claim: str, evidence: str, labels: set[Label]) -> None:
    assert check_claim(claim, [evidence]).label in labels


@pytest.mark.parametrize(
    ("claim", "uncovered"),
    [
        ("The bridge was closed in 2019 by aliens.", ("aliens",)),
        ("The old bridge was closed in 2019.", ("old",)),
        ("It rained.", ("rained",)),
    ],
)
def test_what_nothing_accounts_for_is_named(claim: str, uncovered: tuple[str, ...]) -> None:
    check = check_claim(claim, ["The bridge was closed in 2019 for repairs."])

    assert (check.label, check.uncovered) == (Label.NEI, uncovered)
