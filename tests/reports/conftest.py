"""A real browser for the tests of the page; without one they are skipped, and say why."""

import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser():
    """Chromium, headless."""
    reason = "the report is not tested in a browser: playwright is not installed"
    playwright = pytest.importorskip("playwright.sync_api", reason=reason)
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("the report is not tested in a browser: Chromium is not installed")
    with playwright.sync_playwright() as api:
        browser = api.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class Tab:
    """A page in the browser, and what it did besides showing itself."""

    def __init__(self, page):
        self.page, self.complaints, self.requests = page, [], []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.accept()))
        page.on("request", lambda request: self.requests.append(request.url))

    def __getattr__(self, name):
        return getattr(self.page, name)

    def texts(self, selector):
        """Text of every element that matches."""
        return self.page.locator(selector).all_text_contents()

    def column(self, number):
        """Cells of a column of the table of suspects, as text."""
        return self.texts(f"#suspects > tbody > tr[data-row] > :nth-child({number})")


@pytest.fixture
def open_tab(browser):
    """Open an address in a fresh tab."""
    contexts = []

    def open_tab(url, *, offline=False, **settings):
        settings = {"viewport": {"width": 1200, "height": 900}, **settings}
        contexts.append(browser.new_context(offline=offline, **settings))
        tab = Tab(contexts[-1].new_page())
        tab.goto(url)
        return tab

    yield open_tab
    for context in contexts:
        context.close()
