"""What a claim is held against: named apart, without secrets, from where whoever asks may read; and rows of claims."""

import pytest

from sparring.app import App
from sparring.app.local_project import substituted
from sparring.errors import ToolNotFoundError, UsageError
from sparring.formats.fact_check.options import FactCheckOptions
from sparring.formats.jury.options import JuryOptions
from sparring.participants.options import AccompanyingInput
from sparring.schema.consultation import ContextPart
from sparring.schema.fact_check import FactCheckRequest
from sparring.schema.jury import TEXT_LIMIT
from support.desk import write
from support.installed import app_with
from support.workbench import Workbench

pytestmark = pytest.mark.slow

PIPED = ContextPart(name="standard input", size_bytes=5, text="piped")


@pytest.fixture
def app(bench: Workbench) -> App:
    return app_with(bench)


def options(*texts: str, files: tuple[object, ...] = (), **other: bool) -> FactCheckOptions:
    paths = tuple(map(str, files))
    said = {"claim": "It is tall.", "participants": "ann,bob", "evidence": texts, "evidence_file": paths}
    return FactCheckOptions.model_validate(said | other)


def checked(
    app: App, *texts: str, files: tuple[object, ...] = (), piped: ContextPart | None = None
) -> FactCheckRequest:
    return app.request(options(*texts, files=files), AccompanyingInput(piped, is_by_user=True))


def truth_in(file: object) -> JuryOptions:
    return JuryOptions(claim="It is tall.", truth_file=str(file), participants="ann", row_id=" 7 ")


def names(request: FactCheckRequest) -> list[str]:
    return [part.name for part in request.evidence]


def test_sources_keep_their_order_and_get_names_of_their_own(bench: Workbench, app: App) -> None:
    write(bench.project / "a.md", "It is tall.")
    request = checked(app, "one", "two", files=("a.md", "a.md"), piped=PIPED)
    assert names(request) == ["evidence 1", "evidence 2", "a.md", "standard input"]
    assert [part.text for part in request.evidence] == ["one", "two", "It is tall.", "piped"]


def test_files_with_ambiguous_names_get_distinct_labels(bench: Workbench, app: App) -> None:
    outside = write(bench.root / "elsewhere" / "a.md", "Outside.")
    for inside in ("docs/a.md", "evidence 1"):
        write(bench.project / inside, "Inside.")
    assert names(checked(app, files=("docs/a.md", outside))) == ["docs/a.md", str(outside)]
    assert names(checked(app, "one", files=("evidence 1",))) == ["evidence 1", "file evidence 1"]


def test_too_many_sources_and_a_file_without_a_name_are_refused(app: App) -> None:
    with pytest.raises(UsageError, match=r"101 sources are given; the limit is 100\."):
        checked(app, *("x" for _ in range(101)))
    with pytest.raises(UsageError, match="names no file"):
        app.request(options("file="))


def test_a_byte_order_mark_and_other_ends_of_lines_are_no_part_of_the_text(bench: Workbench, app: App) -> None:
    (bench.project / "a.md").write_bytes(b"\xef\xbb\xbfIt is tall.\r\n\x0cPage 2.")
    assert checked(app, files=("a.md",)).evidence[0].text == "It is tall.\n\nPage 2."


def test_a_caller_that_is_no_user_reads_only_in_the_project(bench: Workbench, app: App) -> None:
    write(bench.project / "docs" / "a.md", "Inside.")
    outside = write(bench.root / "elsewhere" / "a.md", "Outside.")
    (bench.project / "way-out.md").symlink_to(outside)
    assert names(app.request(options("one", "file=docs/a.md", "two"))) == ["evidence 1", "a.md", "evidence 2"]
    for spelled in (f"file={outside}", "file=../elsewhere/a.md", "file=way-out.md", "file=//host/a.md"):
        with pytest.raises(UsageError, match=r"outside of the project|leads upwards|network path"):
            app.request(options(spelled))


