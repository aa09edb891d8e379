import pytest

from sparring.checks.claims import check_claim
from sparring.checks.claims.settings import Property, Settings
from sparring.checks.claims.tokens import Text
from sparring.schema.claims import ClaimCheck, Dimension, Finding, Label, Severity, Status
from sparring.schema.lookups import Span, TextSpan

S, R, N = Label.SUPPORTED, Label.REFUTED, Label.NEI

BLOCK = "MAX_RETRIES\nAdded in version 2.17.0.\nDefault: `2`\nHow often a request is sent again.\n"
BRACKET = "# How long to wait.\n[ wait: <duration> | default = 5m ]\n"
TABLE = "`--secure` | Use TLS. | default: true\n`--size` | How much. | default: 10000"
COLUMNS = "| name | Default | what |\n| `--port` | 9090 | Where it listens. |\n"
PLAIN = '# The longest log.\nlog-max-len 128\nname = "left"\n'
NONE = "AWS_KEY\nDefault: `None`\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (BLOCK, [("MAX_RETRIES", Property.ADDED, "2.17.0"), ("MAX_RETRIES", Property.DEFAULT, "`2`")]),
        (BRACKET, [("wait", Property.DEFAULT, "5m")]),
        (TABLE, [("--secure", Property.DEFAULT, "true"), ("--size", Property.DEFAULT, "10000")]),
        (COLUMNS, [("--port", Property.DEFAULT, "9090")]),
        (PLAIN, [("log-max-len", Property.VALUE, "128"), ("name", Property.VALUE, '"left"')]),
        ("--old: Does much. Deprecated in 3.2.", [("--old", Property.DEPRECATED, "3.2")]),
        ("Nothing is set by default here.", []),
        ("x" * 2000 + " = 1\n", []),
    ],
)
def test_settings_are_read_as_they_are_written_in_documentation(
    text: str, found: list[tuple[str, Property, str]]
) -> None:
    settings = [each for told in Settings(Text(text)).by_key.values() for each in told]

    assert [(each.key, each.property, each.value) for each in settings] == found
    assert all(text[each.start : each.end] == each.value for each in settings)


@pytest.mark.parametrize(
    ("claim", "evidence", "label"),
    [
        ("`MAX_RETRIES` defaults to 2.", BLOCK, S),
        ("By default, `MAX_RETRIES` is set to two.", BLOCK, S),
        ("If `MAX_RETRIES` is not set, 3 is used.", BLOCK, R),
        ("`MAX_RETRIES` was added in version 2.17.", BLOCK, S),
        ("`MAX_RETRIES` was added in 2.18.0.", BLOCK, R),
        ("`MAX_RETRIES` already works in version 2.16.1.", BLOCK, R),
        ("`MAX_RETRIES` already works in version 3.0.", BLOCK, S),
        ("`MAX_RETRIES` was removed in version 2.17.0.", BLOCK, N),
        ("`MAX_RETRIES` cannot be set above 100.", BLOCK, N),
        ("`MIN_RETRIES` defaults to 2.", BLOCK, N),
        ("`wait` defaults to 300 seconds.", BRACKET, S),
        ("`wait` defaults to 300 s.", BRACKET, S),
        ("`wait` defaults to 5ms.", BRACKET, R),
        ("`wait` defaults to 5.", BRACKET, N),
        ("`--secure` is enabled by default.", TABLE, S),
        ("`--secure` is not true by default.", TABLE, R),
        ("By default, `--secure` is not disabled.", TABLE, S),
        ("`--size` defaults to 10k.", TABLE, S),
        ("`--size` defaults to 10 million.", TABLE, R),
        ("`--port` defaults to 9091.", COLUMNS, R),
        ("`log-max-len` is set to 64 in this configuration file.", PLAIN, R),
        ("`name` is set to `right`.", PLAIN, R),
        ("`AWS_KEY` defaults to `true`.", NONE, R),
        ("The default value of `AWS_KEY` is `None`.", NONE, S),
        ("`--max-time` defaults to 9223372036854775806.", "`--max-time` | default: 9223372036854775807", R),
        ("`--read` defaults to 5m.", "`--read` | default: 5m0s", S),
    ],
)
def test_a_claim_about_a_setting_is_held_against_that_setting(claim: str, evidence: str, label: Label) -> None:
    assert check_claim(claim, [evidence]).label is label


def test_what_the_setting_has_is_shown() -> None:
    assert check_claim("`--port` defaults to 80.", ["Nothing.", COLUMNS]) == ClaimCheck(
        label=R,
        findings=(
            Finding(
                dimension=Dimension.QUALIFIER,
                status=Status.MISMATCH,
                severity=Severity.CRITICAL,
                claim=TextSpan(text="80", start=21, end=23),
                evidence=Span(index=1, text="9090", start=COLUMNS.index("9090"), end=COLUMNS.index("9090") + 4),
                why='The evidence has "9090" for --port, the claim "80".',
            ),
        ),
    )


def test_a_setting_that_says_nothing_of_it_leaves_the_value_uncovered() -> None:
    assert check_claim("`AWS_KEY` was added in version 3.2.", [NONE]) == ClaimCheck(label=N, uncovered=("3.2",))
