"""The pages of runs that ``serve --http`` has for browsers: who gets to see them, and what they may do."""

import re
from pathlib import Path

import httpx

from support.http_server import PLAIN, TOKEN, HostedServer, bearer
from support.journals import kept_runs


def get(server: HostedServer, path: str, **headers: str) -> httpx.Response:
    return httpx.get(f"{server.url}{path}", verify=PLAIN, headers=headers)


def test_a_token_in_the_address_is_given_for_a_cookie_that_opens_pages_and_nothing_else(tmp_path: Path) -> None:
    with HostedServer(tmp_path) as server:
        (run_id,) = kept_runs(server.bench, 1)
        path = f"/runs/{run_id}"
        refused = [get(server, path), get(server, f"{path}?token={TOKEN[:-1]}"), get(server, f"{path}/events")]
        assert {(answer.status_code, answer.text) for answer in refused} == {(401, "A token is needed.\n")}
        assert get(server, path, **bearer()).status_code == 200

        admitted = get(server, f"{path}?token={TOKEN}")
        assert admitted.status_code == 200
        assert f'content="0;url={path}"' in admitted.text
        cookie, *said = admitted.headers["set-cookie"].split("; ")
        assert {"HttpOnly", "SameSite=strict", "Path=/runs/"} <= set(said)
        assert TOKEN not in f"{admitted.text}{admitted.headers}"

        shown = get(server, path, Cookie=cookie)
        assert shown.status_code == 200
        assert run_id in shown.text
        assert get(server, path, Cookie=cookie, Origin="https://evil.example").status_code == 403
        assert get(server, path, Cookie="sparring-runs=x").status_code == 401
        posted = httpx.post(f"{server.url}/mcp", verify=PLAIN, headers={"Cookie": cookie})
        assert (posted.status_code, get(server, f"/mcp?token={TOKEN}").status_code) == (401, 401)


def test_a_page_is_private_cannot_be_framed_and_has_a_content_policy(tmp_path: Path) -> None:
    with HostedServer(tmp_path) as server:
        (run_id,) = kept_runs(server.bench, 1)
        shown = get(server, f"/runs/{run_id}", **bearer())
        policy = shown.headers["content-security-policy"]
        in_page = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', shown.text)
        assert in_page
        assert policy == f"{in_page[1].replace('&#x27;', chr(39))}; frame-ancestors 'none'"
        told = {name: shown.headers[name] for name in ("cache-control", "referrer-policy", "x-content-type-options")}
        assert set(told.values()) == {"no-store", "no-referrer", "nosniff"}
        assert shown.headers["cross-origin-resource-policy"] == "same-origin"
        assert not [name for name in shown.headers if name.startswith("access-control")]


def test_an_unknown_run_has_no_page(tmp_path: Path) -> None:
    with HostedServer(tmp_path) as server:
        for wanted in ("nobody", "..%2f..%2fetc%2fpasswd", "%2e%2e", "a/b", "", "last/events/x", "%00"):
            answer = get(server, f"/runs/{wanted}", **bearer())
            assert (wanted, answer.status_code) == (wanted, 404)
            assert answer.headers["content-type"].startswith("text/plain")


def test_without_a_token_a_foreign_host_name_gets_no_page(tmp_path: Path) -> None:
    with HostedServer(tmp_path, "") as server:
        (run_id,) = kept_runs(server.bench, 1)
        assert get(server, f"/runs/{run_id}").status_code == 200
        assert get(server, f"/runs/{run_id}", Host="evil.example").status_code == 421
        assert httpx.post(f"{server.url}/runs/{run_id}", verify=PLAIN).status_code == 404
