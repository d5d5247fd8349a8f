"""Plays a day of a kiosk by a manual clock, and then many changes, beside the overview: memory, and the shown fronts.

Usage: soak.py PROGRAMS DIRECTORY CHANGES
With 100 000 changes, the clock goes minute by minute; with fewer, in steps of a quarter of an hour.
"""
import json
import sys
import time

from playwright.sync_api import sync_playwright

from browser import Browser, Checks
from kiosk_page import FRONT, show
from server import Server, entry, widget
from speed import Footprint, Load

DAY = 1440
LONG_COUNT = 100_000
# The growth that is allowed, of a heap in megabytes and of the other counts.
GROWTH_MAX = {"heap": 5, "nodes": 500, "listeners": 200}
CARD = {"type": "AdaptiveCard", "version": "1.5", "body": [
    {"type": "TextBlock", "text": "Bus 100", "size": "large"},
    {"type": "FactSet", "facts": [{"title": "{time}", "value": "Zoo"}]}]}
CONTENTS = [
    ("text/plain", "14 °C at {time}"),
    ("text/markdown", "# {time}\n- milk\n- **bread**"),
    ("application/vnd.microsoft.card.adaptive", json.dumps(CARD)),
    ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><text y='5'>{time}</text></svg>"),
    ("text/html", "<style>b { color: green }</style><b>{time}</b>"),
]


def seed(server):
    """Builds the device `kitchen`, whose stack rotates to the next widget each quarter of an hour."""
    server.device("kitchen")
    widgets = [widget(f"app{number}", "Shown") for number in range(len(CONTENTS))]
    for number, member in enumerate(widgets):
        server.kind("kitchen", member["kind"]["app"], "Shown", f"Widget {number}")
    server.stack("kitchen", "home", widgets)
    # Without the times and budgets that limit rotations.
    server.call("Admin/SetDeveloperMode", device="kitchen", enabled=True)
    for number, (member, (media_type, content)) in enumerate(zip(widgets, CONTENTS)):
        entries = []
        for minutes in range(0, 2 * DAY, 15):
            shown = content.replace("{time}", f"{minutes // 60}:{minutes % 60:02}")
            score = 50 if minutes // 15 % len(CONTENTS) == number else 0
            entries.append(entry(minutes, shown, score, 15, media_type))
        server.publish("kitchen", member, entries)
    return widgets


def play_day(server, kiosk, checks, step):
    """Advances the clock by a day, and restarts the server every six hours; returns how many fronts were shown."""
    fronts, latest, restarts = 0, None, 0
    for minutes in range(step, DAY + 1, step):
        server.advance(minutes)
        if minutes % 15:
            continue
        wanted = front(server)
        kiosk.wait_for_function(f"() => ({FRONT})() === '{wanted}'")
        fronts, latest = fronts + (wanted != latest), wanted
        if minutes % (DAY // 4) == 0:
            server.kill()
            kiosk.wait_for_selector("#banner:not([hidden])")
            server.start()
            kiosk.wait_for_selector("#banner[hidden]", state="attached", timeout=30_000)
            restarts += 1
    checks.equal(restarts, 4, "restarts of the server")
    return fronts


def front(server):
    """Returns the title of the widget in front."""
    [stack] = server.call("Admin/ListStacks", device="kitchen")["stacks"]
    return f"Widget {stack['members'][stack.get('front', 0)]['kind']['app'].removeprefix('com.example.app')}"


def check_growth(checks, what, pages, before):
    """Compares the memory of pages with an earlier one, and returns the present one."""
    after = {name: Footprint(page) for name, page in pages.items()}
    for name, page in pages.items():
        print(f"{name}, {what}: from {before[name]} to {after[name]}", flush=True)
        for field, most in GROWTH_MAX.items():
            growth = getattr(after[name], field) - getattr(before[name], field)
            checks.expect(growth < most, f"{name}, {what}: {growth:.2f} more {field}")
    return after


def soak(browser, checks, count):
    server = browser.server
    step = 1 if count >= LONG_COUNT else 15
    widgets = seed(server)
    with browser.tab("viewer") as overview, browser.tab(None) as kiosk:
        # The browser reports each failed connection while the server restarts.
        browser.expects_errors = True
        browser.open(overview, "/", device="kitchen")
        show(browser, kiosk, choices={"device": "kitchen"})
        pages = {"kiosk": kiosk, "overview": overview}
        # The first changes load and compile what the others use.
        load(server, widgets, kiosk, 200)
        start = {name: Footprint(page) for name, page in pages.items()}
        began = time.monotonic()
        fronts = play_day(server, kiosk, checks, step)
        checks.expect(fronts >= 90, f"{fronts} fronts in a day")
        what = f"24 hours with {fronts} fronts in {time.monotonic() - began:.0f} s"
        after_day = check_growth(checks, what, pages, start)
        rate = load(server, widgets, kiosk, count)
        check_growth(checks, f"{count} changes at {rate:.0f} a second", pages, after_day)
        overview.wait_for_selector("#live-state.on")


def load(server, widgets, kiosk, count):
    """Scrolls a number of times; returns the rate. The kiosk then shows the front."""
    scrolls = Load(f"{server.directory}/socket", ["kitchen"], widgets[:2])
    while scrolls.count < count:
        time.sleep(0.05)
    rate = scrolls.end()
    kiosk.wait_for_function(f"() => ({FRONT})() === '{front(server)}'")
    return rate


def main():
    programs, directory, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    checks, server = Checks(), Server(programs, directory)
    server.start()
    try:
        with sync_playwright() as playwright:
            browser = Browser(playwright, server, checks)
            soak(browser, checks, count)
            browser.chromium.close()
    finally:
        server.kill()
    print(f"{checks.passed} passed, {checks.failed} failed")


if __name__ == "__main__":
    main()
