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
    """Scrolls of users at a constant rate, by turns on each device, each of which changes the front of a stack.

    One thread with complete requests leaves the processors to the server and the browser.
    """

    def __init__(self, path, devices, members=(FRONT, OTHER)):
        self.requests = [self.request(device, member) for member in members for device in devices]
        self.count, self.isEnding, self.start = 0, threading.Event(), time.monotonic()
        self.thread = threading.Thread(target=self.run, args=(path,))
        self.thread.start()

    @staticmethod
    def request(device, member):
        body = json.dumps({"device": device, "scrolled": {"stack": "home", "widget": member}}).encode()
        return (b"POST /marquee.v1.Display/Report HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n" % len(body)) + body

    def run(self, path):
        connections = [socket.socket(socket.AF_UNIX) for _ in range(SENDERS)]
        for connection in connections:
            connection.connect(path)
        while not self.isEnding.is_set():
            time.sleep(max(0, self.start + self.count / PER_SECOND - time.monotonic()))
            connection = connections[self.count % SENDERS]
            if self.count >= SENDERS:
                self.receive(connection)
            connection.sendall(self.requests[self.count % len(self.requests)])
            self.count += 1
        for connection in connections:
            connection.close()

    @staticmethod
    def receive(connection):
        response = connection.recv(65_536)
        while response and not response.endswith(b"}"):
            response += connection.recv(65_536)
        if not response.startswith(b"HTTP/1.1 200 "):
            raise SystemExit(f"Report: {response.decode()}")

    def end(self):
        """Returns the number of changes per second."""
        self.isEnding.set()
        self.thread.join()
        return self.count / (time.monotonic() - self.start)


class Footprint:
    """The memory of a page after a collection: objects in megabytes, nodes, also removed ones, and listeners."""

    def __init__(self, page):
        session = page.context.new_cdp_session(page)
        session.send("HeapProfiler.enable")
        session.send("HeapProfiler.collectGarbage")
        session.send("Performance.enable")
        metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        session.detach()
        self.heap, self.nodes = metrics["JSHeapUsedSize"] / 1e6, int(metrics["Nodes"])
        self.listeners = int(metrics["JSEventListeners"])

    def __str__(self):
        return f"{self.heap:.2f} MB, {self.nodes} nodes, {self.listeners} listeners"


def processor_time(browser):
    """Returns the processor time of all pages in seconds. Unlike the durations of tasks, it costs pages nothing."""
    session = browser.chromium.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return sum(one["cpuTime"] for one in processes if one["type"] == "renderer")


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
        page.evaluate("longTasks.length = 0")
        start, sent = processor_time(browser), load.count
        time.sleep(seconds)
        tasks, work, sent = page.evaluate("longTasks"), processor_time(browser) - start, load.count - sent
        growth = Footprint(page).heap - before
        rate = load.end()
        worst = max(tasks, default=0)
        print(f"{path}: {rate:.0f} changes a second for {seconds} s, {len(devices)} devices, {len(tasks)} tasks of "
              f"50 ms or more (longest {worst:.0f} ms), {work * 1e6 / sent:.0f} ms of processor time for 1 000 "
              f"changes, growth {growth:.2f} MB", flush=True)
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
