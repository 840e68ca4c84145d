"""What the page may ask: functions by their paths, JSON in and JSON out, errors as sentences."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from counterfold.errors import (
    CounterfoldError,
    FileError,
    ParameterError,
    complaints_of,
    short,
)
from counterfold.files.text import Json

if TYPE_CHECKING:
    from counterfold.studio.server import Studio

__all__ = ["Given", "Sheet", "asked", "told"]

LARGEST = 4 << 20  # bytes of JSON in a request

Answer = Json | list[Json] | Response


class Sheet(JSONResponse):
    """JSON of our own numbers: what is not known is null."""

    def render(self, content: object) -> bytes:
        try:
            text = json.dumps(content, separators=(",", ":"), allow_nan=False)
        except ValueError:
            text = json.dumps(plain(content), separators=(",", ":"), allow_nan=False)
        return text.encode()


def plain(value: object) -> object:
    """A document without numbers that JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


class Given:
    """What a request says: values by name, each asked for in the kind that it must have.

    The ``key`` of an error is the name of the value: the page marks the field of that name.
    """

    def __init__(self, values: object, content: bytes = b"") -> None:
        if not isinstance(values, dict):
            raise ParameterError("a request is an object with names and values")
        self.values, self.content = values, content

    def text(self, name: str, default: str | None = None, most: int = 20_000) -> str:
        """A text that must be there, unless there is a default."""
        value = self.values.get(name, default)
        if not isinstance(value, str) or len(value) > most:
            raise _unlike(name, f"a text of at most {most:,} characters", value)
        return value

    def maybe(self, name: str) -> str | None:
        """A text, or nothing."""
        return self.text(name) if self.values.get(name) not in (None, "") else None

    def number(self, name: str, default: float | None = None) -> float:
        """A finite number, also if it is written as text."""
        value = self.values.get(name, default)
        try:
            number = float(value) if not isinstance(value, bool) else math.nan  # type: ignore[arg-type]
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise _unlike(name, "a number", value)
        return number

    def from_zero(self, name: str, default: float | None = None) -> float:
        """A number that is not negative."""
        number = self.number(name, default)
        if number < 0:
            with complaints_of(name):
                raise ParameterError(f"{name} is {number:g}, and must be from 0 up")
        return number

    def list(self, name: str) -> list[object]:
        """A list; nothing where it is not given."""
        value = self.values.get(name, [])
        if not isinstance(value, list):
            raise _unlike(name, "a list", value)
        return value

    def object(self, name: str) -> Json:
        """An object."""
        value = self.values.get(name)
        if not isinstance(value, dict):
            raise _unlike(name, "an object", value)
        return value


def _unlike(name: str, what: str, value: object) -> ParameterError:
    told = f"must be {what}, not {short(value)}" if value not in (None, "") else "is missing"
    error = ParameterError(f"{name} {told}")
    error.key = name
    return error


Call = Callable[["Studio", Given], Answer]


def asked(path: str, call: Call) -> Route:
    """A call that changes nothing: its values are in the address."""
    return _route(path, call, "GET")


def told(path: str, call: Call) -> Route:
    """A call that does something: its values are JSON."""
    return _route(path, call, "POST")


def _route(path: str, call: Call, method: str) -> Route:
    async def endpoint(request: Request) -> Response:
        studio: Studio = request.app.state.studio
        try:
            given = await _given(request)
            answer = await run_in_threadpool(call, studio, given)
        except CounterfoldError as error:
            return Sheet({"error": str(error), "key": error.key}, 400)
        except Exception:
            logging.getLogger("counterfold.studio").exception("%s failed", request.url.path)
            told = "something went wrong that nobody expected; the terminal of the studio says what"
            return Sheet({"error": told, "key": None}, 500)
        return answer if isinstance(answer, Response) else Sheet(answer)

    return Route(f"/api{path}", endpoint, methods=[method])


async def _given(request: Request) -> Given:
    values: Json = {**request.query_params, **request.path_params}
    if request.method == "GET":
        return Given(values)
    content = bytearray()
    most = LARGEST if request.headers.get("content-type") == "application/json" else 33 << 20
    async for piece in request.stream():
        content += piece
        if len(content) > most:
            raise FileError(f"this is too large; a request may have {most:,} bytes")
    if request.headers.get("content-type") != "application/json":
        return Given(values, bytes(content))
    try:
        body = json.loads(bytes(content) or b"{}")
    except (ValueError, RecursionError):
        raise ParameterError("the request is no JSON") from None
    if not isinstance(body, dict):
        raise ParameterError("a request is an object with names and values")
    return Given({**body, **values})
