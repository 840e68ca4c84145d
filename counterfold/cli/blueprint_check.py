"""What ``counterfold blueprint`` looks at before hands are sorted and deals are sampled."""

from __future__ import annotations

from counterfold.cli.verbs.abstracting import BlueprintRequest
from counterfold.errors import FileError, MismatchError, ParameterError
from counterfold.files.arrays import header_in
from counterfold.pieces.cluster import check_place
from counterfold.poker.game import PokerGame


def check_blueprints(request: BlueprintRequest, game: PokerGame) -> None:
    """Refuse files to go on from, or to answer, that are no blueprints of the game."""
    from counterfold.abstraction.bucket_form import game_print
    from counterfold.abstraction.bucket_layout import BucketLayout

    for path in filter(None, (request.resume, request.against)):
        told = header_in(path).header
        if path == request.resume and "run" not in told:
            raise FileError(f"{path} holds no run of a solver: nothing to resume")
        if told and told.get("form") != BucketLayout.name:
            raise MismatchError(f"{path} is a strategy, but no blueprint over buckets")
        if told and told.get("betting") != game_print(game):
            made = told.get("game", "another game")
            raise MismatchError(f"{path} was made for {made}, another game than {request.game}")


def check_cluster_options(request: BlueprintRequest) -> None:
    """Refuse options of a cluster that do not go together."""
    if request.cluster is None:
        given = [name for name in ("library", "merge_every", "parts") if getattr(request, name)]
        if given:
            raise ParameterError(
                f"--{given[0].replace('_', '-')} is for work on a cluster: name one with --cluster"
            )
        return
    if request.merge_every is not None and request.merge_every < 1:
        raise ParameterError(f"--merge-every is {request.merge_every}, and must be 1 or more")
    if request.parts is not None and request.parts < 1:
        raise ParameterError(f"--parts is {request.parts}, and must be 1 or more")
    if request.parts and request.threads > 1:
        raise ParameterError("a table is cut (--parts) or trained in copies (--threads), not both")
    check_place(request.cluster, request.library)


def check_answer_options(request: BlueprintRequest) -> None:
    """Refuse options of an answer to an opponent that do not go together."""
    if request.against is None:
        if request.rnr is not None or request.player != 1:
            raise ParameterError("--rnr and --player are for an answer: say to whom with --against")
        return
    if request.player not in (1, 2):
        raise ParameterError(f"--player is {request.player}, and must be 1 or 2")
    if request.rnr is None or not 0 <= request.rnr <= 1:
        raise ParameterError("say with --rnr how far to trust the opponent's play, from 0 to 1")
