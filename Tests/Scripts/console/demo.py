"""The demo in Chromium: its links, and the pictures in the documentation, which show its day."""
import os
import subprocess

from browser import screenshot


def check_demo(browser, checks, screenshots):
    """Both links of the demo open pages that follow its day, which ends with the demo's own fronts."""
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(browser.server.directory)}
    demo = subprocess.Popen(
        [browser.server.programs / "marquee", "demo", "--web", "--pace", "1.5"], env=environment, text=True,
        stdout=subprocess.PIPE)
    try:
        links = dict(demo.stdout.readline().split() for _ in range(2))
        address = links["Console"].split("#")[0].rstrip("/")
        # Its requests are to another server than the other checks'.
        own, browser.server.port = browser.server.port, int(address.rsplit(":", 1)[1])
        with browser.tab(None, width=1000, color_scheme="dark") as kiosk, browser.tab(None) as console:
            kiosk.set_viewport_size({"width": 1000, "height": 480})
            kiosk.goto(links["Kiosk"])
            front = ".slide:not([inert]) .content"
            kiosk.wait_for_selector(f"{front}:has-text('dishwasher')", timeout=60_000)
            kiosk.wait_for_timeout(500)
            screenshot(kiosk, screenshots, "demo-kiosk")
            console.goto(links["Console"])
            browser.wait(console)
            console.goto(f"{address}/day?device=phone&stack=home&from=06:00&to=22:00")
            browser.wait(console)
            checks.equal(console.locator("#chart svg").count(), 1, "the chart of the demo's day")
            kiosk.wait_for_selector(f"{front}:has-text('Water the plants')", timeout=60_000)
            console.wait_for_selector("time[datetime^='2026-03-04T19:30']", timeout=60_000)
            console.wait_for_timeout(1_000)
            console.set_viewport_size({"width": 1280, "height": 760})
            console.screenshot(path=f"{screenshots}/demo-day.png")
        browser.server.port = own
    finally:
        demo.terminate()
        checks.equal(demo.wait(timeout=20), 0, "the end of the demo")
