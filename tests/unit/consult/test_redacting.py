from sparring.consult.redacting import RedactingConsultant
from sparring.schema.base import Effort, Role
from sparring.schema.consultation import (
    DETAIL_LIMIT,
    Answer,
    Brief,
    Failure,
    FailureCode,
    Question,
    Reply,
    Speech,
    Usage,
)
from sparring.text.redaction import Redactor

KNOWN_VALUE = "correct-horse-7-battery"
GITHUB_TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


class Notebook:
    """A consultant that writes down what it is asked and gives the reply it was made with."""

    def __init__(self, reply: Reply) -> None:
        self.questions: list[Question] = []
        self._reply = reply

    async def ask(self, question: Question) -> Reply:
        self.questions.append(question)
        return self._reply


def question(prompt: str, topic: str = "A topic", speech: str = "A speech") -> Question:
    brief = Brief(
        step="debate/challenger-response",
        topic=topic,
        role=Role.CHALLENGER,
        round=1,
        speeches=(Speech(role=Role.PROPOSER, round=1, text=speech),),
    )
    return Question(prompt=prompt, brief=brief, effort=Effort.HIGH, timeout_s=5, session_id="abc.1", keep_session=True)


async def ask(reply: Reply, asked: Question) -> tuple[Reply, list[Question]]:
    notebook = Notebook(reply)
    return await RedactingConsultant(notebook, Redactor([KNOWN_VALUE])).ask(asked), notebook.questions


async def test_what_a_consultant_is_asked_holds_no_secret() -> None:
    _, asked = await ask(
        Answer(tool="claude", response="Yes.", duration_ms=1),
        question(
            f"Why {KNOWN_VALUE} and {GITHUB_TOKEN}?", topic=f"Why {KNOWN_VALUE}?", speech=f"Because of {GITHUB_TOKEN}."
        ),
    )
    assert asked == [
        question(
            "Why [REDACTED:known-value] and [REDACTED:github]?",
            topic="Why [REDACTED:known-value]?",
            speech="Because of [REDACTED:github].",
        )
    ]


async def test_an_answer_holds_no_secret_and_counts_both_ways() -> None:
    answer = Answer(
        tool="claude",
        model=f"model-{KNOWN_VALUE}",
        effort=Effort.HIGH,
        response=f"{GITHUB_TOKEN}, {GITHUB_TOKEN}",
        session_id="session-1",
        continuable=True,
        duration_ms=12,
        usage=Usage(input_tokens=3),
        redactions=1,
        warnings=(f"read {KNOWN_VALUE}", "slow"),
    )
    reply, _ = await ask(answer, question(f"{KNOWN_VALUE}?"))
    assert reply == Answer(
        tool="claude",
        model="model-[REDACTED:known-value]",
        effort=Effort.HIGH,
        response="[REDACTED:github], [REDACTED:github]",
        session_id="session-1",
        continuable=True,
        duration_ms=12,
        usage=Usage(input_tokens=3),
        redactions=6,
        warnings=("read [REDACTED:known-value]", "slow"),
    )


async def test_an_answer_without_secrets_passes_unchanged() -> None:
    answer = Answer(tool="codex", response="Line one\n\tLine two", duration_ms=3)
    assert (await ask(answer, question("Why?")))[0] == answer


async def test_a_failure_is_redacted_before_it_is_folded_into_one_line() -> None:
    failure = Failure(
        tool="codex",
        code=FailureCode.AUTH,
        detail=f"\x1b[31m401\x1b[0m\n  key {GITHUB_TOKEN}\n refused",
        retryable=True,
        duration_ms=4,
        redactions=1,
    )
    reply, _ = await ask(failure, question(f"{KNOWN_VALUE}?"))
    assert reply == Failure(
        tool="codex",
        code=FailureCode.AUTH,
        detail="401 key [REDACTED:github] refused",
        retryable=True,
        duration_ms=4,
        redactions=3,
    )


async def test_a_detail_that_grows_by_redaction_is_cut_to_its_limit() -> None:
    url = "//:a1@b "
    reply, _ = await ask(Failure(tool="codex", code=FailureCode.EXIT, detail=f"ftp:{url}" * 16), question("Why?"))
    redacted = "ftp://[REDACTED:url-credentials]@b " * 16
    assert reply == Failure(
        tool="codex", code=FailureCode.EXIT, detail=redacted[: DETAIL_LIMIT - 1] + "…", redactions=16
    )


async def test_a_secret_that_was_cut_at_the_limit_goes_with_its_word() -> None:
    detail = f"{'x ' * 90}value={KNOWN_VALUE}"[: DETAIL_LIMIT - 1] + "…"
    reply, _ = await ask(Failure(tool="codex", code=FailureCode.EXIT, detail=detail), question("Why?"))
    assert reply == Failure(tool="codex", code=FailureCode.EXIT, detail="x " * 90 + "…")


async def test_a_cut_secret_goes_although_a_comma_is_in_it() -> None:
    detail = f"{'x ' * 84}postgres://me:first,second;thi"[: DETAIL_LIMIT - 1].ljust(DETAIL_LIMIT - 1, "r") + "…"
    reply, _ = await ask(Failure(tool="codex", code=FailureCode.EXIT, detail=detail), question("Why?"))
    assert reply == Failure(tool="codex", code=FailureCode.EXIT, detail="x " * 84 + "…")


async def test_a_secret_with_an_escape_sequence_inside_does_not_pass() -> None:
    detail = f"{GITHUB_TOKEN[:9]}\x1b[1m{GITHUB_TOKEN[9:]}"
    reply, _ = await ask(Failure(tool="codex", code=FailureCode.EXIT, detail=detail), question("Why?"))
    assert reply == Failure(tool="codex", code=FailureCode.EXIT, detail="[REDACTED:github]", redactions=1)


async def test_a_session_id_that_is_a_secret_is_dropped() -> None:
    answer = Answer(tool="codex", response="Yes.", session_id=GITHUB_TOKEN, continuable=True, duration_ms=1)
    reply, _ = await ask(answer, question("Why?"))
    assert reply == Answer(tool="codex", response="Yes.", duration_ms=1, redactions=1)
