"""The application: its folder, its queue, its pages, and the loop that keeps them up to date."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from counterfold.files.text import Json
from counterfold.studio.calls import plain
from counterfold.studio.folder import Folder
from counterfold.studio.guard import Guard, Visitors
from counterfold.studio.jobs import Queue
from counterfold.studio.opened import Opened

__all__ = ["PAGES", "Studio", "make_app"]

STATIC = Path(__file__).parent / "static"
DRAWING = Path(__file__).parent.parent / "cli" / "grid_draw.js"
PAGES = ("home", "build", "solve", "browse", "bend", "play", "report", "game")
"""Pages by name: a module here with ``ROUTES``, and one in ``static/pages`` that shows it."""
FIRST = {"home": "/api/home", "build": "/api/build/cards", "play": "/api/play"}
"""What a page asks for before it can show anything."""
_IMPORT = re.compile(r'^import .* from "(\.[^"]+)";$', re.MULTILINE)
BEAT = 0.25
"""Seconds between two looks at the queue."""


class Studio:
    """What a running studio has: a folder, games that were named when it was started, jobs."""

    def __init__(self, folder: Folder, games: Sequence[str] = ()) -> None:
        self.folder, self.games = folder, tuple(games)
        self.queue = Queue(folder)
        self.opened = Opened(folder, self.games)


def make_app(studio: Studio, visitors: Visitors) -> ASGIApp:
    """The application behind its guard."""
    routes: list[BaseRoute] = [
        Mount("/static", StaticFiles(directory=STATIC), name="static"),
        Route("/grid_draw.js", _drawing),
        WebSocketRoute("/live", _live),
    ]
    for name in PAGES:
        routes += import_module(f"counterfold.studio.{name}").ROUTES
        routes.append(Route("/" if name == "home" else f"/{name}", _page))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        beat = asyncio.create_task(_beat(studio))
        yield
        beat.cancel()
        with suppress(asyncio.CancelledError):
            await beat
        await run_in_threadpool(studio.queue.close)

    app = Starlette(routes=routes, lifespan=lifespan)
    app.state.studio = studio
    return Guard(app, visitors)


async def _page(request: Request) -> Response:
    return HTMLResponse(_frame(request.url.path.strip("/") or "home"))


@cache
def _frame(page: str) -> str:
    """The frame of all pages, which names at once what this one will ask for: else the browser
    would learn of each module from the one before it."""
    wanted = [*_imports("app.js"), f"pages/{page}.js", *_imports(f"pages/{page}.js")]
    links = [f'<link rel="modulepreload" href="/static/{name}">' for name in dict.fromkeys(wanted)]
    if page in FIRST:
        links.append(f'<link rel="preload" as="fetch" crossorigin href="{FIRST[page]}">')
    return (
        (STATIC / "index.html")
        .read_text("utf-8")
        .replace("</head>", "\n".join([*links, "</head>"]))
    )


def _imports(name: str) -> list[str]:
    """The modules that a module needs, and those that they need."""
    found = []
    for path in _IMPORT.findall((STATIC / name).read_text("utf-8")):
        other = os.path.normpath(os.path.join(os.path.dirname(name), path))
        found += [other, *_imports(other)]
    return found


async def _drawing(request: Request) -> Response:
    return FileResponse(DRAWING, media_type="text/javascript")


async def _beat(studio: Studio) -> None:
    while True:
        with suppress(OSError):
            await run_in_threadpool(studio.queue.tick)
        await asyncio.sleep(BEAT)


async def _live(socket: WebSocket) -> None:
    """Tell the page of the jobs, whenever something about them has changed."""
    studio: Studio = socket.app.state.studio
    await socket.accept()
    gone = asyncio.create_task(_until_gone(socket))
    before = ""
    while not gone.done():
        jobs: list[Json] = await run_in_threadpool(studio.queue.jobs)
        now = json.dumps(plain({"jobs": jobs}))
        if now != before:
            before = now
            try:
                await socket.send_text(now)
            except (WebSocketDisconnect, RuntimeError):
                break
        await asyncio.wait([gone], timeout=BEAT)


async def _until_gone(socket: WebSocket) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):  # whatever it says means nothing
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass
