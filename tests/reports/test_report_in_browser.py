"""The page in a real browser: reads, sorts, opens, decides, exports, and asks nobody anything."""

import csv
import io
import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import numpy as np
import pandas as pd
import pytest
from report_audits import (
    HOSTILE,
    NO,
    YES,
    hostile_audit,
    leaking_audit,
    mixed_audit,
    numeric_audit,
)

from marginboost import AdaBoostClassifier, GradientBoostClassifier
from marginboost.audit import LabelAudit
from marginboost.cli.main import main
from marginboost.cli.output import csv_bytes
from marginboost.reports import audit_page, audit_payload, serve_audit, write_audit_report

PAYLOADS = {
    "two labels": lambda: audit_payload(
        numeric_audit(), title="rows.csv", ids=[f"p{i:03d}" for i in range(240)]
    ),
    "three labels": lambda: audit_payload(numeric_audit(n_classes=3), title="three"),
    "categories": lambda: audit_payload(mixed_audit(), title="mixed"),
    "hostile": lambda: audit_payload(
        hostile_audit(), title=HOSTILE[2], ids=HOSTILE * 30, row_numbers=range(1, 241)
    ),
    "leak": lambda: audit_payload(leaking_audit(), title="leak"),
}


@pytest.fixture(scope="module")
def payloads():
    return {name: make() for name, make in PAYLOADS.items()}


@pytest.fixture(scope="module")
def pages(payloads, tmp_path_factory):
    """Addresses of the written reports."""
    folder = tmp_path_factory.mktemp("reports")
    addresses = {}
    for number, (name, payload) in enumerate(payloads.items()):
        path = folder / f"report{number}.html"
        path.write_text(audit_page(payload), encoding="utf-8")
        addresses[name] = path.as_uri()
    return addresses


@pytest.fixture
def report(open_tab, pages):
    """The report of two labels."""
    tab = open_tab(pages["two labels"])
    yield tab
    assert tab.complaints == []


@pytest.mark.parametrize(
    ("name", "scheme"), [*((name, "light") for name in PAYLOADS), ("two labels", "dark")]
)
def test_reads_without_network_errors_or_complaints(open_tab, pages, payloads, name, scheme):
    tab, payload = open_tab(pages[name], offline=True, color_scheme=scheme), payloads[name]
    for button in tab.locator(".toggle").all()[:3]:
        button.click()
    assert tab.text_content("h1") == payload["title"]
    assert tab.text_content("#verdict") == payload["verdict"]
    assert tab.title().endswith("label audit")
    assert tab.locator("#margins svg rect").count() > 0
    assert tab.locator("#volumes-card").is_visible() == (payload["volumes"] is not None)
    assert tab.locator("#shapes figure").count() == len(payload["shapes"][0]["steps"])
    assert tab.locator("#certificate").text_content().count("proven") >= 1
    assert tab.locator("#leaking").is_visible() == bool(payload["leaking"])
    assert tab.complaints == []
    assert tab.requests == [pages[name]]
    assert tab.evaluate("[document.scripts.length, document.images.length]") == [2, 0]


def values(row):
    return [value for _, value, _ in row["contributions"]]


def test_hostile_text_is_shown_as_it_is(open_tab, pages, payloads):
    tab = open_tab(pages["hostile"])
    first = payloads["hostile"]["suspects"][0]
    assert tab.column(3)[0] == first["id"]
    assert set(tab.column(4)) <= {YES, NO}
    tab.locator(".toggle").first.click()
    names = tab.texts("tr.detail .reasons .scroll tbody th")
    assert "<img src=x onerror=alert(4)>" in names
    flagged = [row for row in payloads["hostile"]["suspects"] if row["flagged"]]
    tab.fill("#search", HOSTILE[0].upper())
    expected = [row["id"] for row in flagged if HOSTILE[0] in [row["id"], *values(row)]]
    assert tab.column(3) == expected
    assert 0 < len(expected) < len(flagged)
    assert tab.evaluate("document.querySelectorAll('b, img, script:not([id])').length") == 1
    assert tab.complaints == []


