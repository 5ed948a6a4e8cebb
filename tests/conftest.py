"""Each folder may have a conftest of its own: they hold no doctests, and share one module name.

Property tests try the same examples in every run, so that a run says something about the change at
hand; ``HYPOTHESIS_PROFILE=exploring`` seeks new ones. Tests marked ``slow`` run where
``ALL_CHECKS`` is set.
"""

import os

import pytest
from hypothesis import settings

ALL_CHECKS = bool(os.environ.get("ALL_CHECKS"))

collect_ignore_glob = ["conftest.py", "*/conftest.py"]

settings.register_profile("repeatable", derandomize=True, database=None)
settings.register_profile("exploring", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_collection_modifyitems(items):
    """Skip what is slow, unless all checks are asked for."""
    for item in items:
        if not ALL_CHECKS and item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow: with ALL_CHECKS=1"))
