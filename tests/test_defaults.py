"""A default value of the public interface is a promise: none changes by accident.

``python tests/test_defaults.py`` writes the file of them anew, for changes that are meant.
"""

import importlib
import inspect
import json
import pkgutil
from pathlib import Path

import marginboost
from marginboost.estimators.base import BaseBooster, algorithm_of

FILE = Path(__file__).with_name("public_defaults.json")


def packages():
    """The package and the packages in it that say what is public."""
    found = pkgutil.iter_modules(marginboost.__path__, "marginboost.")
    inner = (importlib.import_module(each.name) for each in found if each.ispkg)
    return [marginboost, *(package for package in inner if hasattr(package, "__all__"))]


def base_learner(estimator):
    """The oracle where none is given, with its settings; of an abstract estimator, the error."""
    try:
        oracle = algorithm_of(estimator()).oracle
    except (TypeError, NotImplementedError) as error:
        return type(error).__name__
    return f"{type(oracle).__name__}({', '.join(f'{k}={v!r}' for k, v in vars(oracle).items())})"


def defaults():
    """Default values of every public class and function, as they are written."""
    table = {}
    for package in packages():
        for name in package.__all__:
            thing = getattr(package, name)
            if not (inspect.isclass(thing) or inspect.isfunction(thing)):
                continue
            try:
                parameters = inspect.signature(thing).parameters.values()
            except ValueError:
                continue
            plain = (int, float, str, bool, type(None))
            name = f"{thing.__module__}.{thing.__qualname__}"
            table[name] = {
                parameter.name: repr(parameter.default)
                for parameter in parameters
                if isinstance(parameter.default, plain)
            }
            if inspect.isclass(thing) and issubclass(thing, BaseBooster):
                table[name]["default_oracle()"] = base_learner(thing)
    return {name: found for name, found in sorted(table.items()) if found}


def test_defaults_are_those_on_record():
    assert defaults() == json.loads(FILE.read_text())


if __name__ == "__main__":
    FILE.write_text(json.dumps(defaults(), indent=1, sort_keys=True) + "\n")