def test_table_sorts_both_ways(report, payloads):
    rows = [row for row in payloads["two labels"]["suspects"] if row["flagged"]]
    assert report.column(2) == [str(row["rank"]) for row in rows]
    classes = payloads["two labels"]["classes"]
    keys = {
        "rank": (2, lambda row: row["rank"]),
        "id": (3, lambda row: row["id"]),
        "given": (4, lambda row: classes[row["given"]]),
        "suggested": (5, lambda row: classes[row["suggested"]]),
        "score": (6, lambda row: row["score"]),
        "margin": (7, lambda row: row["evidence"]["margin"]),
        "influence": (8, lambda row: row["evidence"]["influence"]),
    }
    report.click("th button[data-key=id]")  # so that the next click is the first on its column
    for name, (column, key) in keys.items():
        button = report.locator(f"th button[data-key={name}]")
        for direction in ("ascending", "descending"):
            button.click()
            head = report.locator(f"th:has(button[data-key={name}])")
            assert head.get_attribute("aria-sort") == direction
            assert report.locator("th[aria-sort]").count() == 1
            reverse = direction == "descending"
            expected = sorted(rows, key=lambda row: row["rank"])
            expected.sort(key=key, reverse=reverse)
            assert report.column(3) == [row["id"] for row in expected], (name, direction)
            assert len(report.column(column)) == len(rows)


def test_rows_open_and_close(report, payloads):
    suspect = payloads["two labels"]["suspects"][1]
    toggle = report.locator("tr[data-row] .toggle").nth(1)
    assert toggle.get_attribute("aria-expanded") == "false"
    toggle.click()
    assert toggle.get_attribute("aria-expanded") == "true"
    detail = report.locator("tr.detail")
    assert detail.count() == 1
    features = [
        payloads["two labels"]["features"][j]["name"] for j, _, _ in suspect["contributions"]
    ]
    assert report.texts("tr.detail .reasons .scroll tbody th") == features
    text = detail.inner_text()
    for words in ("boosted stumps", "forest", "linear", "Slack", "Influence", "Cell volume"):
        assert words in text
    assert f"{suspect['same'][0]}, at" in text
    assert detail.locator("svg").count() == 2 * len(features)
    report.click("th button[data-key=score]")  # open rows stay open
    assert report.locator("tr.detail").count() == 1
    report.locator("tr[data-row]:has(+ tr.detail) .toggle").click()
    assert report.locator("tr.detail").count() == 0


def test_search_and_filters(report, payloads):
    rows = payloads["two labels"]["suspects"]
    assert len(report.column(3)) == sum(row["flagged"] for row in rows)
    report.select_option("#show", "all")
    assert report.text_content("#count") == "50 of 240 rows shown"
    report.click("#more")
    assert report.text_content("#count") == "100 of 240 rows shown"
    focused = report.evaluate("document.activeElement.closest('tr').dataset.row")
    assert focused == str(rows[50]["row"])
    report.fill("#search", f" {rows[3]['id'].upper()}")
    assert report.column(3) == [rows[3]["id"]]
    report.fill("#search", "nothing has this")
    assert report.column(3) == []
    assert report.text_content("#count") == "0 of 0 rows shown"
    report.fill("#search", "")
    report.locator(".choice[data-word=wrong]").first.click()
    report.select_option("#show", "wrong")
    assert report.column(3) == [rows[0]["id"]]
    report.select_option("#show", "right")
    assert report.column(3) == []
    report.select_option("#show", "open")
    assert rows[0]["id"] not in report.column(3)


