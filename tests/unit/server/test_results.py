import json
from itertools import count, takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.types import CallToolResult, ResourceLink, TextContent

from sparring.server.results import RESULT_LIMIT, ToolResult, call_result, cuts, fitted, paged, refused

FRAME = ToolResult(status="finished", run_id="debate-20260301T120000Z-c0de", text="", next='Call "runs".')
PAGES = FRAME.model_copy(update={"next": 'Call runs with page {page} for "more".'})
NASTY = st.text(alphabet='a"\\\n\t\x01é😀 ', max_size=400)


def size(result: ToolResult) -> int:
    """Characters of the larger half."""
    return max(len(json.dumps(result.sent, ensure_ascii=False)), len(result.markdown))


@given(NASTY, st.integers(min_value=40, max_value=200))
def test_pieces_fit_and_are_together_the_text(text: str, room: int) -> None:
    pieces = list(cuts(text, room))
    assert "".join(pieces) == text
    assert all(len(json.dumps(piece, ensure_ascii=False)) <= room + 2 for piece in pieces)
    assert all(pieces) or pieces == [""]


@pytest.mark.parametrize("character", ["a", '"', "\n.", "\x01", "😀"])
@pytest.mark.parametrize("obedient", [True, False])
def test_a_result_of_any_text_stays_below_the_limit(character: str, obedient: bool) -> None:  # noqa: FBT001
    result = fitted(FRAME, lambda limit: character * (limit if obedient else 50_000) + ".")
    assert size(result) < RESULT_LIMIT
    assert len(result.text) > 1_000
    assert result.markdown.endswith('\n\nCall "runs".')


@pytest.mark.parametrize("character", ["a", '"', "\n.", "\x01"])
def test_every_page_stays_below_the_limit_and_names_the_next(character: str) -> None:
    last = "Now you know. " * 200  # leaves less room for text than the sentences of the other pages do
    found = (paged(PAGES, character * 29_000, number, last) for number in count(1))
    shown = [page for page in takewhile(bool, found) if page]
    assert {page.pages for page in shown} == {len(shown)}
    assert all(size(page) < RESULT_LIMIT for page in shown)
    follows = [f'Call runs with page {number} for "more".' for number in range(2, len(shown) + 1)]
    assert [(page.page, page.next) for page in shown] == list(enumerate([*follows, last], 1))


def test_structured_content_has_the_fields_and_the_text_has_all_of_them() -> None:
    fields = {"status": "running", "run_id": FRAME.run_id, "winner": "ann", "warnings": ["[WARN] One."]}
    fields |= {"text": "Why.", "next": "Wait."}
    assert call_result(ToolResult.model_validate({**fields, "first": "# ann wins\n"})) == CallToolResult(
        content=[TextContent(type="text", text="# ann wins\n\nWhy.\n\nWait.")],
        structured_content=fields,
        is_error=False,
    )


def test_the_result_of_a_run_that_is_finished_links_to_its_report() -> None:
    address = "sparring://runs/debate-20260301T120000Z-c0de"
    link = ResourceLink(type="resource_link", uri=address, name=f"Report of {FRAME.run_id}", mime_type="text/markdown")
    assert call_result(FRAME).content == [TextContent(type="text", text=FRAME.next), link]
    without_run = ToolResult(status="finished", text="Checked by code alone.")
    assert call_result(without_run).content == [TextContent(type="text", text="Checked by code alone.")]


def test_a_refusal_is_one_short_line() -> None:
    assert refused("No\nsuch\x1b[2J tool.") == ToolResult(status="refused", text="No such tool.")
    assert len(refused("x" * 1_000_000).text) == 1_000
    assert call_result(refused("No.")).is_error
