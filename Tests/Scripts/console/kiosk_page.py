"""A page of the kiosk, and the deeds on it."""
import contextlib
import json
import re
import time
import urllib.parse

KITCHEN = {"device": "kitchen"}
HOME = {**KITCHEN, "stack": "home"}
VERBS = "scroll|tap|show|hide|keep|dismiss|snooze-widget|pin|unpin|rotation-rule"
# Notes when the front changes, and which one it is.
OBSERVE = """() => new MutationObserver(() => {
    const front = document.querySelector('[data-stack=home] .slide:not([inert]) figcaption')?.textContent;
    if (front !== window.front) [window.front, window.frontAt] = [front, Date.now()];
}).observe(document, {subtree: true, attributes: true, childList: true})"""
FRONT = "() => document.querySelector('[data-stack=home] .slide:not([inert]) figcaption')?.textContent"
IS_SETTLED = """() => {
    const [track, slide] = ['.track', '.slide:not([inert])'].map((part) => document.querySelector(part));
    return slide && Math.abs(track.scrollTop - slide.offsetTop) < 2;
}"""


@contextlib.contextmanager
def kiosk(browser, token="display", choices=HOME, **options):
    """A kiosk, whose link has the token of a role."""
    with browser.tab(None, **options) as page:
        show(browser, page, token, choices)
        yield page


def show(browser, page, token="display", choices=HOME):
    fragment = f"#token={browser.server.token_of(token)}" if token else ""
    page.goto(f"{browser.server.url}/kiosk?{urllib.parse.urlencode(choices)}{fragment}")
    page.wait_for_selector(".stack, [data-problem], .empty")
    if page.locator(".stack").count():
        page.wait_for_selector("#banner[hidden]", state="attached")
        page.wait_for_function(IS_SETTLED)
        page.evaluate(OBSERVE)


def deeds(browser):
    """Returns the user's deeds on the device, as the server stored them."""
    time.sleep(0.3)
    scenario = browser.server.output("export-scenario", "kitchen")
    return re.findall(rf"^(?:  - |    )({VERBS}):", scenario, re.M)


def front(browser):
    """Returns the name of the kind in front, as the server says."""
    stack = next(one for one in browser.server.marquee("stacks")["stacks"] if one["stack"] == "home")
    return stack["front"].split("/")[-1]


def wait_for_front(page, name):
    page.wait_for_function(f"() => ({FRONT})() === '{name}'")
    page.wait_for_function(IS_SETTLED)


def hide(page, hidden):
    """Hides the page as if another tab were in front, or shows it again."""
    page.evaluate(f"""() => {{
        Object.defineProperty(document, 'hidden', {{value: {str(hidden).lower()}, configurable: true}});
        document.dispatchEvent(new Event('visibilitychange'));
    }}""")


@contextlib.contextmanager
def misdirected(page, method, **fields):
    """Changes fields of the calls of a method, as if the device had changed when they arrive."""
    def change(route):
        route.continue_(post_data=json.dumps({**route.request.post_data_json, **fields}))

    page.route(f"**/marquee.v1.Display/{method}", change)
    yield
    page.unroute(f"**/marquee.v1.Display/{method}")


class Finger:
    """A finger on the screen."""

    def __init__(self, page):
        self.session = page.context.new_cdp_session(page)
        self.page, self.y = page, 450

    def touch(self, kind, *points):
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [
            {"x": 400, "y": y} for y in points]})

    def down(self, y=450):
        self.y = y
        self.touch("touchStart", y)

    def move(self, distance, steps=8):
        for _ in range(steps):
            self.y += distance / steps
            self.touch("touchMove", self.y)
            self.page.wait_for_timeout(16)

    def up(self):
        self.touch("touchEnd")

    def swipe(self, distance):
        self.down(700 if distance < 0 else 200)
        self.move(distance)
        self.up()
