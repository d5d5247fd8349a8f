"""The programs of the article with a real server."""
import asyncio
import http.server
import json
import pathlib
import re
import subprocess
import sys
import threading
import time
import unittest
from datetime import datetime, timedelta, timezone
from functools import partial
from zoneinfo import ZoneInfo

from marquee_client import Content, Display, Entry, Family, Provider, Timeline, Widget
from server import TLS_DIRECTORY, Server

ARTICLE = pathlib.Path(sys.argv[1])
EXAMPLES = ARTICLE.parents[3] / "Sources/PythonClient/examples"


class ExampleTests(unittest.TestCase):
    def serve(self, kind: str) -> Server:
        server = Server(kind)
        self.addCleanup(server.kill)
        server.start()
        # The article's commands.
        for line in ARTICLE.read_text().splitlines():
            if line.startswith("marquee "):
                server.command(*line.split()[1:])
        self.directory = server.directory
        return server

    def run_example(self, name: str, *arguments: str) -> pathlib.Path:
        """Starts an example; returns the file of its output."""
        output = self.directory / name
        with output.open("wb") as file:
            process = subprocess.Popen(
                [sys.executable, str(EXAMPLES / name), *arguments], stdout=file, stderr=subprocess.STDOUT)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return output

    def wait_for(self, output: pathlib.Path, text: str) -> None:
        end = time.monotonic() + 30
        while text not in output.read_text():
            if time.monotonic() > end:
                self.fail(f"{text!r} expected: {output.read_text()}")
            time.sleep(0.05)

    def add(self, server: Server, widget: str) -> None:
        """Adds a widget to the stack once its kind is registered."""
        end = time.monotonic() + 30
        while True:
            try:
                server.command("stack", "add", "kitchen/home", widget)
                return
            except RuntimeError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def serve_feed(self) -> str:
        handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(self.directory))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever).start()
        return f"http://127.0.0.1:{server.server_port}/feed.json"

    def write_feed(self, *titles: str) -> pathlib.Path:
        start = datetime.now(timezone.utc) - timedelta(minutes=10)
        items = [
            {"id": title, "title": title, "date_published": (start + timedelta(minutes=index)).isoformat()}
            for index, title in enumerate(titles)]
        file = self.directory / "feed.json"
        file.write_text(json.dumps({"version": "https://jsonfeed.org/version/1.1", "title": "News", "items": items}))
        return file

    async def reload(self, server: Server) -> None:
        async with Display(server.target, device="kitchen") as display:
            await display.reload(Widget("com.example.feed", "Items"))

    def test_forecast_display_and_why_not(self) -> None:
        server = self.serve("tcp")
        self.run_example("forecast.py", server.target)
        display = self.run_example("display.py", server.target, "kitchen", "home")
        self.add(server, "com.example.weather/Forecast")
        self.wait_for(display, "Forecast: Rain until noon")
        self.assert_local(display, r"(\d\d:\d\d):\d\d Forecast: Rain until noon\n", 0, 2)
        self.run_example("json_feed.py", server.target, "kitchen", str(self.write_feed("Only")))
        self.add(server, "com.example.feed/Items")
        answer = self.run_example("why_not.py", server.target, "kitchen", "home", "com.example.feed", "Items")
        self.wait_for(answer, "in front: Forecast")
        self.wait_for(answer, "\n- ")
        # The tap of the display holds the stack.
        self.assert_local(answer, r"gate: held .* \(until (\d\d:\d\d)\)\n", 1, 61)
        missing = self.run_example("why_not.py", server.target, "nowhere", "home", "com.example.feed", "Items")
        self.wait_for(missing, "NOT_FOUND: ")
        # The programs go on when the server is killed.
        server.kill()
        server.start()
        self.wait_for(display, "reconnecting")

    def assert_local(self, output: pathlib.Path, pattern: str, least: int, most: int) -> None:
        """Checks that an output has a time of the device's zone, from `least` to `most` minutes from now."""
        found = re.search(pattern, output.read_text())
        if found is None:
            self.fail(f"{pattern} expected: {output.read_text()}")
        # Clocks differ from the device's by hours, and the time was printed up to a minute ago.
        now = datetime.now(ZoneInfo("Europe/Berlin"))
        minutes = int(found[1][:2]) * 60 + int(found[1][3:]) - now.hour * 60 - now.minute
        self.assertTrue(least - 1 <= (minutes + 1) % 1440 - 1 <= most, (found[0], now))

    async def publish_bus(self, server: Server) -> None:
        """Publishes an entry that expires at once, until the test ends."""
        expired = datetime.now(timezone.utc)
        provider = Provider(server.target, device="kitchen", app="com.example.bus")
        families = [Family.SYSTEM_SMALL]

        @provider.kind("Bus", families=families)
        async def bus(request: object) -> Timeline:
            entry = Entry(expired - timedelta(minutes=1), Content.plain("Bus in 1 min"), expiry=expired)
            return Timeline([entry], reload="never")

        async with provider:
            await asyncio.to_thread(self.add, server, "com.example.bus/Bus")
            await asyncio.sleep(1)

    def test_outdated_content_of_the_display(self) -> None:
        server = self.serve("tcp")
        display = self.run_example("display.py", server.target, "kitchen", "home")
        asyncio.run(self.publish_bus(server))
        self.wait_for(display, "Bus: Bus in 1 min (outdated)\n")

    def test_json_feed(self) -> None:
        server = self.serve("tcp")
        self.write_feed("First", "Second")
        feed = self.run_example("json_feed.py", server.target, "kitchen", self.serve_feed())
        display = self.run_example("display.py", server.target, "kitchen", "home")
        self.add(server, "com.example.feed/Items")
        self.wait_for(feed, "publishing 2 items: PLACED")
        self.wait_for(display, "Items: Second")
        # When the server requests a reload, the program reads the feed again, also after the server was killed.
        server.kill()
        server.start()
        self.write_feed("First", "Second", "Third")
        self.wait_for(feed, "reconnecting")
        self.wait_for(display, "reconnecting")
        asyncio.run(self.reload(server))
        self.wait_for(feed, "publishing 3 items: ")
        self.wait_for(display, "Items: Third")

    def test_json_feed_of_a_file_with_tls_and_token(self) -> None:
        server = self.serve("tls")
        feed = self.run_example(
            "json_feed.py", server.target, "kitchen", str(self.write_feed("Only")),
            str(TLS_DIRECTORY / "operator.token"), str(TLS_DIRECTORY / "authority.pem"))
        self.add(server, "com.example.feed/Items")
        self.wait_for(feed, "publishing 1 items: PLACED")
        self.wait_for(self.run_example("display.py", server.owner, "kitchen", "home"), "Items: Only")

    def test_errors(self) -> None:
        output = self.run_example("errors.py", self.serve("tcp").target)
        self.wait_for(output, "refused: add.widget.kind.app")
        self.wait_for(output, "entries[0].date: naive datetime")
