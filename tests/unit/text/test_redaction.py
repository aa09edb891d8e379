import pytest

from sparring.text.redaction import Redacted, Redactor, secret_values

RANDOM = "Zq8Lw3Rt6Yp1Kd9Hs4Vn7Xb2Mc5Jf0GuTaEo"
HEX = "9f86d081884c7d659a2feaa0c55ad015"
PRIVATE_KEY = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{RANDOM}\n{RANDOM}==\n-----END OPENSSH PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("token", "kind"),
    [
        (f"sk-ant-api03-{RANDOM}-{RANDOM}AA", "anthropic"),
        (f"sk-proj-{RANDOM}_{RANDOM}", "openai"),
        (f"sk-{RANDOM}", "openai"),
        (f"sk-or-v1-{HEX}{HEX}", "openai"),
        (f"AIza{RANDOM[:35]}", "google"),
        (f"ya29.a0{RANDOM}", "google"),
        (f"GOCSPX-{RANDOM[:28]}", "google"),
        (f"gsk_{RANDOM}{RANDOM[:16]}", "groq"),
        (f"hf_{RANDOM[:34]}", "hugging-face"),
        (f"nvapi-{RANDOM}-{RANDOM[:27]}", "nvidia"),
        (f"pplx-{RANDOM}{RANDOM[:12]}", "perplexity"),
        (f"r8_{RANDOM}", "replicate"),
        (f"xai-{RANDOM}{RANDOM}", "xai"),
        ("AKIAIOSFODNN7ABCDEFG", "aws"),
        ("ASIAIOSFODNN7ABCDEFG", "aws"),
        (f"a1B8Q~{RANDOM[:33]}", "azure"),
        (f"dapi{HEX}", "databricks"),
        (f"dop_v1_{HEX}{HEX}", "digitalocean"),
        (f"ghp_{RANDOM}", "github"),
        (f"ghs_{RANDOM}", "github"),
        (f"github_pat_11{RANDOM}_{RANDOM}", "github"),
        (f"glpat-{RANDOM[:20]}", "gitlab"),
        (f"npm_{RANDOM}", "npm"),
        (f"pypi-AgEIcHlwaS5vcmc{RANDOM}{RANDOM}", "pypi"),
        (f"lin_api_{RANDOM}", "linear"),
        (f"ntn_{RANDOM}{RANDOM[:10]}", "notion"),
        (f"SG.{RANDOM[:22]}.{RANDOM}abcdefg", "sendgrid"),
        (f"shpat_{HEX}", "shopify"),
        (f"xoxb-123456789012-{RANDOM}", "slack"),
        (f"xapp-1-A012-{RANDOM}", "slack"),
        (f"sq0csp-{RANDOM}", "square"),
        (f"EAAA{RANDOM}{RANDOM[:24]}", "square"),
        (f"sk_live_{RANDOM}", "stripe"),
        (f"whsec_{RANDOM}", "stripe"),
        (f"123456789:AA{RANDOM[:33]}", "telegram"),
        (f"SK{HEX}", "twilio"),
        (f"hvs.{RANDOM}", "vault"),
        (f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{RANDOM}", "jwt"),
        (PRIVATE_KEY, "private-key"),
        (PRIVATE_KEY.replace("OPENSSH", "RSA").replace("\n", "\\n"), "private-key"),
        (PRIVATE_KEY.replace("OPENSSH ", "").replace("\n", "\n> "), "private-key"),
        (PRIVATE_KEY.replace("OPENSSH", "PGP").replace("KEY-", "KEY BLOCK-"), "private-key"),
    ],
)
def test_known_shapes_are_taken_out_of_prose(token: str, kind: str) -> None:
    assert Redactor().redact(f"The key ({token}), it said.") == Redacted(
        f"The key ([REDACTED:{kind}]), it said.", (kind,)
    )


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("postgres://app:hunter2@db:5432/x", "postgres://[REDACTED:url-credentials]@db:5432/x"),
        ("https://:p@ss@h.org", "https://[REDACTED:url-credentials]@h.org"),
        ("Authorization: abc123def456", "Authorization: [REDACTED:authorization]"),
        ("Authorization: Bearer abc123def456", "Authorization: Bearer [REDACTED:authorization]"),
        ('"authorization": "Basic dXNlcjpwdw=="', '"authorization": "Basic [REDACTED:authorization]"'),
        (f"curl -H 'X: bearer {RANDOM}'", "curl -H 'X: bearer [REDACTED:bearer]'"),
        ("curl -u app:hunter22 https://h.org", "curl -u [REDACTED:curl-user] https://h.org"),
        ("curl \\\n  --user 'app:hunter22' h", "curl \\\n  --user '[REDACTED:curl-user]' h"),
        ("curl -H 'X-Shop-Key: abc12345' h", "curl -H 'X-Shop-Key: [REDACTED:secret]' h"),
        (
            f'<add key="ClearTextPassword" value="{RANDOM}" />',
            '<add key="ClearTextPassword" value="[REDACTED:secret]" />',
        ),
        (f'{{"name": "API_TOKEN", "value": "{RANDOM}"}}', '{"name": "API_TOKEN", "value": "[REDACTED:secret]"}'),
        (f"- name: API_TOKEN\n  value: {RANDOM}\n", "- name: API_TOKEN\n  value: [REDACTED:secret]\n"),
        (f"The access token is `{HEX}`.", "The access token is `[REDACTED:secret]`."),
        (f"I tried the API key {RANDOM}, in vain.", "I tried the API key [REDACTED:secret], in vain."),
        (f'cache_key = "{RANDOM}"', 'cache_key = "[REDACTED:secret]"'),
        (f"https://hooks.slack.com/services/T0/B0/{RANDOM}", "https://hooks.slack.com/services/[REDACTED:slack]"),
        (f"API_KEY={HEX}", "API_KEY=[REDACTED:secret]"),
        (f"export MY_KEY='{RANDOM}'", "export MY_KEY='[REDACTED:secret]'"),
        (f'api_key: str = "{RANDOM}"', 'api_key: str = "[REDACTED:secret]"'),
        (f'{{"clientSecret": "{RANDOM}", "id": 1}}', '{"clientSecret": "[REDACTED:secret]", "id": 1}'),
        (f'"{{\\"refresh_token\\": \\"{RANDOM}\\"}}"', '"{\\"refresh_token\\": \\"[REDACTED:secret]\\"}"'),
        (f"config['secret-key'] = b'{RANDOM}'", "config['secret-key'] = b'[REDACTED:secret]'"),
        (f":auth_token => '{RANDOM}'", ":auth_token => '[REDACTED:secret]'"),
        (f"https://h.org/?access_token={RANDOM}&x=1", "https://h.org/?access_token=[REDACTED:secret]&x=1"),
        (f"<apiKey>{RANDOM}</apiKey>", "<apiKey>[REDACTED:secret]</apiKey>"),
        (f"tool --api-key {RANDOM} run", "tool --api-key [REDACTED:secret] run"),
        (f"tool --token={RANDOM} run", "tool --token=[REDACTED:secret] run"),
        ("AccountKey=aB3/dE5+fG7hI9==;Suffix=x", "AccountKey=[REDACTED:secret];Suffix=x"),
        ("SECRET=123e4567-e89b-12d3-a456-426614174000", "SECRET=[REDACTED:secret]"),
        ('DB_PASSWORD="hunter22"', 'DB_PASSWORD="[REDACTED:secret]"'),
        ("password: Tr0ub4dor&3", "password: [REDACTED:secret]"),
        ("db:\n  password: hunter22\n", "db:\n  password: [REDACTED:secret]\n"),
        ("DB_PASSWORD=hunter22 run", "DB_PASSWORD=[REDACTED:secret] run"),
        ("password: horse!battery", "password: [REDACTED:secret]"),
        ("password = 'swordfish'", "password = '[REDACTED:secret]'"),
        ('{"adminPassword": "Swordfish"}', '{"adminPassword": "[REDACTED:secret]"}'),
        ("The root password is hunter22.", "The root password is [REDACTED:secret]."),
        ("the root password is 'swordfish'", "the root password is '[REDACTED:secret]'"),
        ("Set-Cookie: sid=a1b2c3d4e5; Path=/", "Set-Cookie: sid=[REDACTED:cookie]; Path=/"),
        (f"Cookie: theme=dark-blue-9; JSESSIONID={HEX}", "Cookie: theme=dark-blue-9; JSESSIONID=[REDACTED:cookie]"),
        (f"curl --cookie 'app_session={RANDOM}' h", "curl --cookie 'app_session=[REDACTED:cookie]' h"),
        (f"Try 00{RANDOM}aB_9 first.", "Try [REDACTED:okta] first."),
        (f"Try 1234567890123456789-{RANDOM[:30]}, then.", "Try [REDACTED:twitter], then."),
        (f"aws_secret_access_key = /{RANDOM}+x", "aws_secret_access_key = [REDACTED:secret]"),
    ],
)
def test_only_the_secret_goes_and_what_it_belongs_to_stays(text: str, redacted: str) -> None:
    assert Redactor().redact(text).text == redacted
    assert Redactor().redact(redacted) == Redacted(redacted)


