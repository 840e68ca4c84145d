"""``counterfold studio``: the server on this machine, and the browser that opens it."""

from __future__ import annotations

import secrets
import signal
import socket
import threading
import webbrowser
from contextlib import suppress
from typing import TYPE_CHECKING

from counterfold import interrupts
from counterfold.cli.output import StoppedError, advise, say
from counterfold.cli.verbs.studio import StudioRequest
from counterfold.errors import FileError, MissingExtraError, ParameterError, reason

if TYPE_CHECKING:
    from types import FrameType

    from starlette.types import ASGIApp

__all__ = ["run"]

USUAL = 8700


def run(request: StudioRequest) -> None:
    """Serve the folder until Ctrl-C."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "the studio needs packages of its own: pip install 'counterfold[studio]'"
        ) from None
    from counterfold.studio.folder import Folder
    from counterfold.studio.guard import Visitors, is_loopback
    from counterfold.studio.jobs import held
    from counterfold.studio.server import Studio, make_app

    folder = Folder(request.folder)
    token = None if is_loopback(request.host) else secrets.token_urlsafe(24)
    with suppress(PermissionError):
        folder.own.mkdir(exist_ok=True)
    try:
        alone = held(folder.own / "lock")
        alone.__enter__()
    except FileError:
        raise FileError(f"a studio is open on {request.folder} already") from None
    except OSError as error:
        raise FileError(f"cannot write to {request.folder}: {reason(error)}") from None
    listener = _listener(request.host, request.port)
    port = int(listener.getsockname()[1])
    studio = Studio(folder, request.game)
    for name in request.game:  # a wrong name before anything is served
        studio.opened.game(name)
    app = make_app(studio, Visitors(request.host, port, token))
    address = _address(request.host, port)
    say(f"The studio is at {address}/" + (f"?token={token}" if token else ""))
    advise("Ctrl-C ends it; what is at work is saved and goes on next time.")
    if not request.no_browser:
        way_in = f"{address}/" + (f"?token={token}" if token else "")
        threading.Timer(0.4, webbrowser.open, [way_in]).start()
    _serve(app, listener)


def _serve(app: ASGIApp, listener: socket.socket) -> None:
    """Until a signal, of which the exit code tells as after any verb."""
    import uvicorn

    config = uvicorn.Config(
        app, log_level="warning", access_log=False, ws="websockets-sansio", server_header=False,
        ws_max_size=1 << 16, timeout_graceful_shutdown=2,
    )  # fmt: skip
    heeded = {number: signal.getsignal(number) for number in interrupts.TAKEN}
    ended: list[int] = []

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            if heeded[sig] is not signal.SIG_IGN:  # as Ctrl-C is to what runs in the background
                ended.append(sig)
                super().handle_exit(sig, frame)

    server = Server(config)
    if heeded[signal.SIGHUP] is not signal.SIG_IGN:  # which the server knows nothing of
        signal.signal(signal.SIGHUP, server.handle_exit)
    try:
        server.run(sockets=[listener])
        signal.signal(signal.SIGHUP, heeded[signal.SIGHUP])
        if ended:
            signal.raise_signal(ended[0])
    except KeyboardInterrupt:
        told = "the studio is closed; what was at work is saved and goes on next time"
        raise StoppedError(told) from None


def _address(host: str, port: int) -> str:
    shown = socket.gethostname() if host in ("0.0.0.0", "::") else host
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}"


def _listener(host: str, port: int | None) -> socket.socket:
    """A socket that listens: at the port that is given, or at the usual one if it is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in (port,) if port is not None else (USUAL, 0):
        if not 0 <= number <= 65535:
            raise ParameterError(f"--port is {number}, and must be from 0 to 65535")
        listener = socket.socket(family)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
        except (OSError, OverflowError) as error:
            listener.close()
            if port is not None or number == 0:
                raise ParameterError(
                    f"cannot listen at {host}:{number} ({reason(error)}); give another --port or "
                    "--host"
                ) from None
            continue
        listener.listen(128)
        return listener
    raise AssertionError("one of the ports was tried last")
