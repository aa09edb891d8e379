"""Settings in documentation: how they are read, and what a claim about one comes to."""

import pytest

from sparring.checks.claims import check_claim
from sparring.checks.claims.settings import Property, settings_by_key
from sparring.checks.claims.tokens import Text
from support.texts import texts

PAGES = {
    "block": "MAX_RETRIES\nAdded in version 2.17.0.\nDefault: `2`\nHow often a request is sent again.\n",
    "bracket": "# How long to wait.\n[ wait: <duration> | default = 5m ]\n",
    "table": "`--secure` | Use TLS. | default: true\n`--size` | How much. | default: 10000",
    "columns": "| name | Default | what |\n| `--port` | 9090 | Where it listens. |\n",
    "plain": '# The longest log.\nlog-max-len 128\nname = "left"\n',
    "none": "AWS_KEY\nDefault: `None`\n",
}
DEFAULT, VALUE = Property.DEFAULT, Property.VALUE


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("block", [("MAX_RETRIES", Property.ADDED, "2.17.0"), ("MAX_RETRIES", DEFAULT, "`2`")]),
        ("bracket", [("wait", DEFAULT, "5m")]),
        ("table", [("--secure", DEFAULT, "true"), ("--size", DEFAULT, "10000")]),
        ("columns", [("--port", DEFAULT, "9090")]),
        ("plain", [("log-max-len", VALUE, "128"), ("name", VALUE, '"left"')]),
        ("--old: Does much. Deprecated in 3.2.", [("--old", Property.DEPRECATED, "3.2")]),
        ("--wait (seconds, default: 30): How long.", [("--wait", DEFAULT, "30")]),
        (
            "`wait` (default: 30): How long. `tries` (at most 9, default: 3): How often.",
            [("wait", DEFAULT, "30"), ("tries", DEFAULT, "3")],
        ),
        ("wait (see below): How long.", []),
        ("Nothing is set by default here.", []),
        ("x" * 2000 + " = 1\n", []),
    ],
)
def test_settings_are_read_as_they_are_written_in_documentation(
    text: str, found: list[tuple[str, Property, str]]
) -> None:
    page = PAGES.get(text, text)
    settings = [each for told in settings_by_key(Text(page)).values() for each in told]
    assert [(each.key, each.property, each.value) for each in settings] == found
    assert all(page[each.start : each.end] == each.value for each in settings)


@pytest.mark.parametrize(
    ("claim", "page", "label"), texts("claims")["a-claim-about-a-setting-is-held-against-that-setting"]
)
def test_a_claim_about_a_setting_is_held_against_that_setting(claim: str, page: str, label: str) -> None:
    assert check_claim(claim, [PAGES.get(page, page)]).label == label
