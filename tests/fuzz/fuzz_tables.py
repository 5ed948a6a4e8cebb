"""Damaged tables for the command line: text, Parquet and Arrow, plain and packed."""

from __future__ import annotations

import contextlib
import gzip
import io
import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
from fuzz_batch import Case

from marginboost.cli.errors import Exit
from marginboost.cli.main import main

CELLS = (
    *(b"", b"NA", b"nan", b"inf", b"-inf", b"1e999", b"1e-999", b"0x10", b"1_000", b"1,5", b"--1"),
    *(b"=1+1", b"\x00", b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"  ", b"\t"),
    *("١٢".encode(), "½".encode(), "\u202e".encode(), "é".encode("latin-1"), "\u2028".encode()),
    *(
        b'"',
        b'""',
        b'"""',
        b'"a',
        b'a"b',
        b"'",
        b";",
        b"|",
        b"\r",
        b"\n",
        b"\r\n",
        b"\x1a",
        b"\x1b",
    ),
    *(b"9" * 400, b"x" * 200_000, b",", b"," * 3000, b"true", b"None", b"1" * 20, b"2020-01-01"),
)

LARGEST = 1_000_000
"""Bytes of a damaged table: a larger one may take its time."""


def rows() -> tuple[list[str], list[list[object]]]:
    rng = np.random.default_rng(0)
    found: list[list[object]] = []
    for i in range(40):
        size, kind = round(float(rng.normal()), 3), str(rng.choice(["red", "green", "blue"]))
        label = "sick" if size + (kind == "red") > 0.3 else "well"
        found.append([f"p{i}", size, "" if i % 9 == 4 else int(rng.integers(10)), kind, label])
    return ["name", "size", "dose", "kind", "answer"], found


def text(delimiter: str = ",", quote: str = "", end: str = "\n") -> str:
    header, body = rows()
    lines = [delimiter.join(f"{quote}{cell}{quote}" for cell in row) for row in [header, *body]]
    return end.join(lines) + end


def typed() -> pa.Table:
    header, body = rows()
    columns = dict(zip(header, map(list, zip(*body, strict=True)), strict=True))
    columns["dose"] = [None if value == "" else value for value in columns["dose"]]
    return pa.table(columns)


def arrow(new: Callable[..., pa.ipc.RecordBatchStreamWriter]) -> bytes:
    sink = io.BytesIO()
    with new(sink, typed().schema) as writer:
        writer.write_table(typed())
    return sink.getvalue()


def parquet(**settings: object) -> bytes:
    sink = io.BytesIO()
    pa.parquet.write_table(typed(), sink, **settings)
    return sink.getvalue()


def seeds() -> list[tuple[str, bytes]]:
    """Sound tables in every format."""
    return [
        ("csv", text().encode()),
        ("quoted", text(quote='"').encode()),
        ("windows", text(";", end="\r\n").encode()),
        ("tabs", text("\t").encode()),
        ("utf-16", text().encode("utf-16")),
        ("marked", b"\xef\xbb\xbf" + text().encode()),
        ("packed", gzip.compress(text().encode())),
        ("parquet", parquet()),
        ("plain parquet", parquet(compression="none", use_dictionary=False)),
        ("arrow", arrow(pa.ipc.new_file)),
        ("stream", arrow(pa.ipc.new_stream)),
    ]


# -- ways to damage --------------------------------------------------------------------------------


def flip(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def insert(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice(CELLS) + content[place:]


def replace_cell(content: bytes, rng: random.Random) -> bytes:
    """Another cell in place of one, or of all that are the same."""
    for sign in (b",", b";", b"\t"):
        if content.count(sign) > 20:
            cells = [cell.strip() for cell in content.replace(b"\n", sign).split(sign)]
            old = rng.choice([cell for cell in cells if cell])
            return content.replace(old, rng.choice(CELLS), rng.choice([1, 1, -1]))
    return insert(content, rng)


def cut(content: bytes, rng: random.Random) -> bytes:
    first, last = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return rng.choice([content[:first], content[last:], content[:first] + content[last:]])


def double(content: bytes, rng: random.Random) -> bytes:
    first, last = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return content[:last] + content[first:last] * rng.choice([1, 2, 50]) + content[last:]


def shuffle_lines(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    rng.shuffle(lines)
    return rng.choice([b"\n", b"\r", b"\r\n", b"\n\n"]).join(lines)


def recode(content: bytes, rng: random.Random) -> bytes:
    target = rng.choice(["utf-16-le", "utf-16-be", "utf-32", "cp037", "utf-7"])
    return content.decode("latin-1").encode(target)


def wrap(content: bytes, rng: random.Random) -> bytes:
    packed = gzip.compress(content)
    return rng.choice([packed, packed[:-5], packed * 2, gzip.compress(packed), packed + content])


DAMAGES = (
    *(flip, flip, insert, insert, replace_cell, replace_cell, replace_cell),
    *(cut, double, shuffle_lines, recode, wrap),
)


# -- what must hold --------------------------------------------------------------------------------


def called(arguments: list[str]) -> tuple[int, bytes, str]:
    """Exit code, output and errors of a command in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    return int(code), out.buffer.getvalue(), err.buffer.getvalue().decode()


def attempt(content: bytes, path: Path, arguments: list[str]) -> str:
    """Refused in one line that says why, or done."""
    path.write_bytes(content)
    code, out, err = called(arguments)
    told = [line for line in err.splitlines() if line.startswith("error: ")]
    assert "Traceback" not in err, err
    if code in (Exit.OK, Exit.REFUTED):  # the certificate of other rows does not hold
        assert not told, err
        assert out, "nothing was said"
        return "sound"
    assert code in (Exit.USAGE, Exit.DATA, Exit.MEMORY), f"exit code {code}: {err}"
    assert len(told) == 1, err
    assert err.splitlines()[-1] == told[0], err
    assert len(told[0]) > 20, err
    assert out == b"", out
    return "refused"


def cases(numbers: Iterable[int], seed: int, warmed_up: Callable[[], None]) -> Iterator[Case]:
    """Damaged tables of all sorts, for all commands."""
    with tempfile.TemporaryDirectory() as folder:
        path, model = Path(folder) / "table", Path(folder) / "model.json"
        data, out = str(path), str(Path(folder) / "out.json")
        roles = ["--label", "answer", "--id", "name"]
        quick = ["--algorithm", "adaboost", "--rounds", "2", "--jobs", "1"]
        commands = {
            "info": ["info", data, "--label", "answer"],
            "fit": ["fit", data, *roles, *quick, "--out", out],
            "predict": ["predict", str(model), data, "--id", "name"],
            "explain": ["explain", str(model), data, "--row", "3"],
            "certify": ["certify", str(model), data, *roles],
        }
        known = seeds()
        path.write_bytes(known[0][1])
        assert called(["fit", data, *roles, *quick, "--out", str(model)])[0] == 0
        for kind, content in known:
            for name, arguments in commands.items():
                assert attempt(content, path, arguments) == "sound", (kind, name)
        warmed_up()
        for number in numbers:
            rng = random.Random(f"{seed}/{number}")
            kind, content = known[number % len(known)]
            damage, name = rng.choice(DAMAGES), rng.choice(list(commands))
            content = damage(content, rng)
            if rng.random() < 0.2:
                content = rng.choice(DAMAGES)(content or b"x", rng)
            content = content[:LARGEST]
            label = f"{kind} {damage.__name__} for {name}"
            arguments = commands[name]
            yield number, label, lambda c=content, a=arguments: attempt(c, path, a)
