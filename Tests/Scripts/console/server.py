"""A test server with a manual clock, and a day of a device with three widgets and hostile names."""
import base64
import json
import os
import pathlib
import re
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

MINUTE = 60_000
MORNING = 1_772_600_400_000  # 2026-03-04T05:00:00Z, 06:00 in Berlin
HOSTILE = [
    "<img src=x onerror=document.title='hacked'>",
    "\u202egnp.exe \u2066\u2067 RTL",
    "W" * 1_000,
]
# Markup with the ways in which a page runs scripts, asks another server or leaves its frame.
HOSTILE_MARKUP = """<base href='http://127.0.0.2:1/'><meta http-equiv='refresh' content='0;url=http://127.0.0.2:1/a'>
<link rel='stylesheet' href='http://127.0.0.2:1/b'><link rel='preconnect' href='http://127.0.0.2:1/'>
<style>@import url(http://127.0.0.2:1/c); @font-face { font-family: x; src: url(http://127.0.0.2:1/d) }
p { background: url(http://127.0.0.2:1/e); font-family: x; color: green }</style>
<script>window.hacked=1;fetch('http://127.0.0.2:1/f')</script><body onload='window.hacked=1'>
<p id='shown'>Shown</p><a href='http://127.0.0.2:1/g' ping='http://127.0.0.2:1/h' target='_top'>Link</a>
<img src='http://127.0.0.2:1/i' onerror='window.hacked=1'><svg onload='window.hacked=1'><image href='http://127.0.0.2:1/j'/>
<use href='http://127.0.0.2:1/k#x'/></svg><video poster='http://127.0.0.2:1/l' src='http://127.0.0.2:1/m' autoplay></video>
<iframe src='http://127.0.0.2:1/n' srcdoc='<script>parent.hacked=1</script>'></iframe>
<object data='http://127.0.0.2:1/o'></object><embed src='http://127.0.0.2:1/p'>
<form action='http://127.0.0.2:1/q'><button id='send'>Send</button></form>
<a href='javascript:window.hacked=1' id='run'>Run</a><input autofocus onfocus='window.hacked=1'>"""
# Content that would run a script, or ask another server, if it were markup.
HOSTILE_CONTENT = [
    ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' onload='window.hacked=1' width='9' height='9'>"
                      "<script>window.hacked=1</script><image href='http://127.0.0.2:1/x.png'/></svg>"),
    ("text/html", HOSTILE_MARKUP),
    ("application/json", '{"</pre><script>window.hacked=1</script>": "<img src=x onerror=alert(1)>"}'),
    ("text/markdown", "# Title\n[link](javascript:alert(1)) ![x](http://127.0.0.2:1/x) <b>b</b> **bold**\n- one\n- two\n"
                      "> quote\n```\n<script>window.hacked=1</script>\n```\n" + "*_`[" * 200),
    ("image/png", "no image"),
    ("<b>x</b>", "unknown"),
]


