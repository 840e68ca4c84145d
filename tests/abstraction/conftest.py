"""What several tests of abstractions start from."""

from collections.abc import Iterator

import pytest

from counterfold.abstraction import bucket_maker


@pytest.fixture(scope="module")
def few_hands() -> Iterator[None]:
    """K-means looks at fewer hands than usual."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bucket_maker, "SAMPLE", 20_000)
        yield
