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
