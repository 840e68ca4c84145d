"""Who may come in: this machine, its own pages, and others only with the token."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard", "Visitors", "is_loopback"]

COOKIE = "counterfold-studio"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, as this machine alone sees it.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass
class Visitors:
    """Whom a studio at a host and port lets in; with a token, nobody without it."""

    host: str = "127.0.0.1"
    port: int = 0
    token: str | None = None
    _session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def refusal(self, scope: Scope) -> str | None:
        """Why a request or a web socket may not come in; None if it may."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._knows(host):
            return "this host is not the studio's"
        scheme = {"ws": "http", "wss": "https"}.get(scope["scheme"], scope["scheme"])
        origins = headers.getlist("origin")
        if any(origin != f"{scheme}://{host}" for origin in origins):
            return "pages from elsewhere may not ask the studio"
        if scope["type"] == "websocket" and not origins:
            return "a web socket is opened by the studio's own page"
        follows_link = headers.get("sec-fetch-mode") == "navigate" and scope.get("method") == "GET"
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not follows_link:
            return "pages from elsewhere may not ask the studio"
        if self.token is not None and not self._has_session(headers):
            return "the studio wants its token, which it showed when it was started"
        return None

    def _knows(self, host: str) -> bool:
        """Whether a Host names this server; another name may have been bent to our address."""
        name, _, port = host.rpartition(":")
        if not name or port != str(self.port):
            return False
        plain = name.strip("[]")
        if is_loopback(plain):
            return True
        if is_loopback(self.host):
            return False
        try:
            ipaddress.ip_address(plain)
        except ValueError:
            return name in (self.host, socket.gethostname())
        return True

    def _has_session(self, headers: Headers) -> bool:
        cookies = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
        name = f"{COOKIE}-{self.port}"
        return any(
            key == name and secrets.compare_digest(value.encode(), self._session.encode())
            for key, _, value in cookies
        )

    def welcome(self, scope: Scope) -> Response | None:
        """The way in for somebody who brings the token: a cookie, and the page without it."""
        given = parse_qsl(scope.get("query_string", b"").decode("latin-1"))
        token = dict(given).get("token")
        if self.token is None or token is None or not self._knows(Headers(scope=scope)["host"]):
            return None
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return None
        rest = urlencode([(key, value) for key, value in given if key != "token"])
        answer = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
        answer.set_cookie(
            f"{COOKIE}-{self.port}", self._session, httponly=True, samesite="lax", path="/"
        )
        return answer


class Guard:
    """An application behind a door."""

    def __init__(self, app: ASGIApp, visitors: Visitors) -> None:
        self.app, self.visitors = app, visitors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        if scope["type"] == "http" and scope["method"] == "GET":
            answer = self.visitors.welcome(scope) if "host" in Headers(scope=scope) else None
            if answer is not None:
                await answer(scope, receive, _with(send, HEADERS))
                return
        why = self.visitors.refusal(scope)
        if why is not None and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4403, "reason": why})
            return
        body = _Body(scope, receive)
        app = self.app if why is None else PlainTextResponse(f"{why}\n", 403)
        await app(scope, body.receive, _with(send, HEADERS, body))


class _Body:
    """What comes with a request, and whether all of it has come."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        headers = Headers(scope=scope)
        length = headers.get("content-length", "0")
        self.is_read = length == "0" and "transfer-encoding" not in headers
        self._receive = receive

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request" and not message.get("more_body", False):
            self.is_read = True
        return message


def _with(send: Send, more: Mapping[str, str], body: _Body | None = None) -> Send:
    """What is sent, with some headers; who is answered before all has come is not heard on."""
    extra = [(name.lower().encode(), value.encode()) for name, value in more.items()]

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name for name, _ in message["headers"]}
            added = [(name, value) for name, value in extra if name not in there]
            if body is not None and not body.is_read:
                added.append((b"connection", b"close"))
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return sending
