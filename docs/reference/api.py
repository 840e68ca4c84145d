"""Fills ``api.md`` when the site is built: every public name, from its docstring."""

from __future__ import annotations

import re
from typing import Any

import griffe

import counterfold

_DOCTEST = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """A hook of MkDocs: the mark in ``api.md`` becomes all names, package by package."""
    if page.file.src_uri != "reference/api.md":
        return markdown
    parts: dict[str, list[str]] = {}
    for home, names in counterfold._HOMES.items():
        part = parts.setdefault(home.partition(".")[0], [])
        part += [f"::: counterfold.{home}.{name}\n" for name in names]
    text = "\n".join(
        f"## {package.capitalize()}\n\n" + "\n".join(parts[package]) for package in sorted(parts)
    )
    return markdown.replace("<!-- names -->", text)


class Doctests(griffe.Extension):
    """Examples after ``>>>`` are code; Markdown would take them for quotations."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = _DOCTEST.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
