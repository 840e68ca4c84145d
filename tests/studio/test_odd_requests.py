"""Requests that no page of the studio makes: endless, odd, to odd paths, from elsewhere."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from counterfold.errors import FileError
from counterfold.studio.folder import KINDS, Folder
from tests.studio.conftest import RIVER, Server, running


def said(server: Server, head: bytes, more: Iterator[bytes] | None = None) -> tuple[bytes, int]:
    """The beginning of what is answered to bytes on the wire, and how many more were taken."""
    port = int(server.url.rpartition(":")[2])
    taken, found = 0, b""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as wire:
        wire.sendall(head.replace(b"HOST", f"Host: 127.0.0.1:{port}".encode()))
        try:
            for piece in more or ():
                wire.sendall(piece)
                taken += len(piece)
        except ConnectionError:
            pass
        try:
            while b"\r\n\r\n" not in found:
                piece = wire.recv(65536)
                if not piece:
                    break
                found += piece
        except ConnectionError:
            pass
    return found, taken


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def endless(most: int = 300 << 20) -> Iterator[bytes]:
    """Chunks of a body that tells no length; a test ends it, if the studio does not."""
    for _ in range(most >> 16):
        yield b"10000\r\n" + b" " * 65536 + b"\r\n"


@pytest.mark.parametrize(
    ("request_", "most"),
    [
        (b"POST /api/bring?name=x.json HTTP/1.1\r\nContent-Type: application/octet-stream", 100),
        (b"POST /api/jobs HTTP/1.1\r\nContent-Type: application/json", 60),
        (b"POST /api/nothing HTTP/1.1", 50),
        (b"POST /static/app.js HTTP/1.1", 50),
        (b"GET /api/home HTTP/1.1", 50),
        (b"POST /api/jobs HTTP/1.1\r\nOrigin: http://evil.example", 50),
    ],
)
def test_an_endless_body_is_not_heard_to_its_end(
    studio: Server, request_: bytes, most: int
) -> None:
    before = _memory(studio)
    head = request_ + b"\r\nHOST\r\nTransfer-Encoding: chunked\r\n\r\n"
    _, taken = said(studio, head, endless())
    assert taken < most << 20  # what lies in sockets counts as well
    assert _memory(studio) - before < 150 << 20
    assert studio.get("/api/home")["files"]


def _memory(server: Server) -> int:
    """The most bytes that the server has had so far."""
    lines = Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def test_a_length_that_is_a_lie_is_not_waited_for(studio: Server) -> None:
    head = b"POST /api/bring?name=x.json HTTP/1.1\r\nHOST\r\nContent-Length: 99999999999\r\n\r\n"
    _, taken = said(studio, head, (b" " * 65536 for _ in range(5_000)))
    assert taken < 100 << 20


@pytest.mark.parametrize("path", ["/", "/api/home", "/api/jobs", "/static/app.js", "/build"])
def test_other_methods_are_refused(studio: Server, path: str) -> None:
    for method in ("TRACE", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "FOO", "get"):
        answer, _ = said(
            studio, f"{method} {path} HTTP/1.1\r\nHOST\r\nX-Told: back\r\n\r\n".encode()
        )
        assert status(answer) == 405, method
        assert b"X-Told" not in answer
        assert b"access-control" not in answer.lower()
    assert not list(studio.folder.glob("app.js"))


def test_it_is_no_way_to_elsewhere(studio: Server) -> None:
    for head in (
        b"CONNECT example.org:443 HTTP/1.1\r\nHOST",
        b"GET http://evil.example/api/home HTTP/1.1\r\nHOST",
        b"GET //evil.example/ HTTP/1.1\r\nHOST",
        b"GET //evil.example/%2e%2e HTTP/1.1\r\nHOST",
    ):
        answer, _ = said(studio, head + b"\r\n\r\n")
        assert status(answer) == 404
        assert b"\r\nlocation:" not in answer.lower()


@pytest.mark.parametrize(
    "more", [b"Host: evil.example", b"Origin: http://evil.example", b"ORIGIN\r\nOrigin: null"]
)
def test_two_answers_to_one_question_are_refused(studio: Server, more: bytes) -> None:
    own = more.replace(b"ORIGIN", b"Origin: " + studio.url.encode())
    for head in (b"HOST\r\n" + own, own + b"\r\nHOST"):
        answer, _ = said(studio, b"GET /api/home HTTP/1.1\r\n" + head + b"\r\n\r\n")
        assert status(answer) in (400, 403)
    assert status(said(studio, b"GET /api/home HTTP/1.0\r\n\r\n")[0]) == 403  # no Host at all


UP = ("..", "%2e%2e", "%2E.", "..%5c", "%252e%252e", "..%c0%af", "..;")


@pytest.mark.parametrize("up", UP)
def test_nothing_above_what_is_served_is_told(studio: Server, up: str) -> None:
    paths = [
        f"/static/{up}/guard.py",
        f"/static/pages/{up}/{up}/guard.py",
        f"/{up}/{up}/etc/passwd",
    ]
    paths += [f"/static/{up}%2fguard.py", f"/static/{up}/{up}/{up}/{up}/{up}/{up}/etc/passwd"]
    for path in paths:
        answer, _ = said(
            studio, f"GET {path} HTTP/1.1\r\nHOST\r\nConnection: close\r\n\r\n".encode()
        )
        assert status(answer) == 404, path
    for path in ("/static//etc/passwd", "/static/%2fetc/passwd", "/static/%00", "/static/a%00.js"):
        answer, _ = said(studio, f"GET {path} HTTP/1.1\r\nHOST\r\n\r\n".encode())
        assert status(answer) == 404, path


READS = (
    "/api/browse?file={}", "/api/browse/csv?file={}", "/api/browse/page?file={}",
    "/api/browse?file=river-solved.safetensors&with={}", "/api/game?file={}",
    "/api/game/csv?file={}", "/api/bend?file={}", "/api/build/spot?file={}",
    "/api/build/game?game={}", "/api/report/charts?file={}", "/api/report/seats?file={}",
)  # fmt: skip


@pytest.mark.parametrize("path", READS)
def test_every_call_that_reads_stays_inside(studio: Server, tmp_path: Path, path: str) -> None:
    """Absolute, upwards, through links of files and of folders, hidden, with a NUL."""
    outside = tmp_path / "out.safetensors"
    outside.write_bytes((studio.folder / "river-solved.safetensors").read_bytes())
    spot = tmp_path / "out.json"
    spot.write_text(json.dumps(RIVER))
    links = [studio.folder / "away.safetensors", studio.folder / "away.json", studio.folder / "way"]
    for link, to in zip(links, (outside, spot, tmp_path), strict=True):
        link.symlink_to(to)
    names = [str(outside), str(spot), "away.safetensors", "away.json", "way/out.safetensors"]
    names += ["way/out.json", f"../{tmp_path.name}/out.json", ".studio/lock", "a\0.json", "./"]
    names += ["x/../../" + tmp_path.name + "/out.safetensors", "file:///etc/passwd", "C:\\x.json"]
    try:
        for name in names:
            where = path.format(quote(name, safe=""))
            answer, _ = said(studio, f"GET {where} HTTP/1.1\r\nHOST\r\n\r\n".encode())
            assert status(answer) == 400, (where, answer)
        listed = [one["name"] for one in studio.get("/api/home")["files"]]
        assert not any(name.startswith(("away", "way")) for name in listed)
    finally:
        for link in links:
            link.unlink()


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out.json"
    inside.mkdir()
    (inside / "river.json").symlink_to(outside)  # which leads nowhere yet
    folder = Folder(inside)
    content = json.dumps(RIVER).encode()
    with pytest.raises(FileError, match="not in the studio's folder"):
        folder.bring("river.json", content)
    assert not outside.exists()


def test_an_upload_that_is_too_large_is_refused_on_the_page(
    visit: Any, studio: Server, tmp_path: Path
) -> None:
    large = tmp_path / "large.json"
    large.write_bytes(b" " * (KINDS[".json"] + 1))
    page = visit("/")
    page.wait_for_selector("table.list tbody tr")
    page.locator("input[type=file]").set_input_files(large)
    page.wait_for_selector(".hero .trouble:has-text('too large')")
    small = tmp_path / "small.json"
    small.write_text(json.dumps(RIVER))
    page.locator("input[type=file]").set_input_files(small)
    page.wait_for_selector("td >> text=small.json")
    (studio.folder / "small.json").unlink()


def test_a_web_socket_says_nothing_that_is_heard(studio: Server) -> None:
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    address = studio.url.replace("http", "ws") + "/live"
    with connect(address, origin=studio.url) as wire:  # type: ignore[arg-type]
        assert "jobs" in json.loads(wire.recv(timeout=10))
        for word in ("stop", b"\xff\xfe", "[" * 1000):
            wire.send(word)
        wire.send("x" * (1 << 20))
        with pytest.raises(ConnectionClosed):
            wire.recv(timeout=10)
    assert studio.get("/api/home")["files"]


HOSTILE = Path(__file__).with_name("hostile.html").read_text()


REFERRERS: list[str | None] = []


@contextmanager
def served_elsewhere(text: str) -> Iterator[int]:
    """The port of another server on this machine, whose only page is this; it notes referrers."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            REFERRERS.append(self.headers.get("Referer"))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *told: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_page_from_elsewhere_reaches_nothing(browser: Any, tmp_path: Path, host: str) -> None:
    """In a real browser, from another port of this machine, by all that pages can do."""
    with (
        running(tmp_path) as server,
        served_elsewhere(HOSTILE.replace("STUDIO", server.url)) as port,
    ):
        page = browser.new_page()
        page.goto(f"http://{host}:{port}/")
        page.wait_for_function("document.title !== 'begin'", timeout=30_000)
        found = json.loads(page.title())
        assert found == dict.fromkeys(found, "out")
        assert {"read", "post", "socket", "image", "script"} <= set(found)
        assert server.get("/api/jobs")["jobs"] == []
        assert [path.name for path in tmp_path.iterdir()] == [".studio"]
        page.close()