class OtherServer(threading.Thread):
    """Another server, which counts the connections that content causes."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.2", 0))
        self.port, self.count = self.listener.getsockname()[1], 0

    def run(self):
        while True:
            self.listener.accept()
            self.count += 1


class Server:
    """A server of its own process, called as an operator in JSON, and by the command marquee."""

    def __init__(self, programs, directory):
        """Uses the programs of a directory, and the access policy and tokens of another one, which gets the data."""
        self.programs, self.directory = pathlib.Path(programs), pathlib.Path(directory)
        self.token = self.token_of("operator")
        self.port = 0
        self.process = None
        self.other = OtherServer()
        self.other.start()

    def token_of(self, role):
        return (self.directory / f"{role}.token").read_text().strip()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        """Starts the server, on the same port and data as before."""
        log = self.directory / "log"
        with open(log, "w") as errors:
            self.process = subprocess.Popen(
                [self.programs / "marqueed", "--data-dir", self.directory / "data",
                 "--listen", f"unix:{self.directory}/socket", "--listen", f"tcp:127.0.0.1:{self.port}",
                 "--access-policy", self.directory / "access.yaml", "--clock", "manual=2026-03-04T05:00:00Z"],
                stderr=errors)
        for _ in range(200):
            if found := re.search(r"tcp:127\.0\.0\.1:(\d+).*listening", log.read_text()):
                self.port = int(found[1])
                return
            time.sleep(0.05)
        raise SystemExit(f"The server does not listen: {log.read_text()}")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def marquee(self, *arguments):
        """Runs the command marquee, and returns its JSON."""
        return json.loads(self.output(*arguments, "--json"))

    def output(self, *arguments):
        """Runs the command marquee, and returns its output."""
        environment = {**os.environ, "MARQUEE_SERVER": f"unix:{self.directory}/socket"}
        run = subprocess.run([self.programs / "marquee", *arguments], env=environment, capture_output=True, text=True,
                             timeout=30, check=False)
        if run.returncode != 0:
            raise SystemExit(f"marquee {' '.join(arguments)}: {run.stderr}")
        return run.stdout

    def call(self, method, **request):
        """Makes a unary call, and returns the response."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        body = json.dumps(request).encode()
        post = urllib.request.Request(f"{self.url}/marquee.v1.{method}", body, headers)
        try:
            with urllib.request.urlopen(post, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{method}: {error.code} {error.read().decode()}") from error

    def advance(self, minutes):
        """Advances the manual clock to minutes after the morning."""
        self.call("Admin/AdvanceClock", toMs=str(MORNING + minutes * MINUTE))

    def device(self, device, zone="Europe/Berlin"):
        """Registers a device."""
        self.call("Display/RegisterDevice", device=device, timeZone=zone)

    def stack(self, device, stack, widgets, family="WIDGET_FAMILY_SYSTEM_SMALL"):
        """Creates a visible stack of widgets."""
        self.call("Display/EditStack", device=device, stack=stack, create={"family": family})
        for member in widgets:
            self.call("Display/EditStack", device=device, stack=stack, add={"widget": member})
        self.call("Display/Report", device=device, stackShown=stack)

    def kind(self, device, app, name, title, description=""):
        """Registers a widget kind of an app."""
        self.call("Provider/RegisterKinds", device=device, app=app, kinds=[
            {"name": name, "displayName": title, "description": description,
             "families": ["WIDGET_FAMILY_SYSTEM_SMALL", "WIDGET_FAMILY_SYSTEM_MEDIUM"]}])

    def publish(self, device, member, entries, policy=None):
        """Publishes a timeline of a widget."""
        self.call("Provider/PublishTimeline", device=device, app=member["kind"]["app"], widget=member,
                  policy=policy or {"never": True}, entries=entries)


def widget(app, name):
    return {"kind": {"app": f"com.example.{app}", "name": name}}


def entry(minutes, text, score=None, duration=0, media_type="text/plain"):
    """Returns an entry at minutes after the morning."""
    made = {"dateMs": str(MORNING + minutes * MINUTE), "content": {
        "mediaType": media_type, "data": base64.b64encode(text.encode()).decode()}}
    if score is not None:
        made["relevance"] = {"score": score, "durationMs": str(duration * MINUTE)}
    return made


FORECAST, EVENT, TODAY = widget("weather", "Forecast"), widget("calendar", "NextEvent"), widget("reminders", "Today")


def seed_kitchen(server):
    """Builds the device `kitchen`, whose stack rotates at half past six, nine and noon."""
    server.device("kitchen")
    server.kind("kitchen", "com.example.weather", "Forecast", "Weather", "The forecast of the day.")
    server.kind("kitchen", "com.example.calendar", "NextEvent", "Calendar")
    server.kind("kitchen", "com.example.reminders", "Today", "Reminders")
    server.stack("kitchen", "home", [FORECAST, EVENT, TODAY])
    server.stack("kitchen", "desk", [TODAY], "WIDGET_FAMILY_SYSTEM_MEDIUM")
    server.publish("kitchen", FORECAST, [
        entry(0, "14 °C, clear", 0), entry(30, "Sunny until noon, 14 °C", 60, 90), entry(120, "14 °C", 0),
        entry(690, "Rain from 18:00", 100, 60), entry(840, "9 °C, rain", 0)])
    server.publish("kitchen", EVENT, [
        entry(0, "No events until 9:00", 0), entry(170, "Team meeting at 9:00\nRoom 4", 80, 60),
        entry(230, "Free until 14:00", 0), entry(460, "Dentist at 14:00", 90, 60)])
    server.publish("kitchen", TODAY, [
        entry(0, "2 reminders today", 0), entry(350, "Call the bank by 12:30", 50, 40), entry(400, "All done", 0)])


def seed_hostile(server):
    """Builds a device with names and content that try to be code, to reorder text and to break the layout."""
    server.device("hostile", "Asia/Kolkata")
    for number, name in enumerate(HOSTILE):
        app = f"com.example.hostile{number}"
        member = {"kind": {"app": app, "name": f"Kind{number}"}}
        server.call("Provider/RegisterKinds", device="hostile", app=app, kinds=[
            {"name": f"Kind{number}", "displayName": name.encode()[:255].decode(errors="ignore"), "description": name,
             "families": ["WIDGET_FAMILY_SYSTEM_SMALL"]}])
        server.stack("hostile", f"stack{number}", [member])
        server.publish("hostile", member, [entry(0, name, 50, 600)])
    server.device("markup")
    for number, (media_type, content) in enumerate(HOSTILE_CONTENT):
        member = widget(f"content{number}", "Content")
        server.kind("markup", member["kind"]["app"], "Content", f"Content {number}")
        server.stack("markup", f"content{number}", [member])
        content = content.replace("127.0.0.2:1/", f"127.0.0.2:{server.other.port}/")
        server.publish("markup", member, [entry(0, content, 50, 600, media_type)])


def seed_habits(server):
    """Builds the device `habits`, whose user orders soup at noon on most days, and reads the news sometimes."""
    server.device("habits")
    tomato = {"type": "OrderSoup", "parameters": [{"name": "soup", "values": [{"stringValue": "tomato, spicy"}]}]}
    server.call("Provider/RegisterIntentTypes", device="habits", app="com.example.soup", intentTypes=[{
        "type": "OrderSoup", "title": "Order Soup",
        "parameters": [{"name": "soup", "type": "INTENT_VALUE_TYPE_STRING"}],
        "combinations": [{"parameters": ["soup"], "texts": {"title": "Order ${soup}"}}],
        "eligibleForSuggestions": True, "discoverable": True}])
    noon = MORNING + 365 * MINUTE
    server.call("Provider/Donate", device="habits", app="com.example.soup", donations=[
        {"id": f"soup-{day}", "dateMs": str(noon - day * 1440 * MINUTE), "intent": tomato}
        for day in range(1, 30) if day != 7])
    server.call("Provider/Donate", device="habits", app="com.example.news", donations=[
        {"id": f"{HOSTILE[0]}-{day}", "dateMs": str(noon - day * 1440 * MINUTE + MINUTE), "userActivity": {
            "type": "com.example.news.read", "title": HOSTILE[0], "eligibleForSearch": True,
            "eligibleForPrediction": True}} for day in [1, 2, 9]])
    window = {"date": {"startMs": str(MORNING + 300 * MINUTE), "endMs": str(MORNING + 400 * MINUTE)}}
    server.call("Provider/SetRelevantShortcuts", device="habits", app="com.example.soup", shortcuts=[
        {"intent": tomato, "role": "SHORTCUT_ROLE_ACTION", "providers": [window]},
        {"intent": {"type": "TrackOrder"}, "role": "SHORTCUT_ROLE_INFORMATION"}])


def seed(server):
    """Builds all devices, and passes the day until 12:00 in Berlin."""
    seed_kitchen(server)
    seed_habits(server)
    seed_hostile(server)
    server.device("empty", "America/New_York")
    for minutes in [30, 120, 170, 230, 350, 360]:
        server.advance(minutes)
    server.call("Admin/SetPolicy", device="kitchen", set=[{"name": "dwell", "value": 600}])
