"""A test server with a manual clock, and a day of a device with three widgets and hostile names."""
import base64
import json
import os
import pathlib
import re
import subprocess
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
# Content that would run a script, or ask another server, if it were markup.
HOSTILE_CONTENT = [
    ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' onload='window.hacked=1' width='9' height='9'>"
                      "<script>window.hacked=1</script><image href='http://127.0.0.2:1/x.png'/></svg>"),
    ("text/html", "<script>window.hacked=1</script><img src='http://127.0.0.2:1/x' onerror='window.hacked=1'>"),
    ("application/json", '{"</pre><script>window.hacked=1</script>": "<img src=x onerror=alert(1)>"}'),
    ("text/markdown", "[link](javascript:alert(1)) ![x](http://127.0.0.2:1/x)"),
    ("image/png", "no image"),
    ("<b>x</b>", "unknown"),
]


class Server:
    """A server of its own process, called as an operator in JSON, and by the command marquee."""

    def __init__(self, programs, directory):
        """Uses the programs of a directory, and the access policy and tokens of another one, which gets the data."""
        self.programs, self.directory = pathlib.Path(programs), pathlib.Path(directory)
        self.token = self.token_of("operator")
        self.port = 0
        self.process = None

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
        environment = {**os.environ, "MARQUEE_SERVER": f"unix:{self.directory}/socket"}
        run = subprocess.run([self.programs / "marquee", *arguments, "--json"], env=environment, capture_output=True,
                             text=True, timeout=30, check=False)
        if run.returncode != 0:
            raise SystemExit(f"marquee {' '.join(arguments)}: {run.stderr}")
        return json.loads(run.stdout)

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
    for number, (media_type, content) in enumerate(HOSTILE_CONTENT):
        member = widget(f"content{number}", "Content")
        server.kind("hostile", member["kind"]["app"], "Content", f"Content {number}")
        server.stack("hostile", f"content{number}", [member])
        server.publish("hostile", member, [entry(0, content, 50, 600, media_type)])


def seed(server):
    """Builds all devices, and passes the day until 12:00 in Berlin."""
    seed_kitchen(server)
    seed_hostile(server)
    server.device("empty", "America/New_York")
    for minutes in [30, 120, 170, 230, 350, 360]:
        server.advance(minutes)
    server.call("Admin/SetPolicy", device="kitchen", set=[{"name": "dwell", "value": 600}])
