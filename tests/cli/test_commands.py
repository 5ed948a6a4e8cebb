"""Commands that other packages add by an entry point, and those that are not installed."""

import importlib.metadata
import sys
from types import ModuleType, SimpleNamespace

import pytest

from marginboost.cli import commands
from marginboost.cli.main import make_parser
from marginboost.cli.output import Answer


def entry_points(**modules):
    """Make what replaces the entry points of the installed packages: a command for each module."""
    found = [
        importlib.metadata.EntryPoint(name, module, commands.GROUP)._for(
            SimpleNamespace(name="some-package")
        )
        for name, module in modules.items()
    ]
    return lambda group: found if group == commands.GROUP else []


@pytest.fixture
def greet(monkeypatch):
    """A command of another package, and one that has the name of a command of this one."""
    module = ModuleType("greetings", "Say hello.\n\nTo whoever is named.")
    module.configure = lambda parser: parser.add_argument("name")
    module.run = lambda args: Answer({"hello": args.name})
    module.show = lambda data, screen: screen.say(f"Hello, {data['hello']}!")
    monkeypatch.setitem(sys.modules, "greetings", module)
    added = entry_points(greet="greetings", fit="greetings")
    monkeypatch.setattr(importlib.metadata, "entry_points", added)


def test_a_command_of_another_package_is_one_of_the_program(run, greet):
    assert run("greet", "Ada").out == "Hello, Ada!\n"
    assert run("greet", "Ada", "--json").json == {"ok": True, "hello": "Ada", "warnings": []}
    assert "greet     say hello" in make_parser().format_help()


def test_no_package_takes_the_place_of_a_command(greet):
    assert commands.find("fit").__name__ == "marginboost.cli.fit"
    assert make_parser().format_help().count("\n    fit ") == 1


def test_a_command_that_is_not_installed_says_what_to_install(run, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points())
    for arguments in (["--list"], ["--help"], ["ring", "--out", "results"], []):
        found = run("reproduce", *arguments)
        assert found.code == 7
        assert found.err.startswith("error: marginboost reproduce: not installed; ")
        assert "pip install ./experiments" in found.err
        assert found.out == ""
    error = run("reproduce", "--list", "--json").json["error"]
    assert (error["kind"], error["exit_code"]) == ("package", 7)
    assert "reproduce" not in make_parser().format_help().partition("exit codes")[0]


def test_a_command_that_cannot_be_imported_names_its_package(run, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points(greet="nowhere"))
    found = run("greet")
    assert found.code == 7
    assert "marginboost greet: the package some-package cannot be imported" in found.err
    assert "nowhere" in found.err


def test_commands_of_this_package_do_not_wait_for_others(monkeypatch):
    monkeypatch.setattr(importlib.metadata, "entry_points", None)
    for name in commands.COMMANDS:
        assert name in make_parser(name).format_help()
