"""The pages made of results and of the table of data sets are up to date."""

import importlib.util
import json
from pathlib import Path

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("reproduction", ROOT / "tools" / "reproduction.py")
page = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(page)


def test_pages_are_up_to_date():
    """Else: python tools/reproduction.py."""
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