def test_everything_by_keyboard(report, payloads):
    rows = payloads["two labels"]["suspects"]

    def focused(script):
        return report.evaluate(f"(document.activeElement.{script})")

    seen = []
    for _ in range(30):
        report.keyboard.press("Tab")
        seen.append(focused("id || document.activeElement.dataset.key"))
        if focused("className") == "toggle":
            break
    expected = ["search", "show", "rank", "id", "given", "suggested", "score", "margin"]
    assert [name for name in seen if name in expected] == expected
    report.keyboard.press("Enter")
    assert focused("getAttribute('aria-expanded')") == "true"
    report.keyboard.press("Enter")
    report.keyboard.press("ArrowDown")
    report.keyboard.press("ArrowDown")
    assert focused("closest('tr').dataset.row") == str(rows[2]["row"])
    report.keyboard.press("Tab")
    assert focused("dataset.word") == "wrong"
    report.keyboard.press("Space")
    assert focused("getAttribute('aria-pressed')") == "true"
    report.keyboard.press("ArrowUp")
    assert focused("dataset.word") == "wrong"
    assert focused("closest('tr').dataset.row") == str(rows[1]["row"])
    report.keyboard.press("Tab")
    report.keyboard.press("Enter")
    assert "2 decisions: 1 wrong, 1 right" in report.text_content("#message")
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert report.evaluate(outline) == "solid"


def export(tab):
    with tab.expect_download() as download:
        tab.click("#export")
    assert download.value.suggested_filename == "decisions.csv"
    with open(download.value.path(), newline="", encoding="utf-8") as file:
        return file.read()


def test_decisions_are_exported(open_tab, pages, payloads):
    """The CSV is what the command line would write, formulas made harmless."""
    payload, tab = payloads["hostile"], open_tab(pages["hostile"])
    assert tab.locator("#export").is_disabled()
    chosen = [row for row in payload["suspects"] if row["flagged"]][:8]
    words = ["wrong", "right"] * 4
    for row, word in zip(chosen, words, strict=True):
        tab.click(f"tr[data-row='{row['row']}'] .choice[data-word={word}]")
    tab.click(f"tr[data-row='{chosen[0]['row']}'] .choice[data-word=wrong]")  # taken back
    text = export(tab)
    names = payload["classes"]
    expected = sorted(
        (
            [
                row["row"],
                row["id"],
                names[row["given"]],
                names[row["suggested"]],
                row["score"],
                word,
            ]
            for row, word in zip(chosen[1:], words[1:], strict=True)
        ),
        key=lambda line: line[0],
    )
    head = ["row", "id", "given", "suggested", "score", "decision"]
    written = csv_bytes(dict(zip(head, map(list, zip(*expected, strict=True)), strict=True)))
    found, as_written = (
        list(csv.reader(io.StringIO(part, newline=""))) for part in (text, written.decode())
    )
    for mine, theirs in zip(found, as_written, strict=True):
        assert mine[:4] + mine[5:] == theirs[:4] + theirs[5:]
        assert mine[4] == theirs[4] or float(mine[4]) == float(theirs[4])
    assert any(line[2].startswith("'=HYPERLINK") for line in found)
    assert tab.complaints == []


def test_decisions_that_are_not_exported_are_asked_about(open_tab, pages):
    for exported in (False, True):
        tab = open_tab(pages["two labels"])
        tab.locator(".choice").first.click()
        assert "Export them" in tab.text_content("#message")
        if exported:
            export(tab)
        tab.page.goto(pages["three labels"])
        assert len(tab.complaints) == (0 if exported else 1)  # the browser's own question


def test_classes_can_be_chosen(open_tab, pages, payloads):
    tab = open_tab(pages["three labels"])
    first = tab.texts("#shapes figcaption")
    tab.select_option("#problem", "2")
    steps = payloads["three labels"]["shapes"][2]["steps"]
    assert tab.texts("#shapes figcaption") == [step["name"] for step in steps]
    assert len(first) == len(payloads["three labels"]["shapes"][0]["steps"])
    assert "speaks for “mid”" in tab.text_content("#shapes-note")
    assert tab.locator("#confusions tbody tr").count() > 2
    assert tab.locator("#certificate tbody tr").count() == 3