@pytest.mark.parametrize(
    "text",
    [
        "risk-assessment-of-2024-and-later-years",
        "import sk-learn-contrib-py or use sk-circle-fade-dot-animation",
        'if "-----BEGIN PRIVATE KEY-----" in text: raise',
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "ssh://git@github.com/a/b and https://user:password@host and https://u:${PASSWORD}@host",
        "Authorization: Bearer <your-token-here>",
        "Authorization: Bearer $TOKEN_FROM_ENV",
        "authorization = base64.decodebytes(header)",
        "The bearer verification-procedure is described below",
        "API_KEY=your-api-key-12345",
        "API_KEY=xxxxxxxxxxxx1234",
        "API_KEY=${MY_API_KEY_1}",
        'api_key = os.environ["API_KEY_2"]',
        "api_key: str | None = None",
        "token: PKCS7PrivateKeyTypes = load()",
        "private_key: ed25519.Ed25519PrivateKey, f: int",
        "the password is required, was changed or is SHA-256-hashed",
        'CHALLENGE_PASSWORD: "challengePassword"',
        "Set-Cookie: colour=a1b2c3d4e5; session=${SESSION_ID_1}; token=plaintext",
        "let hf_requiredConditionForTheNextStepOf = 1",
        f"img/icon.ico-{HEX}.png",
        f"  ReactNativeCameraKit: {HEX}12345678",
        f"000{HEX}1234567 and 0000000000-1111111111 and 1234567890123456789-{HEX}",
        "password = password_from_form1",
        "password = get_password2(user)",
        "login(password=password2, user=user2)",
        "passwords: PasswordListV2 = []",
        'password = "password"',
        'password_file = "/etc/app/pass1.txt"',
        "token_url = https://login.example.org/oauth2/v2.0/token",
        "secret: /var/run/secrets2/token",
        "max_tokens=100000 input_tokens: 12345678",
        "tokenizer: bert-base-uncased-v2",
        'IDENTIFIER_PATTERN = "A1b2C3d4E5f6G7h8"',
        'sort_key = "created_at2desc1"',
        "RegEnumKey = win32api.RegEnumKeyEx2w3X",
        'extensionPublicKey = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"',
        f'cache_key = "{HEX}"',
        f"the key of the build is {HEX}",
        "a.ProgressToken=a.createConnection2x=a.Null3Logger4=a.Options5x",
        "curl -u $USER:$PASSWORD https://h.org and curl -u user:password https://h.org",
        "the token for the release 9f86d081884c7d659a2feaa0c55ad015",
        '"integrity": "sha512-z8d0m2b9sTqRwEjYy7QhXK1v3nLq0uG5b4cVtFaPiOeWkJhDgSfRmNxBvCyUzAtLpQrEoIwKsXdHjGfMnBvCxZ="',
        "diff --git a/x.py b/x.py\nindex 9f86d08188..4c7d659a2f 100644\n--- a/x.py\n+++ b/x.py\n",
        f'{{ url = "https://files.example.org/x.whl", hash = "sha256:{HEX}{HEX}", size = 12345678 }}',
        "request_id=123e4567-e89b-12d3-a456-426614174000 took 12 ms",
        "commit 9f86d081884c7d659a2feaa0c55ad01512345678 and sha256:9f86d081884c7d659a2feaa0c55ad015",
        "a <password>@host placeholder, see passwords > complexity99",
        "--token-count 12345678 --verbose something2",
    ],
)
def test_code_prose_and_placeholders_stay(text: str) -> None:
    assert Redactor().redact(text) == Redacted(text)


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f'algolia_api_key = "{HEX}"', 'algolia_api_key = "[REDACTED:algolia]"'),
        (f'{{"algoliaApiKey": "{HEX}"}}', '{"algoliaApiKey": "[REDACTED:algolia]"}'),
        (f"X-Algolia-API-Key: {HEX}\r\n", "X-Algolia-API-Key: [REDACTED:algolia]\r\n"),
        (f"our Algolia key is {HEX}, I think", "our Algolia key is [REDACTED:algolia], I think"),
        (f"{HEX} is our Algolia key", "[REDACTED:algolia] is our Algolia key"),
        ("DISCORD_CLIENT_ID=123456789012345678", "DISCORD_CLIENT_ID=[REDACTED:discord]"),
        ("New Relic id: " + "a1b2c3d4" * 8, "New Relic id: [REDACTED:new-relic]"),
        ('"heroku": "123e4567-e89b-12d3-a456-426614174000"', '"heroku": "[REDACTED:heroku]"'),
        ("fastly: =a1b2c3d4e5f6-7890_abcdefghijkl1", "fastly: [REDACTED:fastly]"),
    ],
)
def test_the_name_of_its_provider_gives_a_secret_away(text: str, redacted: str) -> None:
    assert Redactor().redact(text).text == redacted


