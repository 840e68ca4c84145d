"""A library in a real object store: a server of S3's protocol on this machine."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from counterfold.pieces.library import entries
from counterfold.pieces.piece import kept, outcomes
from counterfold.pieces.store import store_at
from tests.pieces import work
from tests.pieces.test_piece import PIECES, SQUARES, squares

try:
    import s3fs
    from moto.server import ThreadedMotoServer
except ImportError:
    if os.environ.get("CI") == "true":
        raise
    pytest.skip("an object store needs moto[server] and s3fs", allow_module_level=True)


@pytest.fixture(scope="module")
def bucket():
    """The address of an empty bucket."""
    keys = {
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for key, value in (keys | {"AWS_ENDPOINT_URL": f"http://{host}:{port}"}).items():
            patch.setenv(key, value)
        s3fs.S3FileSystem.clear_instance_cache()
        s3fs.S3FileSystem().mkdir("spots")
        yield "s3://spots"
        s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


def test_pieces_are_kept_found_and_checked(bucket):
    store = store_at(f"{bucket}/lib")
    assert store.names() == []
    assert store.read("nothing.json") is None
    with ThreadPoolExecutor(2) as executor:
        assert squares(outcomes(PIECES, work.square, executor, store)) == SQUARES
        assert len(store.names()) == 2 * len(PIECES)
        assert squares(outcomes(PIECES, work.failing, executor, store)) == SQUARES, "not done again"
        store.write(f"{PIECES[2].name}.txt", b"damaged")
        assert [entry.name for entry in entries(store, check=True) if entry.damage] == [
            PIECES[2].name
        ]
        assert kept(PIECES[2], store) is None
        assert squares(outcomes(PIECES, work.square, executor, store)) == SQUARES
    store.remove(f"{PIECES[0].name}.json")
    store.remove(f"{PIECES[0].name}.json")
    assert kept(PIECES[0], store) is None
