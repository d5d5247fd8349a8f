"""Pages of the console in Chromium, and the violations that they must not have."""
import contextlib
import pathlib
import re
import urllib.parse

from axe_playwright_python.sync_playwright import Axe

CHROMIUM = "/usr/bin/chromium"
# An HTTP error is a message of the browser's, which a page cannot prevent.
NETWORK_ERROR = "Failed to load resource"
BLOCKED = ["csp", "origin", "net::ERR_BLOCKED_BY_CSP", "net::ERR_BLOCKED_BY_CLIENT"]


class Checks:
    """The totals, with a line for each failure."""

    def __init__(self):
        self.passed, self.failed = 0, 0

    def expect(self, condition, text):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print("FAILED:", text, flush=True)

    def equal(self, found, wanted, text):
        self.expect(found == wanted, f"{text}: {found!r} instead of {wanted!r}")


class Browser:
    """A browser, whose tabs report messages, errors, dialogs and requests to elsewhere."""

    def __init__(self, playwright, server, checks):
        self.server, self.checks = server, checks
        self.chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        self.expects_errors = False

    @contextlib.contextmanager
    def tab(self, token="viewer", width=1280, **options):
        """A tab of its own session, signed in with the token of a role."""
        context = self.chromium.new_context(viewport={"width": width, "height": 900}, **options)
        page = context.new_page()
        page.set_default_timeout(10_000)
        expect = self.checks.expect
        page.on("console", lambda message: self.expects_errors or expect(
            False, f"{page.url}: console message: {message.text}"))
        page.on("pageerror", lambda error: expect(False, f"{page.url}: error: {error}"))
        page.on("dialog", lambda dialog: (expect(False, f"{page.url}: dialog {dialog.message}"), dialog.dismiss()))
        # What the policy of a page blocks is not sent.
        context.on("requestfinished", lambda request: expect(
            self.is_own(request.url), f"{page.url}: request to {request.url}"))
        context.on("requestfailed", lambda request: expect(
            self.is_own(request.url) or request.failure in BLOCKED,
            f"{page.url}: request to {request.url}: {request.failure}"))
        if token:
            page.goto(f"{self.server.url}/#token={self.server.token_of(token)}")
            self.wait(page)
        try:
            yield page
        finally:
            expect(context.cookies() == [], f"{page.url}: cookies")
            context.close()

    def is_own(self, url):
        return url.startswith((self.server.url + "/", f"blob:{self.server.url}/", "data:"))

    def open(self, page, path, **choices):
        """Shows a page with choices in the address."""
        query = urllib.parse.urlencode({key: value for key, value in choices.items() if value})
        page.goto(f"{self.server.url}{path}{'?' + query if query else ''}")
        self.wait(page)
        return page

    @staticmethod
    def wait(page):
        """Waits until the page of the address is shown."""
        page.wait_for_selector("main:not([aria-busy]) h1")

    @contextlib.contextmanager
    def errors(self):
        """Allows messages of failed requests meanwhile."""
        self.expects_errors = True
        yield
        self.expects_errors = False


def data(element):
    """Returns the exact number of an element that shows one."""
    return float(element.locator("data").first.get_attribute("value").replace("Infinity", "inf"))


def instant(element):
    """Returns the instant of an element that shows one, in RFC 3339; None if it shows none."""
    times = element.locator("time")
    return times.first.get_attribute("datetime") if times.count() else None


def rows(page, table):
    """Returns the cells of the rows of a table."""
    found = page.locator(f"#{table} tbody tr")
    return [found.nth(index).locator("th, td").all() for index in range(found.count())]


def text(element):
    return re.sub(r"\s+", " ", element.inner_text()).strip()


def violations(page, rule=None):
    """Returns the violations that axe finds: of all rules, or of one."""
    options = {"resultTypes": ["violations"], **({"runOnly": [rule]} if rule else {})}
    found = Axe().run(page, options=options).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]


def screenshot(page, directory, name):
    pathlib.Path(directory).mkdir(parents=True, exist_ok=True)
    page.screenshot(path=f"{directory}/{name}.png", full_page=True)