@pytest.mark.parametrize(
    "text",
    [
        f"algolia checksum: {HEX}",
        f"algolia: commit {HEX}",
        f"{HEX} is the checksum of the Algolia key file",
        f"algolia = {HEX}{HEX}",
        f"we met algolia and then {HEX}",
        f"{HEX} is what we ask Algolia",
        f"{HEX}{HEX} is our Algolia key",
        "heroku[router]: at=info request_id=123e4567-e89b-12d3-a456-426614174000",
    ],
)
def test_a_checksum_beside_the_name_of_a_provider_stays(text: str) -> None:
    assert Redactor().redact(text) == Redacted(text)


MANIFEST = """apiVersion: v1
data:
  password: aHVudGVyMjI=
  user: "YWRtaW4="
  empty: {value}
kind: Secret
---
kind: ConfigMap
data:
  colour: bright-blue
"""


def test_the_data_of_a_kubernetes_secret_goes_and_that_of_another_object_stays() -> None:
    redacted = Redactor().redact(MANIFEST.replace("{value}", "{{ .Values.empty }}"))
    marker = "[REDACTED:kubernetes-secret]"
    expected = MANIFEST.replace("aHVudGVyMjI=", marker).replace("YWRtaW4=", marker)
    assert redacted == Redacted(expected.replace("{value}", "{{ .Values.empty }}"), ("kubernetes-secret",) * 2)


