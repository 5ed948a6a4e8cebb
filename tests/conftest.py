"""Each folder may have a conftest of its own: they hold no doctests, and share one module name."""

collect_ignore_glob = ["conftest.py", "*/conftest.py"]
