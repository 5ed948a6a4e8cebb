"""One experiment per file; each has an ``EXPERIMENT``."""
