"""Results on record, and the pages made of them and of the table of data sets."""

import importlib.util
import json
from pathlib import Path

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("reproduction", ROOT / "tools" / "reproduction.py")
page = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(page)


def test_the_page_shows_every_result():
    text, found = page.reproduction(), page.results()
    for data in found:
        assert f"\n## {data['experiment']}\n" in text
        assert f"| [{data['experiment']}](#{data['experiment']}) |" in text
        for table in data["tables"]:
            for row in table["rows"]:
                assert all(cell.replace("|", "\\|") in text for cell in row)
    assert {path.name for path in page.RESULTS.glob("*.json.gz")} == {
        f"{data['experiment']}.json.gz" for data in found
    }


def test_the_page_of_data_sets_has_a_row_for_each():
    text = page.data_sets()
    assert all(f"\n| `{name}` | " in text for name in page.datasets.known())


def test_pages_are_written_where_they_have_changed(tmp_path, monkeypatch):
    for name in ("PAGE", "SETS"):
        monkeypatch.setattr(page, name, tmp_path / f"{name}.md")
    page.write_pages()
    page.SETS.write_text("old")
    before = page.PAGE.stat()
    page.write_pages()
    assert page.PAGE.stat().st_mtime_ns == before.st_mtime_ns  # else every build starts anew
    assert page.PAGE.read_text() == page.reproduction()
    assert page.SETS.read_text() == page.data_sets()


def test_results_say_how_they_were_made():
    found = page.results()
    assert len(found) > 10
    for data in found:
        assert data["size"] in ("quick", "full")
        assert data["trials"] > 0
        assert {"date", "python", "versions", "processor"} <= data["made"].keys()
        text = json.dumps(data)
        assert "/tmp" not in text
        assert "/work" not in text


def test_what_is_not_as_published_in_table_4_1_has_a_reason():
    (data,) = [data for data in page.results() if data["experiment"] == "ratsch-table-4-1"]
    missed = 0
    for table in data["tables"]:
        explained = {note.partition(":")[0] for note in table["notes"]}
        others = {name for name, *_, verdict in table["rows"] if verdict.startswith("no (")}
        assert others <= explained
        missed += len(others)
    assert missed > 0


def test_time_of_full_runs_is_measured_or_estimated():
    measured = {"experiment": "book-heart", "size": "full", "cpu_seconds": 7.0}
    assert page.full_seconds(measured) == 7.0
    settings = page.find("book-heart").sizes["full"]
    half = {"repeats": settings["repeats"], "rounds": settings["rounds"] // 2}
    quick = measured | {"size": "quick", "settings": half}
    assert 13.5 < page.full_seconds(quick) <= 14.0  # all rows are one trial of any size


def test_results_of_a_run_are_packed(tmp_path):
    data = {"experiment": "ring", "tables": [{"rows": [["p = ½", "0.106 ± 0.003"]]}], "n": 0.1}
    (tmp_path / "ring.json").write_text(json.dumps(data, indent=1))
    (kept,) = page.record(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [kept.name] == ["ring.json.gz"]
    assert page.read_json(kept) == data
    assert page.record(tmp_path) == []
