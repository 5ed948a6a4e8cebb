"""The page as text: one file, its own script and no other, nothing of the data as markup."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from report_audits import HOSTILE, hostile_audit, numeric_audit

from marginboost.reports import audit_page, audit_payload


class Parts(HTMLParser):
    """Elements of a page with their attributes, and the text inside scripts, styles and title."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.inside, self._open = [], {}, None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._open = (tag, dict(attrs).get("id"))

    def handle_endtag(self, tag):
        self._open = None

    def handle_data(self, data):
        if self._open:
            self.inside[self._open] = self.inside.get(self._open, "") + data


@pytest.fixture(scope="module")
def hostile_page():
    return audit_page(audit_payload(hostile_audit(), title=HOSTILE[2], ids=HOSTILE * 30))


def test_hostile_text_stays_text(hostile_page):
    plain, hostile = Parts(audit_page(audit_payload(numeric_audit()))), Parts(hostile_page)
    assert [tag for tag, _ in hostile.elements] == [tag for tag, _ in plain.elements]
    assert hostile.inside["title", None] == f"{HOSTILE[2]} – label audit"
    data = json.loads(hostile.inside["script", "data"])
    assert data["title"] == HOSTILE[2]
    assert {row["id"] for row in data["suspects"]} >= set(HOSTILE[:7])
    assert "<" not in hostile.inside["script", "data"]


def test_one_file_that_needs_nothing(hostile_page):
    for tag, attributes in Parts(hostile_page).elements:
        assert tag not in ("img", "iframe", "object", "embed", "video", "audio", "base", "form")
        assert "src" not in attributes
        assert attributes.get("href", "data:,") == "data:,"
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
    style = Parts(hostile_page).inside["style", None]
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.parametrize(("more", "connect"), [({}, "'none'"), ({"save": "/x"}, "'self'")])
def test_policy_admits_this_script_only(more, connect):
    page = audit_page({**audit_payload(numeric_audit()), **more})
    parts = Parts(page)
    policy = next(
        attributes["content"]
        for tag, attributes in parts.elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["connect-src"] == connect
    for kind, content in (
        ("script-src", parts.inside["script", None]),
        ("style-src", parts.inside["style", None]),
    ):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[kind] == f"'sha256-{digest}'"
    assert not re.search("unsafe|http:|https:|[*]", policy)
