"""The first page: what lies in the folder, and files that somebody brings."""

from __future__ import annotations

from counterfold import __version__
from counterfold.files.text import Json
from counterfold.studio.calls import Given, asked, told
from counterfold.studio.folder import KINDS
from counterfold.studio.server import Studio

__all__ = ["ROUTES"]


def home(studio: Studio, given: Given) -> Json:
    """The folder's name, its files, and the games that were named at the start."""
    return {
        "folder": studio.folder.path.name,
        "version": __version__,
        "files": studio.folder.listing(),
        "games": list(studio.games),
        "brings": KINDS,
    }


def bring(studio: Studio, given: Given) -> Json:
    """Keep a file that somebody brings."""
    return {"name": studio.folder.bring(given.text("name", most=200), given.content)}


ROUTES = [asked("/home", home), told("/bring", bring)]