# -- for everybody ---------------------------------------------------------------------------------

CONTRAST = """() => {
  const channels = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => rgb.slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const colour = channels(getComputedStyle(node).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((c) => c.nodeType === 3 && c.textContent.trim());
    if (!own || !node.checkVisibility() || ["SCRIPT", "TITLE", "OPTION"].includes(node.tagName.toUpperCase())) continue;
    const style = getComputedStyle(node), svg = node instanceof SVGElement;
    const pair = [light(channels(svg ? style.fill : style.color)), light(behind(node))].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5 && !node.disabled) poor.push([node.textContent.slice(0, 30), ratio.toFixed(2)]);
  }
  return poor;
}"""  # noqa: E501


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(open_tab, pages, scheme):
    tab = open_tab(pages["leak"], color_scheme=scheme)
    assert tab.evaluate(CONTRAST) == []
    tab = open_tab(pages["three labels"], color_scheme=scheme)
    tab.locator(".toggle").first.click()
    tab.locator(".choice").first.click()
    tab.click("summary")
    assert tab.evaluate(CONTRAST) == []
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(243, 245, 248)" if scheme == "light" else "rgb(17, 21, 27)"
    )


def test_everything_has_a_name_and_a_role(open_tab, pages):
    tab = open_tab(pages["three labels"])
    tab.locator(".toggle").first.click()
    nameless = """() => {
      const parts = "button, input, select, svg[role], [role=region], section, table";
      const named = (node) => node.ariaLabel || node.getAttribute("aria-labelledby")
        || (node.labels && node.labels.length) || node.textContent.trim();
      return [...document.querySelectorAll(parts)]
        .filter((node) => node.checkVisibility() && !named(node)).map((node) => node.outerHTML);
    }"""
    assert tab.evaluate(nameless) == []
    ids = tab.evaluate("[...document.querySelectorAll('[id]')].map((node) => node.id)")
    assert len(ids) == len(set(ids))
    levels = tab.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((n) => n.tagName)")
    assert levels[0] == "H1"
    assert levels.count("H1") == 1
    tree = tab.locator("body").aria_snapshot()
    for part in (
        'heading "three" [level=1]',
        "main:",
        'searchbox "Search"',
        'combobox "Show"',
        'button "Export decisions (CSV)" [disabled]',
        'region "Suspect labels"',
        'columnheader "Rank"',
        'button "Reasons, row',
        'button "wrong: label of row',
        'img "Histogram of margins. Below zero are',
        'img "Shape function of',
    ):
        assert part in tree, part
    assert tab.locator("[role=status]").count() == 2
    assert tab.evaluate("document.documentElement.lang") == "en"


@pytest.mark.parametrize("name", list(PAYLOADS))
@pytest.mark.parametrize("width", [320, 390, 800])
def test_narrow_screens(open_tab, pages, name, width):
    tab = open_tab(pages[name], viewport={"width": width, "height": 800})
    if tab.locator(".toggle").count():
        tab.locator(".toggle").first.click()
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_prints(open_tab, pages):
    tab = open_tab(pages["two labels"], color_scheme="dark")
    tab.locator(".toggle").first.click()
    tab.locator(".choice[data-word=right]").nth(2).click()
    tab.emulate_media(media="print")
    for hidden in (".controls", ".toggle >> nth=0", "#more", ".choice >> nth=0", ".terms"):
        assert tab.locator(hidden).is_hidden()
    assert tab.locator("tr.detail").is_visible()
    assert tab.locator(".choice[data-word=right]").nth(2).is_visible()
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.evaluate(CONTRAST) == []
    assert tab.pdf().startswith(b"%PDF")


# -- served ----------------------------------------------------------------------------------------


