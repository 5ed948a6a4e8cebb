"""Each folder may have a conftest of its own: they hold no doctests, and share one module name.

Property tests try the same examples in every run, so that a run says something about the change at
hand; ``HYPOTHESIS_PROFILE=exploring`` seeks new ones.
"""

import os

from hypothesis import settings

collect_ignore_glob = ["conftest.py", "*/conftest.py"]

settings.register_profile("repeatable", derandomize=True, database=None)
settings.register_profile("exploring", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
