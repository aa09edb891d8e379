"""Settings in documentation: how they are read, and what a claim about one comes to."""

import pytest

from sparring.checks.claims import check_claim
from sparring.checks.claims.settings import settings_by_key
from sparring.checks.claims.tokens import Text
from support.texts import texts

TEXTS = texts("claims")
PAGES: dict[str, str] = dict(TEXTS["pages-of-settings"])


@pytest.mark.parametrize(
    ("text", "found"), [*TEXTS["settings-as-they-are-written-in-documentation"], ("x" * 2000 + " = 1\n", [])]
)
def test_settings_are_read_as_they_are_written_in_documentation(text: str, found: list[list[str]]) -> None:
    page = PAGES.get(text, text)
    settings = [each for told in settings_by_key(Text(page)).values() for each in told]
    assert [[each.key, each.property, each.value] for each in settings] == found
    assert all(page[each.start : each.end] == each.value for each in settings)


@pytest.mark.parametrize(("claim", "page", "label"), TEXTS["a-claim-about-a-setting-is-held-against-that-setting"])
def test_a_claim_about_a_setting_is_held_against_that_setting(claim: str, page: str, label: str) -> None:
    assert check_claim(claim, [PAGES.get(page, page)]).label == label