def test_the_data_of_a_kubernetes_secret_goes_from_json_as_well() -> None:
    text = '{"data": {"a": "aHVudGVyMjI=", "b": "${B}", "c": ""}, "kind": "Secret"}\n{"kind": "Secret"}'
    assert Redactor().redact(text).text == text.replace("aHVudGVyMjI=", "[REDACTED:kubernetes-secret]")


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"\x1b[31mghp_{RANDOM}\x1b[0m!", "\x1b[31m[REDACTED:github]\x1b[0m!"),
        (f"a \x1b[1mghp_{RANDOM[:9]}\x1b[0m{RANDOM[9:]} b\x1b[K", "a \x1b[1m[REDACTED:github]\x1b[0m b\x1b[K"),
        (f"\x1b[1mno\x1b[0m ghp_{RANDOM} \x1b[32mx{HEX}", f"\x1b[1mno\x1b[0m [REDACTED:github] \x1b[32mx{HEX}"),
        (f"\x1b[ghp_{RANDOM} \x1b[ AKIAIOSFODNN7ABCDEFG", "\x1b[[REDACTED:github] \x1b[ [REDACTED:aws]"),
        ("\x1b[1mplain\x1b[0m", "\x1b[1mplain\x1b[0m"),
    ],
)
def test_colours_neither_hide_a_secret_nor_get_lost(text: str, redacted: str) -> None:
    assert Redactor().redact(text).text == redacted