@pytest.fixture
def served(payloads):
    """A server, with what it saved last."""
    saved = {}

    def save(decisions):
        if saved.get("full"):
            raise OSError("the disk is full")
        saved["decisions"] = decisions

    server = serve_audit(payloads["two labels"], save, kept_in="kept.csv")
    server.saved = saved
    yield server
    server.stop()


def test_decisions_are_saved_and_found_again(open_tab, served, payloads):
    tab = open_tab(served.url)
    rows = payloads["two labels"]["suspects"]
    tab.locator(".choice[data-word=wrong]").nth(0).click()
    tab.locator(".choice[data-word=right]").nth(1).click()
    tab.locator(".choice[data-word=wrong]").nth(2).click()
    taken_back = {"row": rows[2]["row"], "decision": None}
    with tab.expect_response(lambda answer: answer.request.post_data_json == taken_back):
        tab.locator(".choice[data-word=wrong]").nth(2).click()
    expected = {rows[0]["row"]: "wrong", rows[1]["row"]: "right"}
    assert served.saved["decisions"] == expected
    assert "2 decisions: 1 wrong, 1 right. Kept in kept.csv." in tab.text_content("#message")
    lines = list(csv.DictReader(io.StringIO(export(tab))))
    assert {int(line["row"]): line["decision"] for line in lines} == expected
    tab.reload()
    pressed = tab.locator(".choice[aria-pressed=true]")
    assert pressed.all_text_contents() == ["wrong", "right"]
    assert tab.complaints == []
    assert {url.removeprefix(served.url) for url in tab.requests if "blob:" not in url} == {
        "",
        "decisions",
    }


def test_what_could_not_be_saved_is_said(open_tab, served):
    tab = open_tab(served.url)
    served.saved["full"] = True
    tab.locator(".choice").first.click()
    tab.wait_for_selector("#message.bad")
    assert tab.text_content("#message").endswith("could not be saved: the disk is full")
    assert tab.locator(".choice[aria-pressed=true]").count() == 0
    served.saved["full"] = False
    with tab.expect_response("**/decisions"):
        tab.locator(".choice").first.click()
    assert tab.locator("#message.bad").count() == 0
    served.stop()
    tab.locator(".choice").nth(3).click()
    tab.wait_for_selector("#message.bad")
    assert tab.text_content("#message").endswith("is the command still running?")
    assert tab.locator(".choice[aria-pressed=true]").count() == 1


