"""Models as data: one JSON document, never code (see docs/model-file.md)."""


def save_model(model, path):
    raise NotImplementedError
