"""Measures the console and the kiosk: the first paint, a long overview, and pages that follow many changes."""
import http.client
import json
import socket
import sys
import threading
import time

from playwright.sync_api import sync_playwright

from browser import Browser, Checks
from server import Server, entry, widget

DEVICES = 1_000
PER_SECOND = 1_000
SENDERS = 8
FRONT, OTHER = widget("weather", "Forecast"), widget("sport", "Score")

# Records tasks of 50 ms or more, and the first paint.
OBSERVE = """() => {
    window.longTasks = [];
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((entry) => entry.duration)))
        .observe({ entryTypes: ["longtask"] });
}"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


class Caller:
    """Calls over the Unix socket, as the owner of the server's data, on one connection."""

    def __init__(self, path):
        self.connection = http.client.HTTPConnection("localhost")
        self.connection.sock = socket.socket(socket.AF_UNIX)
        self.connection.sock.connect(path)

    def call(self, method, **request):
        self.connection.request("POST", f"/marquee.v1.{method}", json.dumps(request), {
            "Content-Type": "application/json"})
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise SystemExit(f"{method}: {body.decode()}")


def build(caller, device):
    """A device with one stack of two widgets."""
    caller.call("Display/RegisterDevice", device=device, timeZone="Europe/Berlin")
    caller.call("Display/EditStack", device=device, stack="home", create={"family": "WIDGET_FAMILY_SYSTEM_SMALL"})
    for member in [FRONT, OTHER]:
        caller.call("Provider/RegisterKinds", device=device, app=member["kind"]["app"], kinds=[
            {"name": member["kind"]["name"], "displayName": member["kind"]["name"],
             "families": ["WIDGET_FAMILY_SYSTEM_SMALL"]}])
        caller.call("Provider/PublishTimeline", device=device, app=member["kind"]["app"], widget=member,
                    policy={"never": True}, entries=[entry(0, "14 degrees", 1)])
        caller.call("Display/EditStack", device=device, stack="home", add={"widget": member})


class Load:
    """Scrolls of users at a constant rate, by turns on each device, each of which changes the front of a stack."""

    def __init__(self, path, devices, members=(FRONT, OTHER)):
        self.devices, self.members, self.count, self.isEnding = devices, members, 0, threading.Event()
        self.start = time.monotonic()
        self.threads = [threading.Thread(target=self.run, args=(path, index)) for index in range(SENDERS)]
        for thread in self.threads:
            thread.start()

    def run(self, path, index):
        caller, number = Caller(path), index
        while not self.isEnding.is_set():
            time.sleep(max(0, self.start + number / PER_SECOND - time.monotonic()))
            member = self.members[number // max(SENDERS, len(self.devices)) % 2]
            device = self.devices[number % len(self.devices)]
            caller.call("Display/Report", device=device, scrolled={"stack": "home", "widget": member})
            number += SENDERS
            self.count += 1

    def end(self):
        """Returns the number of changes per second."""
        self.isEnding.set()
        for thread in self.threads:
            thread.join()
        return self.count / (time.monotonic() - self.start)


class Footprint:
    """The memory of a page after a collection: objects in megabytes, nodes, also removed ones, and listeners."""

    def __init__(self, page):
        session = page.context.new_cdp_session(page)
        session.send("HeapProfiler.enable")
        session.send("HeapProfiler.collectGarbage")
        metrics = measures(session)
        session.detach()
        self.heap, self.nodes = metrics["JSHeapUsedSize"] / 1e6, int(metrics["Nodes"])
        self.listeners = int(metrics["JSEventListeners"])

    def __str__(self):
        return f"{self.heap:.2f} MB, {self.nodes} nodes, {self.listeners} listeners"


def measures(session):
    """Returns the measures of a page; durations are processor time in seconds."""
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}


def check_overview(browser, checks):
    with browser.tab("viewer") as page:
        for attempt in range(3):
            start = time.monotonic()
            page.goto(f"{browser.server.url}/?device=device-0000")
            page.wait_for_selector(f"#devices tbody tr:nth-child({DEVICES})")
            usable = time.monotonic() - start
        paint, size = page.evaluate(PAINT), Footprint(page).heap
        print(f"overview of {DEVICES} devices: first contentful paint {paint:.0f} ms, usable {usable * 1000:.0f} ms, "
              f"{size:.1f} MB", flush=True)
        checks.expect(paint <= 300, f"first contentful paint after {paint:.0f} ms")
        checks.expect(usable <= 1, f"usable after {usable:.2f} s")
        checks.expect(size <= 60, f"{size:.1f} MB")


def check_changes(browser, checks, path, token, live, seconds, devices=("kitchen",)):
    """A page that follows a thousand changes a second has no long task, and does not grow."""
    server = browser.server
    with browser.tab(None) as page:
        page.goto(f"{server.url}{path}#token={server.token_of(token)}")
        page.wait_for_selector(live)
        load = Load(f"{server.directory}/socket", devices)
        time.sleep(3)
        page.evaluate(OBSERVE)
        before = Footprint(page).heap
        session = page.context.new_cdp_session(page)
        page.evaluate("longTasks.length = 0")
        start, sent = measures(session), load.count
        time.sleep(seconds)
        tasks, end, sent = page.evaluate("longTasks"), measures(session), load.count - sent
        growth = Footprint(page).heap - before
        rate = load.end()
        worst = max(tasks, default=0)
        print(f"{path}: {rate:.0f} changes a second for {seconds} s, {len(devices)} devices, {len(tasks)} tasks of "
              f"50 ms or more (longest {worst:.0f} ms), growth {growth:.2f} MB", flush=True)
        # Unlike the time that a task takes, this does not depend on other programs.
        work = {name: (end[f"{name}Duration"] - start[f"{name}Duration"]) * 1e6 / sent for name in [
            "Task", "Script", "Layout", "RecalcStyle"]}
        print("    processor time for 1 000 changes: " + ", ".join(f"{name.lower()} {value:.0f} ms"
                                                                  for name, value in work.items()), flush=True)
        checks.expect(rate > PER_SECOND * 0.9, f"{path}: {rate:.0f} changes a second")
        checks.expect(not tasks, f"{path}: a task of {worst:.0f} ms")
        checks.expect(growth < 5, f"{path}: {growth:.2f} MB more")


def main():
    programs, directory, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    checks, server = Checks(), Server(programs, directory)
    server.start()
    try:
        caller = Caller(f"{server.directory}/socket")
        devices = ["kitchen"] + [f"device-{number:04}" for number in range(DEVICES - 1)]
        for device in devices:
            build(caller, device)
        with sync_playwright() as playwright:
            browser = Browser(playwright, server, checks)
            check_overview(browser, checks)
            check_changes(browser, checks, "/?device=kitchen", "viewer", "#live-state.on", seconds)
            check_changes(browser, checks, "/?device=kitchen", "viewer", "#live-state.on", seconds, devices)
            check_changes(browser, checks, "/kiosk?device=kitchen", "display", ".stack", seconds)
            browser.chromium.close()
    finally:
        server.kill()
    print(f"{checks.passed} passed, {checks.failed} failed")


if __name__ == "__main__":
    main()