@pytest.fixture
def stranger(served):
    """Another site, on this machine, that somehow learnt the secret address."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            body = (
                f"<!doctype html><title>evil</title><iframe src='{served.url}'></iframe>".encode()
            )
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Page)
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def test_another_site_can_neither_read_nor_decide(open_tab, served, stranger, payloads):
    tab = open_tab(stranger)
    row = payloads["two labels"]["suspects"][0]["row"]
    attempt = """async ([url, body]) => {
      const mode = "no-cors", method = "POST", seen = [];
      for (const settings of [{}, {mode}, {method, body}, {method, body, mode}])
        await fetch(settings.method ? url + "decisions" : url, settings)
          .then((answer) => answer.text())
          .then((text) => seen.push(text.length), () => seen.push("refused"));
      return seen;
    }"""
    body = json.dumps({"row": row, "decision": "wrong"})
    assert set(tab.evaluate(attempt, [served.url, body])) <= {"refused", 0}
    assert served.decisions == {}
    framed = tab.frames[1]
    framed.wait_for_load_state()
    assert "verdict" not in framed.content()


def test_the_page_may_not_run_or_ask_anything_else(open_tab, served, stranger, pages):
    """What the policy is for, should anything slip through."""
    for url in (served.url, pages["two labels"]):
        tab = open_tab(url)
        tab.evaluate(
            """() => {
              const script = document.createElement("script");
              script.textContent = "window.ran = true";
              document.body.append(script);
              const image = "<img src=x onerror='window.ran = true'>";
              document.body.insertAdjacentHTML("beforeend", image);
            }"""
        )
        asked = f"fetch('{stranger}', {{mode: 'no-cors'}}).then(() => 'sent', () => 'refused')"
        assert tab.evaluate(asked) == "refused"
        assert tab.evaluate("window.ran") is None
        assert any("Content Security Policy" in text for text in tab.complaints)


def test_the_browser_finds_the_page_through_the_file(open_tab, payloads, monkeypatch):
    """From a file that only its user can read, over a ticket, to the page and its secret."""
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: not opened.append(url))
    server = serve_audit(payloads["two labels"])
    try:
        server.open_in_browser()
        tab = open_tab(opened[0])
        tab.wait_for_url(server.url)
        assert tab.text_content("h1") == "rows.csv"
    finally:
        server.stop()


def test_the_list_says_how_far_to_read(report, payloads):
    payload = payloads["two labels"]
    lines = report.locator("#trade-table tbody tr").all_text_contents()
    flagged = next(line for line in lines if "(flagged)" in line)
    trade = payload["trade"]
    k = max(i for i, n in enumerate(trade["rows"]) if n <= payload["flagged"])
    assert f"{100 * trade['precision'][k]:.0f}%" in flagged
    assert f"{100 * trade['recall'][k]:.0f}%" in flagged
    assert report.locator("#trade svg polyline").count() == 2


def test_duplicates_and_outliers_are_listed(open_tab, tmp_path):
    X = np.random.default_rng(0).normal(size=(120, 3))
    y = X[:, 0] > 0
    X[20], y[20], X[40] = X[4], not y[4], 50.0
    path = tmp_path / "report.html"
    write_audit_report(LabelAudit(n_jobs=1).fit(X, y), path, ids=[f"p{i}" for i in range(120)])
    tab = open_tab(path.as_uri())
    assert "2 rows with exact copies, 2 of them with another label" in tab.text_content(
        "#similar-note"
    )
    assert tab.text_content("#groups tbody th") == "p4, p20"
    assert "p40" in tab.text_content("#outliers tbody")
    assert tab.complaints == []


def test_a_suggestion_stands_where_the_margin_is_below_zero(open_tab, pages, payloads):
    tab, payload = open_tab(pages["three labels"]), payloads["three labels"]
    tab.select_option("#show", "all")
    shown = {row["id"]: row for row in payload["suspects"]}
    for line in tab.locator("#suspects tbody tr[data-row]").all()[:50]:
        row = shown[line.locator("th").text_content()]
        suggested = line.locator(".suggested").text_content()
        assert (suggested != "–") == (row["evidence"]["margin"] < 0)
        assert (row["score"] < 0.5) or suggested == "–"


def test_the_page_of_an_explanation_asks_nobody_anything(open_tab, tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"<b>size": rng.normal(size=200), "kind": rng.choice(["a", "b"], 200)})
    y = (X["<b>size"] > 0) ^ (X["kind"] == "a")
    X = X.astype({"kind": "category"})
    X.assign(label=y).to_csv(tmp_path / "t.csv", index=False)
    for name, model in (("stumps", AdaBoostClassifier()), ("trees", GradientBoostClassifier())):
        model.set_params(n_estimators=10).fit(X, y).save(tmp_path / f"{name}.json")
        out = tmp_path / f"{name}.html"
        arguments = [str(tmp_path / f"{name}.json"), str(tmp_path / "t.csv"), "--out", str(out)]
        assert main(["explain", *arguments, "--label", "label", "--row", "3"]) == 0
        tab = open_tab(out.as_uri(), offline=True)
        assert tab.locator("figure").count() == len(model.feature_importances_.nonzero()[0])
        assert "<b>size (" in tab.locator(".shapes").text_content()
        assert "Row 3: " in tab.text_content("main")
        assert tab.complaints == []