@pytest.mark.parametrize(
    "wrap", ["\n", "\r\n    ", "\\\n", "\n+", "\n- ", "\n> > ", "\u200b", "\u200d\ufeff", "\u2060\x1b[1m", "\U000e0041"]
)
@pytest.mark.parametrize("at", [14, 30])
def test_a_token_is_found_though_it_is_wrapped_or_something_invisible_stands_in_it(wrap: str, at: int) -> None:
    token = f"ghp_{RANDOM}"
    redacted = Redactor().redact(f"a {token[:at]}{wrap}{token[at:]} b").text
    assert redacted.replace("\x1b[1m", "") == "a [REDACTED:github] b"


def test_of_tokens_one_a_line_each_is_found() -> None:
    tokens = [f"ghp_{RANDOM}", f"sk-ant-api03-{RANDOM}-{RANDOM}", f"hf_{RANDOM[:34]}", f"sk-ant-api03-{RANDOM}{RANDOM}"]
    assert Redactor().redact("\n".join(tokens)).kinds == ("github", "anthropic", "hugging-face", "anthropic")


def test_a_token_that_is_wrapped_over_several_lines_is_found_whole() -> None:
    lines = [f"It is the key sk-ant-api03-{RANDOM}-{RANDOM}", RANDOM, RANDOM[::-1]]
    assert (
        Redactor().redact("\n+ ".join([*lines, "and", "so on"])).text
        == "It is the key [REDACTED:anthropic]\n+ and\n+ so on"
    )


@pytest.mark.parametrize(
    "text", [f"[REDACTED:github]\n{after}" for after in ("BUILD=12345678", "Then", "and-so-on-2", "9f86d081884c7d65")]
)
def test_a_token_at_the_end_of_a_line_does_not_take_the_next_line_with_it(text: str) -> None:
    assert Redactor().redact(text.replace("[REDACTED:github]", f"ghp_{RANDOM}")).text.startswith(text[:22])


@pytest.mark.parametrize("escape", ["\\n", "%3D", "%22", "_", "-", "/"])
def test_an_escape_before_a_token_does_not_hide_it(escape: str) -> None:
    assert Redactor().redact(f"x{escape}ghp_{RANDOM}").text == f"x{escape}[REDACTED:github]"


def test_what_comes_free_in_a_long_text_is_found_around_the_first_finds_only() -> None:
    line = f"eyJhbGciOiJI.eyJzdWIiOiI.{RANDOM}/AKIAIOSFODNN7ABCDEFG-ghp_{RANDOM}\n"
    clean = "[REDACTED:jwt]/[REDACTED:aws]-[REDACTED:github]\n"
    filler = "nothing to see\n" * 200
    redacted = Redactor().redact(f"{line}{line}{filler}{line}{filler}")
    assert redacted == Redacted(f"{clean}{clean}{filler}{clean}{filler}", ("jwt", "aws", "github") * 3)


