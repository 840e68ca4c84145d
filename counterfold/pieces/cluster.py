"""A cluster as an executor: Dask Distributed, which universities and clouds already start."""

from __future__ import annotations

import logging
import os
import re
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol

from counterfold.errors import ClusterError, MissingExtraError, ParameterError, reason, short
from counterfold.pieces.store import Store, store_at

PATIENCE = 10
"""Seconds in which a scheduler must answer."""
DEATHS = 3
"""Workers that may die over a piece before it is given up."""
OWN = 30
"""Seconds in which workers of its own must have ended."""
MOST = 16
"""Workers of its own that a cluster may have for each core here."""


class Crew(NamedTuple):
    """Whoever does pieces of work, and the place where they find what these need."""

    executor: Executor
    store: Store


class _Closing(Protocol):
    """Of Dask: a cluster, or a client of one."""

    status: str

    def close(self, timeout: float) -> object: ...


def workers_in(address: str) -> int | None:
    """How many workers of its own an address asks for, as local:4 does; None if it is another's.

    >>> workers_in("local:4"), workers_in("tcp://10.0.0.1:8786")
    (4, None)
    """
    local = re.fullmatch(r"local(?::(\d{1,4}))?", address.strip())
    if local is None:
        return None
    cores = len(os.sched_getaffinity(0))
    count = int(local[1]) if local[1] else cores
    if count < 1:
        raise ParameterError("a cluster of no workers does nothing; write local:1 or more")
    if count > MOST * cores:
        raise ParameterError(
            f"{count:,} workers would wait for {cores} cores here; write local:{cores}, or the "
            "address of a scheduler elsewhere"
        )
    return count


def check_cluster(address: str) -> None:
    """Refuse what is no cluster before any work is done."""
    if workers_in(address) is None and not os.path.isfile(address) and "://" not in address:
        raise ParameterError(
            f"{short(address)} is no cluster; write local:4, the address of a Dask scheduler as in "
            "tcp://10.0.0.1:8786, or the path of its scheduler file"
        )


@contextmanager
def executor_at(address: str) -> Iterator[Executor]:
    """The executor of a cluster: local:4, the address of a scheduler, or the file that it wrote."""
    check_cluster(address)
    try:
        import dask
        import distributed
    except ImportError:
        raise MissingExtraError(
            "a cluster is reached with Dask: pip install 'counterfold[cluster]'"
        ) from None
    patient = dask.config.set({"distributed.scheduler.allowed-failures": DEATHS})
    with patient, ExitStack() as closing:
        for name in ("distributed", *logging.root.manager.loggerDict):
            if name.partition(".")[0] == "distributed":  # each has a level; we tell of faults
                logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            client = _client(distributed, address, closing)
        except Exception as error:  # whatever comes of an address, of a file, of who answers there
            told = f"no scheduler of Dask answers at {short(address)}"
            if workers_in(address) is not None:
                told = f"the workers of {address} do not start"
            raise ClusterError(f"{told} ({reason(error, 120)})") from None
        executor: Executor = client.get_executor(pure=False)
        yield executor


@contextmanager
def reached(address: str | None, doing: Callable[[str], object]) -> Iterator[Executor | None]:
    """The executor of a cluster, if one is named; ``doing`` is told that this may take a while."""
    if address is None:
        yield None
        return
    doing(f"reaching the cluster {address}")
    with executor_at(address) as executor:
        yield executor


def check_place(address: str, library: str | None) -> None:
    """Refuse workers elsewhere that could not reach what goes from one to the other."""
    if workers_in(address) is None and library is None:
        raise ParameterError(
            "workers elsewhere need a place that all of them reach to hand tables on: name it with "
            "--library, as a shared folder or s3://bucket/tables"
        )


@contextmanager
def crew_at(
    address: str | None, library: str | None, doing: Callable[[str], object] = len
) -> Iterator[Crew | None]:
    """A cluster, if one is named, and a place for its tables: one that is gone afterwards, for
    workers of this machine."""
    # Entered before the cluster: what its workers leave goes when they are gone.
    scratch = TemporaryDirectory(prefix="counterfold-", ignore_cleanup_errors=True)
    with scratch as folder, reached(address, doing) as executor:
        yield None if executor is None else Crew(executor, store_at(library or folder))


def workers_of(executor: Executor) -> int:
    """How many pieces an executor of a cluster does at a time; none before a worker has come."""
    threads: dict[str, int] = executor._client.nthreads()  # type: ignore[attr-defined]
    return sum(threads.values())


def _client(distributed: Any, address: str, closing: ExitStack) -> Any:
    """Whoever hands out work at an address; what is started for it ends with it."""
    where: dict[str, object] = {"address": address}
    workers = workers_in(address)
    if workers is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # another port than the usual one is as good
            cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, host="127.0.0.1",
                dashboard_address=None, silence_logs=logging.CRITICAL,
            )  # fmt: skip
        closing.callback(_close, cluster, OWN)
        where = {"address": cluster}
    elif os.path.isfile(address):
        where = {"scheduler_file": address}

    class Client(distributed.Client):  # type: ignore[misc]
        def start(self, **how: object) -> None:
            # Dask's own waits for a scheduler that stands still without an end.
            self._loop_runner.start()
            sync = distributed.utils.sync
            sync(self.loop, self._start, callback_timeout=2 * PATIENCE, **how)

    client: Any = Client.__new__(Client)
    closing.callback(_close, client, PATIENCE)
    client.__init__(**where, timeout=PATIENCE, set_as_default=False)
    return client


def _close(one: _Closing, seconds: float) -> None:
    """Close a client or a cluster, whatever has become of it, and do not wait for that for ever.

    A client that is left open closes itself wherever garbage is looked for: within the start of
    another one that would wait for itself, for ever. So one that cannot be closed says it was.
    """
    try:
        one.close(timeout=seconds)
    except Exception:
        if isinstance(getattr(one, "status", ""), str):
            one.status = "closed"