def test_the_token_in_a_browser(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "river.json").write_text(json.dumps(RIVER))
    with running(tmp_path, "--host", "0.0.0.0") as server, served_elsewhere("here") as port:
        token, own = server.line.split("token=")[1].strip(), server.url.rpartition(":")[2]
        url = f"http://127.0.0.1:{own}"
        inside, outside = browser.new_context(), browser.new_context()
        for wrong in ("", "?token=", "?token=wrong", f"?token={token[:-1]}", f"?token={token}x"):
            page = outside.new_page()
            assert page.goto(f"{url}/{wrong}").status == 403
            assert "wants its token" in page.locator("body").inner_text()
        page = inside.new_page()
        page.set_default_timeout(20_000)
        page.goto(f"{url}/build?file=river.json&token={token}")
        assert page.url == f"{url}/build?file=river.json"  # nothing to be copied or looked at
        page.wait_for_selector(".takes dd")
        assert page.evaluate("document.cookie") == ""
        assert token not in page.content()
        assert all(token not in cookie["value"] for cookie in inside.cookies())
        page.goto(f"{url}/solve")
        page.wait_for_selector("text=No jobs yet")  # which a web socket tells
        REFERRERS.clear()
        page.goto(f"{url}/?token={token}")
        page.evaluate(f"location = 'http://127.0.0.1:{port}/'")
        page.wait_for_selector("text=here")
        assert REFERRERS[0] is None
        late = outside.new_page()  # a link without the token lets nobody else in
        assert late.goto(f"{url}/build?file=river.json").status == 403
        inside.close()
        outside.close()