def test_given_values_are_taken_out_wherever_they_stand_the_longest_first() -> None:
    redactor = Redactor(["tiger-42", "short", "tiger-42-stripes", "tiger-42"])
    assert redactor.redact("xtiger-42-stripesx, tiger-42! short") == Redacted(
        "x[REDACTED:known-value]x, [REDACTED:known-value]! short", ("known-value", "known-value")
    )


def test_a_given_value_is_not_sought_inside_markers() -> None:
    redactor = Redactor(["REDACTED", "known-value", "tiger-42"])
    once = redactor.redact("tiger-42 REDACTED")
    assert once == Redacted("[REDACTED:known-value] [REDACTED:known-value]", ("known-value", "known-value"))
    assert redactor.redact(once.text) == Redacted(once.text)


def test_a_secret_that_another_one_was_glued_to_is_found_as_well() -> None:
    assert Redactor().redact(f"eyJhbGciOiJI.eyJzdWIiOiI.{RANDOM}/AKIAIOSFODNN7ABCDEFG-ghp_{RANDOM}").text == (
        "[REDACTED:jwt]/[REDACTED:aws]-[REDACTED:github]"
    )


def test_a_truncated_private_key_goes_as_far_as_it_reaches() -> None:
    text = f"{PRIVATE_KEY.partition('==')[0]}… and so on"
    assert Redactor().redact(text) == Redacted("[REDACTED:private-key]… and so on", ("private-key",))


def test_a_pair_inside_a_harmless_value_is_found() -> None:
    text = f'token_name = "password=hunter22&x_token={HEX}"'
    assert Redactor().redact(text).text == 'token_name = "password=[REDACTED:secret]&x_token=[REDACTED:secret]"'


def test_secret_values_are_those_of_secret_looking_variables() -> None:
    environment = {
        "GITHUB_TOKEN": "plain-looking-token-42",
        "OPENAI_API_KEY": "sk-short-but-secret-1",
        "DATABASE_URL": "postgres://app:hunter2hunter2@db/x",
        "CACHE_URL": "redis://:pw@cache/0",
        "APP_SECRET": f"/{RANDOM}",
        "AMQP_PASSWORD": "abcdefghijklmnopqrst",
        "SMTP_PASS": "smtp-mailer-42",
        "NPM_AUTH": "bWU6bWVtZW1l",
        "SENTRY_DSN": f"https://{HEX}@o4711.ingest.sentry.example/42",
        "MYKEY": HEX[::-1],
        "TLS_PRIVATE": PRIVATE_KEY,
        "MONGO_URL": "mongodb://app:p%40ss%2Fword@db/x",
    }
    harmless = {
        "PATH": "/usr/bin:/usr/local/bin",
        "HOME": "/home/somebody",
        "EDITOR_NAME": "plain-looking-editor-42",
        "GOOGLE_CREDENTIALS": "/home/somebody/key.json",
        "SSH_AUTH_SOCK": "/run/user/1000/ssh-agent",
        "TOKEN_ENDPOINT": "https://login.example.org/token",
        "SECRET_SERVICE_KEY": "https://vault.example.org/key",
        "NPM_TOKEN": "true",
        "SESSION_TOKEN": "development",
        "MAX_TOKENS": "10000000000",
        "KEYBOARD": "de-latin1-nodeadkeys",
        "EMPTY_TOKEN": "",
        "GIT_COMMIT": HEX,
        "PUBLIC_KEY": HEX,
        "HOTKEY": "control-alt-delete",
        "REPOSITORY": "https://git@example.org/a",
    }
    inside = {"hunter2hunter2", HEX, "p%40ss%2Fword", "p@ss/word", RANDOM, f"{RANDOM}=="}
    expected = {*environment.values(), *inside}
    assert secret_values(environment | harmless) == tuple(sorted(expected))
