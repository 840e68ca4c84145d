"""A page on the internet must not reach the studio, and nobody its files."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import Any

import pytest

import counterfold as cf
from counterfold.errors import FileError, MissingExtraError
from counterfold.studio.folder import Folder
from tests.studio.conftest import RIVER, Server, running
from tests.written import game_of_two


def ask(
    server: Server,
    path: str,
    headers: dict[str, str] | None = None,
    method: str = "GET",
    body: bytes | None = None,
) -> tuple[int, str, dict[str, str]]:
    """The answer to a request with some headers; Host is usually its own."""
    host = server.url.removeprefix("http://")
    connection = http.client.HTTPConnection(
        host.replace(host.split(":")[0], "127.0.0.1"), timeout=30
    )
    connection.putrequest(method, path, skip_host=True)
    for name, value in {
        "Host": host,
        "Content-Length": str(len(body or b"")),
        **(headers or {}),
    }.items():
        connection.putheader(name, value)
    connection.endheaders(body)
    answer = connection.getresponse()
    found = answer.status, answer.read().decode(), {k.lower(): v for k, v in answer.getheaders()}
    connection.close()
    return found


def test_the_own_page_comes_in_with_a_strict_policy(studio: Server) -> None:
    status, _, headers = ask(studio, "/")
    assert status == 200
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1", "", "localhost:1"]
)
def test_a_foreign_host_is_refused(studio: Server, host: str) -> None:
    assert ask(studio, "/api/home", {"Host": host})[0] == 403


def test_a_foreign_origin_is_refused(studio: Server) -> None:
    for origin in (
        "http://evil.example",
        "null",
        studio.url.replace("http", "https"),
        "http://127.0.0.1:1",
    ):
        assert ask(studio, "/api/home", {"Origin": origin})[0] == 403
        assert ask(studio, "/api/jobs", {"Origin": origin}, "POST", b"{}")[0] == 403
    assert ask(studio, "/api/home", {"Origin": studio.url})[0] == 200


def test_what_a_foreign_page_embeds_is_refused_and_a_link_is_followed(studio: Server) -> None:
    embedded = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert ask(studio, "/api/home", embedded)[0] == 403
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert ask(studio, "/build", followed)[0] == 200
    assert ask(studio, "/api/jobs", followed, "POST", b"{}")[0] == 403


def test_a_foreign_web_socket_is_refused(studio: Server) -> None:
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    address = studio.url.replace("http", "ws") + "/live"
    for origin in ("http://evil.example", None):
        with pytest.raises(InvalidStatus) as refused:
            connect(address, origin=origin)  # type: ignore[arg-type]
        assert refused.value.response.status_code == 403
    with connect(address, origin=studio.url) as socket:  # type: ignore[arg-type]
        assert "jobs" in json.loads(socket.recv(timeout=10))


@pytest.mark.parametrize(
    "name",
    [
        "../secret.json",
        "/etc/passwd",
        ".studio/jobs",
        "%2e%2e/secret.json",
        "link.json",
        "",
        "a\0b",
    ],
)
def test_paths_stay_inside_the_folder(studio: Server, name: str) -> None:
    from urllib.parse import quote

    secret = studio.folder.parent / "secret.json"
    secret.write_text(json.dumps(RIVER))
    link = studio.folder / "link.json"
    if not link.is_symlink():
        link.symlink_to(secret)
    given = name if "%" in name else quote(name, safe="")
    for path in (f"/api/build/spot?file={given}", f"/api/browse?file={given}"):
        status, body, _ = ask(studio, path)
        assert status == 400, body
        assert "Ks 9h" not in body
    assert ask(studio, f"/static/{quote(name)}")[0] in (403, 404, 405)
    link.unlink()


def test_a_program_runs_only_if_it_was_named_at_the_start(studio: Server, tmp_path: Path) -> None:
    marker = studio.folder / "ran"
    (studio.folder / "evil.py").write_text(f"open({str(marker)!r}, 'w')\nclass Game: pass\n")
    for name in (
        "evil.py:Game",
        f"{studio.folder}/evil.py:Game",
        "mapped(game=evil.py:Game,maps=x)",
    ):
        body = json.dumps({"game": name}).encode()
        status, text, _ = ask(
            studio, "/api/jobs", {"Content-Type": "application/json"}, "POST", body
        )
        assert status == 400, text
    assert not marker.exists()


def test_uploads_are_small_and_of_known_kinds(studio: Server) -> None:
    def bring(name: str, content: bytes) -> tuple[int, str]:
        return ask(
            studio,
            f"/api/bring?name={name}",
            {"Content-Type": "application/octet-stream"},
            "POST",
            content,
        )[:2]

    status, text = bring("brought.json", json.dumps(RIVER).encode())
    assert status == 200
    assert json.loads(text)["name"] == "brought.json"
    (studio.folder / "brought.json").unlink()
    for name, content in (
        ("page.html", b"<script>"),
        ("game.py", b"x = 1"),
        ("no-spot.json", b"{"),
        ("nothing.safetensors", b"\0" * 100),
        ("large.json", b" " * (1 << 20) + b"{}"),
        ("..%2Fout.json", json.dumps(RIVER).encode() * 0 + b"[]"),
    ):
        before = set(studio.folder.rglob("*"))
        assert bring(name, content)[0] == 400, name
        assert set(studio.folder.rglob("*")) - before == set()


@pytest.mark.parametrize(
    "body",
    [
        *(b"[" * 100_000, b'{"a":' * 9_000, b"\xff", b"[]", b'{"game": NaN}', b'{"game": {}}'),
        *(b'{"game": "kuhn", "iterations": %s}' % x for x in (b"1e30", b"-1", b"1.5", b"1e400")),
    ],
)
def test_a_damaged_request_gets_a_sentence(studio: Server, body: bytes) -> None:
    status, text, _ = ask(studio, "/api/jobs", {"Content-Type": "application/json"}, "POST", body)
    assert status == 400
    assert len(json.loads(text)["error"]) > 10


@pytest.mark.parametrize(
    "against",
    [
        "../out.safetensors",
        "/tmp/out.cf",
        "holdem(../out.cf)",
        "best-response(to=/tmp/out.cf)",
        "evil.py:Bot",
        "mixture(evil.py:Bot)",
    ],
)
def test_who_plays_comes_from_the_folder(studio: Server, against: str) -> None:
    body = json.dumps({"game": "kuhn", "against": against}).encode()
    status, text, _ = ask(
        studio, "/api/play/sit", {"Content-Type": "application/json"}, "POST", body
    )
    assert status == 400
    assert "folder" in json.loads(text)["error"]


def test_names_of_a_game_are_text_and_never_markup(browser: Any, tmp_path: Path) -> None:
    name = "<img src=x onerror=window.hit=1>"
    pays = "(1, -1) if state[0] == state[1] else (-1, 1)"
    marked = game_of_two("Marked", f'("{name}", "plain")', f'"{name}"', pays)
    (tmp_path / "marked.py").write_text(marked)
    spec = f"{tmp_path}/marked.py:Marked"
    cf.solve(spec, until=10, save=tmp_path / "marked.safetensors")
    with running(tmp_path, "--game", spec) as server:
        page = browser.new_page()
        page.set_default_timeout(20_000)
        page.goto(f"{server.url}/game?file=marked.safetensors")
        page.wait_for_selector(".tree svg circle")
        assert page.get_by_text(name).count() > 2
        page.goto(f"{server.url}/play?against=marked.safetensors")
        page.wait_for_selector(f".move:has-text('{name}')")
        page.goto(f"{server.url}/bend?file=marked.safetensors&tab=style")
        page.wait_for_selector(".slider")
        assert page.locator("main img").count() == 0
        assert page.evaluate("window.hit") is None
        page.close()


def test_names_from_files_are_text_and_never_markup(studio: Server, visit) -> None:  # type: ignore[no-untyped-def]
    name = "<img src=x onerror=window.hit=1>"
    (studio.folder / "marked.json").write_text(json.dumps({**RIVER, "name": name}))
    (studio.folder / f"{name}.json".replace("/", "")).write_text(json.dumps(RIVER))
    page = visit("/")
    page.wait_for_selector(f"text={name}")
    assert page.evaluate("window.hit") is None
    assert page.locator("main img").count() == 0


def test_other_hosts_need_the_token_that_is_shown_once(tmp_path: Path) -> None:
    with running(tmp_path, "--host", "0.0.0.0") as server:
        token = server.line.split("token=")[1].strip()
        port = server.url.rpartition(":")[2]
        server.url = f"http://127.0.0.1:{port}"
        assert ask(server, "/api/home")[0] == 403
        assert ask(server, "/?token=wrong")[0] == 403
        assert ask(server, f"/?token={token}", {"Host": f"evil.example:{port}"})[0] == 403
        status, _, headers = ask(server, f"/?token={token}")
        assert (status, headers["location"]) == (303, "/")
        assert "httponly" in headers["set-cookie"].lower()
        cookie = headers["set-cookie"].partition(";")[0]
        assert ask(server, "/api/home", {"Cookie": cookie})[0] == 200
        assert (
            ask(server, "/api/home", {"Cookie": cookie, "Origin": "http://evil.example"})[0] == 403
        )


def test_a_folder_is_served_by_one_studio(studio: Server) -> None:
    with pytest.raises(MissingExtraError), running(studio.folder):
        pass


def test_names_of_new_files_are_plain(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert folder.fresh("river", ".json") == "river.json"
    (tmp_path / "river.json").touch()
    assert folder.fresh("river", ".json") == "river-1.json"
    for name in ("../x", "a/b", "", ".hidden", "x" * 200, 3):
        with pytest.raises(Exception, match=r"no name|not in"):
            folder.inside(folder.fresh(name, ".json"), new=True)
    with pytest.raises(FileError):
        folder.inside("..")