def test_a_text_that_only_holds_the_spelling_of_a_file_is_a_text(app: App) -> None:
    assert app.request(options("see file=/etc/passwd")).evidence[0].text == "see file=/etc/passwd"
    assert checked(app, "file=/etc/passwd").evidence[0].text == "file=/etc/passwd"


@pytest.mark.parametrize("is_by_user", [True, False])
def test_a_file_made_for_secrets_is_read_only_if_allowed(bench: Workbench, app: App, *, is_by_user: bool) -> None:
    write(bench.project / ".env", "NAME=tower\n")
    given = AccompanyingInput(is_by_user=is_by_user)
    with pytest.raises(UsageError, match="may contain secrets"):
        app.request(options(files=(".env",)), given)
    assert names(app.request(options(files=(".env",), allow_secret_files=True), given)) == [".env"]


def test_secrets_in_claim_evidence_and_truth_are_redacted_and_counted(bench: Workbench, app: App) -> None:
    token = "ghp_" + "a1B2" * 9
    wish = FactCheckOptions(claim=f"{token} is tall.", evidence=(f"{token} and {token}",), participants="ann,bob")
    file = write(bench.root / "elsewhere" / "truth.txt", f"\ufeffIt is {token}.\n")
    check, jury = app.request(wish), app.request(truth_in(file), AccompanyingInput(is_by_user=True))
    assert token not in check.model_dump_json() + jury.model_dump_json()
    assert (check.redactions, jury.redactions) == (3, 1)
    assert (jury.truth[:6], jury.row_id, jury.dataset) == ("It is ", "7", None)


def test_a_truth_of_the_size_of_a_book_is_refused_with_its_size(bench: Workbench, app: App) -> None:
    write(bench.project / "truth.txt", "x" * (5 * 1024 * 1024))
    told = f"The truth has 5,120 KiB; it may have {TEXT_LIMIT:,} characters: a statement"
    with pytest.raises(UsageError, match=told):
        app.request(truth_in("truth.txt"), AccompanyingInput(is_by_user=True))


TYPED = AccompanyingInput(is_by_user=True)
ROWS = [
    {"truth": "It is 330 m tall.", "claim": "It is 300 m tall.", "row_id": "a"},
    {"truth": "The key is ghp_0123456789abcdefghijABCDEFGHIJ012345.", "claim": "There is a key.", "row_id": ""},
]


@pytest.mark.parametrize(
    "seats", [{}, {"participants": "codex"}, {"seat": ("judge=claude",), "substitute": "codex"}], ids=str
)
def test_each_row_has_the_request_that_it_has_alone(bench: Workbench, seats: dict[str, str]) -> None:
    app, options = app_with(bench, "claude", "codex"), JuryOptions.model_validate({"claim": "-", **seats})
    request = app.requests(options, TYPED)
    for row in (*ROWS, ROWS[0]):
        assert request(row) == app.request(options.model_copy(update=row), TYPED)


def test_a_substitute_has_its_own_family(bench: Workbench) -> None:
    app = app_with(bench, "claude", "codex")
    request = app.request(options("It is.").model_copy(update={"substitute": "claude"}))
    other = substituted(request, "codex", app.roster)
    assert (request.family_of_tool("claude"), other.family_of_tool("codex")) == ("claude", "gpt")


def test_a_row_is_refused_alone_and_each_for_a_tool_that_is_missing(bench: Workbench) -> None:
    app = app_with(bench, "claude")
    request, missing = (
        app.requests(JuryOptions(claim="-", seat=(f"judge={judge}",)), TYPED) for judge in ("claude", "codex")
    )
    with pytest.raises(UsageError, match="There is no claim"):
        request({**ROWS[0], "claim": ""})
    assert request(ROWS[0]).row_id == "a"
    for row in ROWS:
        with pytest.raises(ToolNotFoundError):
            missing(row)
