"""Compares the numbers of each page with the JSON of the command marquee."""
import collections
import datetime
import re

from browser import data, instant, rows, text

KITCHEN = {"device": "kitchen"}
HOME = {"device": "kitchen", "stack": "home"}
EVENT = "com.example.calendar/NextEvent"


def time_of(milliseconds):
    """Returns an instant as elements of the console have it."""
    if milliseconds is None:
        return None
    made = datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.timezone.utc)
    return made.strftime("%Y-%m-%dT%H:%M:%SZ")


def overview(browser, page, checks):
    devices = browser.server.marquee("devices")["devices"]
    browser.open(page, "/", **KITCHEN)
    found = rows(page, "devices")
    checks.equal(len(found), len(devices), "devices")
    for cells, device in zip(found, devices):
        checks.equal(text(cells[0]), device["device"], "a device")
        numbers = [data(cell) for cell in cells[2:5]]
        wanted = [device["stack_count"], device["timeline_count"], device["decision_count"]]
        checks.equal(numbers, wanted, f"numbers of {device['device']}")
        checks.equal(instant(cells[5]), time_of(device["next_change_ms"]), f"next change of {device['device']}")
    page.wait_for_selector("#live-state.on")
    fronts = {stack["stack"]: stack["front"] for stack in browser.server.marquee("stacks", "kitchen")["stacks"]}
    checks.equal(page.locator("[data-stack]").count(), len(fronts), "stacks of kitchen")
    checks.expect("Call the bank by 12:30" in text(page.locator("[data-stack=home]")), "the front's content")


def stack(browser, page, checks):
    wanted = browser.server.marquee("inspect", "kitchen/home")
    explained = {one["widget"]: one for one in browser.server.marquee("explain", "kitchen/home")["candidates"]}
    browser.open(page, "/stack", **HOME)
    found = rows(page, "members")
    checks.equal(len(found), len(wanted["widgets"]), "members")
    for cells, member in zip(found, wanted["widgets"]):
        title, relevance = member["widget"], member["relevance"]
        checks.equal(cells[0].locator("code").inner_text(), title, "a member")
        checks.equal(data(cells[1]), explained[title]["evidence"], f"evidence of {title}")
        scores = [float(one.get_attribute("value")) for one in cells[2].locator("data").all()]
        checks.equal(scores, [relevance["effective_score"], relevance["reference"]], f"scores of {title}")
        checks.equal([instant(cells[3]), instant(cells[4])],
                     [time_of(relevance["start_ms"]), time_of(relevance["end_ms"])], f"times of {title}")
        entries = [float(one.get_attribute("value")) for one in cells[5].locator("data").all()]
        checks.equal(entries, [member["reached_count"], member["entry_count"]], f"entries of {title}")
        reload = f"{member['reload']['counted_count']} of {member['reload']['budget']} in 24 h"
        checks.expect(reload in text(cells[6]), f"reloads of {title}: {text(cells[6])}")
        closed = next((gate["gate"] for gate in explained[title]["gates"] if not gate["passed"]), "In front")
        checks.expect(text(cells[7]).startswith(closed), f"closed gate of {title}: {text(cells[7])}")
    checks.equal(instant(page.locator("dl.facts").first), time_of(wanted["next_change_ms"]), "next change")


def candidates(page, checks, wanted, prefix="candidate"):
    found = page.locator(f"details[id^={prefix}-]").all()
    checks.equal(len(found), len(wanted), "candidates")
    for element, candidate in zip(found, wanted):
        title = candidate["widget"]
        checks.equal(element.get_attribute("data-widget"), title, "a candidate")
        checks.equal(data(element.locator("summary")), candidate["evidence"], f"evidence of {title}")
        # A live page may be drawn again during the click.
        while element.get_attribute("open") is None:
            element.locator("summary").click()
        inside = element.locator(".inside")
        checks.equal(text(inside.locator("p").first), candidate["summary"] + ".", f"summary of {title}")
        for row, signal in zip(inside.locator("tbody tr").all(), candidate["signals"]):
            numbers = [float(one.get_attribute("value")) for one in row.locator("data").all()]
            names = ["score", "reference", "strength", "weight", "share"]
            checks.equal(numbers, [signal[name] for name in names], f"signal of {title}")
        gates = inside.locator("[data-gate]").all()
        checks.equal([gate.get_attribute("data-gate") for gate in gates],
                     [gate["gate"] for gate in candidate["gates"]], f"gates of {title}")
        for item, gate in zip(gates, candidate["gates"]):
            checks.equal(item.get_attribute("class"), "passed" if gate["passed"] else "failed", gate["gate"])
            checks.expect(gate["summary"].split("20")[0] in text(item), f"{gate['gate']}: {text(item)}")
            if gate["unit"]:
                values = [float(one.get_attribute("value").replace("Infinity", "inf"))
                          for one in item.locator("data").all()]
                measured = float("inf") if gate["measured"] is None else float(gate["measured"])
                checks.equal(values, [measured, float(gate["required"])], f"{gate['gate']} of {title}")


def why(browser, page, checks):
    for at in [None, "2026-03-04T08:00:00Z", "2026-03-04T16:45:00Z"]:
        options = ["--at", at] if at else []
        wanted = browser.server.marquee("explain", "kitchen/home", *options)
        browser.open(page, "/why", **HOME, at=at)
        checks.equal(text(page.locator("#summary")), wanted["summary"] + ".", f"summary at {at}")
        candidates(page, checks, wanted["candidates"])
        obstacles = browser.server.marquee("why-not", "kitchen/home", EVENT, *options)
        browser.open(page, "/why", **HOME, widget=EVENT, at=at)
        checks.equal(text(page.locator("#obstacles-summary")), obstacles["summary"] + ".", f"obstacles at {at}")
        found = [text(item) for item in page.locator("#obstacles > li > p:first-child").all()]
        checks.equal(found, [one["summary"] + "." for one in obstacles["obstacles"]], f"obstacles at {at}")


def decisions(browser, page, checks):
    wanted = browser.server.marquee("decisions", "--device", "kitchen")["decisions"]
    browser.open(page, "/decisions", **KITCHEN)
    found = rows(page, "decisions")
    checks.equal(len(found), len(wanted), "decisions")
    for cells, decision in zip(found, wanted):
        number = decision["number"]
        checks.equal(data(cells[0]), number, "the number of a decision")
        checks.equal(instant(cells[1]), time_of(decision["at_ms"]), f"time of decision {number}")
        checks.equal(text(cells[2]), decision["stack"], f"stack of decision {number}")
        checks.equal(text(cells[3]).lower(), decision["kind"], f"kind of decision {number}")
        checks.equal(cells[4].locator("code").inner_text(), decision["to"], f"widget of decision {number}")
        checks.equal(text(cells[5]), decision["reason"], f"reason of decision {number}")
    browser.open(page, "/decisions", **KITCHEN, decision=str(wanted[0]["number"]))
    candidates(page, checks, wanted[0]["explanation"]["candidates"], "decided")
    for choices, count in [({"q": "reminders"}, 1), ({"stack": "desk"}, 0), ({"kind": "rotation"}, len(wanted)),
                           ({"kind": "pin"}, 0), ({"before": "2"}, 1)]:
        browser.open(page, "/decisions", **KITCHEN, **choices)
        checks.equal(len(rows(page, "decisions")), count, f"decisions with {choices}")


def widgets(browser, page, checks):
    wanted = browser.server.marquee("widgets", "kitchen")
    apps = browser.server.marquee("statistics", "kitchen")["apps"]
    instances = [one for app in apps for one in app["widgets"]]
    browser.open(page, "/widgets", **KITCHEN)
    found = rows(page, "widgets")
    checks.equal([cells[0].locator("code").inner_text() for cells in found],
                 [one["widget"] for one in wanted["widgets"]], "widgets")
    for cells, widget in zip(found, wanted["widgets"]):
        checks.equal(text(cells[1]), ", ".join(widget["stacks"]), f"places of {widget['widget']}")
        own = [one for one in instances if one["widget"] == widget["widget"]]
        names = ["shown_count", "front_time", "rotation_count", "tap_count", "scroll_away_count", "suggestion_count"]
        sums = [sum(one[name] for one in own) * (1000 if name == "front_time" else 1) for name in names]
        checks.equal([data(cell) for cell in cells[2:8]], sums, f"statistics of {widget['widget']}")
    checks.equal([cells[0].locator("code").inner_text() for cells in rows(page, "kinds")],
                 [one["kind"] for one in wanted["kinds"]], "kinds")
    timeline = browser.server.marquee("timeline", f"kitchen:{EVENT}")
    browser.open(page, "/widgets", **KITCHEN, widget=EVENT)
    entries = rows(page, "entries")
    checks.equal(len(entries), len(timeline["entries"]), "entries")
    for cells, entry in zip(entries, timeline["entries"]):
        checks.equal(instant(cells[0]), time_of(entry["date_ms"]), "the date of an entry")
        checks.equal(data(cells[1]), entry["score"], "the score of an entry")


def score_spans(timeline, start, end):
    """Returns the spans with a score that the JSON of a timeline without expiries sets from start to end."""
    entries = [entry for entry in timeline["entries"] or [] if entry["score"] is not None]
    spans = []
    for entry, next_ in zip(entries, [entry["date_ms"] for entry in entries[1:]] + [end]):
        last = entry["date_ms"] + entry["duration"] * 1000 if entry["duration"] else next_
        first, last = max(start, entry["date_ms"]), min(end, last, next_)
        if entry["score"] and first < last:
            spans.append((entry["score"], time_of(first), time_of(last)))
    return spans


def axis_range(server, name, day, directory):
    """Returns the lowest and the highest label of the axis of scores that `marquee timeline --svg` draws."""
    drawing = directory / "timeline.svg"
    server.marquee("timeline", f"kitchen:{name}", "--day", day, "--svg", str(drawing))
    labels = [float(label) for label in re.findall(r'text-anchor="end"[^>]*>(-?[\d.]+)</text>', drawing.read_text())]
    return [min(labels), max(labels)]


def marks(page, checks, wanted, ahead, period):
    """Compares the places of marks with the times of decisions."""
    start, end = period
    plot = float(page.locator("#chart svg").get_attribute("width")) - 68
    for decision in wanted:
        mark = page.locator(f"[data-widget='{decision['to']}'] [data-decision='{decision['number']}']")
        x = float(re.search(r"\(([\d.]+)", mark.locator("g").get_attribute("transform"))[1])
        checks.expect(abs(x - 48 - plot * (decision["at_ms"] - start) / (end - start)) < 0.1, f"{x} of a mark")
        checks.equal(mark.locator(".sign.ahead").count(), int(decision in ahead), "hollow marks")
    checks.equal(page.locator(".mark").count(), len(wanted), f"marks of {page.url}")


def day(browser, page, checks, date="2026-03-04", past=False):
    """Compares a day of the stack home: the marks, the spans of scores and the axes."""
    server = browser.server
    start, end = [round(datetime.datetime.fromisoformat(f"{one}T00:00:00+01:00").timestamp() * 1000)
                  for one in [date, date[:-2] + f"{int(date[-2:]) + 1:02}"]]
    made = server.marquee("decisions", "kitchen/home")["decisions"][::-1]
    ahead = [] if past else server.marquee("foresee", "kitchen/home", "--until", time_of(end))["decisions"]
    wanted = [one for one in made + ahead if start <= one["at_ms"] < end]
    browser.open(page, "/day", **HOME, date=date)
    page.wait_for_selector("#chart svg")
    found = rows(page, "day-decisions") if wanted else []
    checks.equal(len(found), len(wanted), f"decisions on {date}")
    for cells, decision in zip(found, wanted):
        number = decision["number"]
        checks.equal([data(cells[0]), instant(cells[1])], [number, time_of(decision["at_ms"])], f"decision {number}")
        checks.equal(cells[3].locator("code").inner_text(), decision["to"], f"widget of decision {number}")
        checks.equal(text(cells[4]), decision["reason"], f"reason of decision {number}")
        kind = text(cells[2]).lower().split()
        checks.equal(kind, [decision["kind"]] + ["foreseen"] * (decision in ahead), f"kind of decision {number}")
        checks.expect(time_of(decision["at_ms"]).replace(":", "%3A") in cells[5].locator("a").get_attribute("href"),
                      f"the explanation of decision {number}")
    marks(page, checks, wanted, ahead, (start, end))
    spans = []
    for member in server.marquee("inspect", "kitchen/home")["widgets"]:
        name = member["widget"]
        timeline = server.marquee("timeline", f"kitchen:{name}", "--day", date)
        own = score_spans(timeline, start, end)
        spans += [(name, *span) for span in own] or [(name, None, None, None)]
        axis = page.locator(f"g[data-widget='{name}']").get_attribute("data-range")
        checks.equal([float(one) for one in axis.split()],
                     axis_range(server, name, date, server.directory), f"axis of {name}")
    cells = [[row[0].locator("code").inner_text(), data(row[1]) if row[1].locator("data").count() else None,
              instant(row[2]), instant(row[3])] for row in rows(page, "spans")]
    checks.equal([tuple(row) for row in cells], spans, f"spans on {date}")
    checks.equal(page.locator(".now").count(), int(not past and date == "2026-03-04"), f"now-lines on {date}")


def days(browser, page, checks):
    for date in ["2026-03-04", "2026-03-05"]:
        day(browser, page, checks, date)
    with browser.errors():
        browser.open(page, "/day", **HOME, date="2026-03-03")
        checks.expect("Nothing is stored" in text(page.locator(".empty")), "the day before the device")


def habits(browser, page, checks):
    server = browser.server
    browser.open(page, "/habits", device="habits")
    predicted = server.marquee("predict", "habits")
    found = rows(page, "likely")
    checks.equal(len(found), len(predicted["actions"]), "likely actions")
    for cells, action in zip(found, predicted["actions"]):
        name = action["action"]
        checks.equal(cells[0].locator("code").inner_text(), name, "a likely action")
        checks.expect(action["display"]["title"] in text(cells[0]), f"title of {name}")
        checks.equal(data(cells[1]), action["probability"], f"probability of {name}")
        checks.equal(text(cells[2]), "Evidence" if action["evidence"] else "", f"evidence of {name}")
        checks.equal(text(cells[3]), action["habit"]["summary"], f"reasons of {name}")
    wanted = []
    for surface in ["lock-screen", "search", "suggestions-widget", "watch-face", "share-sheet", "now-playing",
                    "shortcuts-gallery", "notifications"]:
        listed = server.marquee("suggest", "habits", "--on", surface)["suggestions"]
        wanted += [(surface, one["display"]["title"], one["confidence"], one["reason"], time_of(one["until_ms"]))
                   for one in listed]
    found = [(text(cells[0]), text(cells[1].locator("bdi")), data(cells[2]), text(cells[3]), instant(cells[4]))
             for cells in rows(page, "suggestions")]
    checks.equal(found, wanted, "suggestions")
    items = server.marquee("watch-face", "habits")["items"]
    found = [(text(cells[0].locator("bdi")), text(cells[1]), text(cells[2]), instant(cells[3]))
             for cells in rows(page, "watch-face")]
    checks.equal(found, [(one["display"]["title"], "Now" if one["relevant_now"] else "", one["reason"],
                          time_of(one["until_ms"])) for one in items], "the watch face")
    donations = server.marquee("donations", "habits", "--count", "1000")["donations"]
    counts = collections.Counter(one["donation"] for one in donations)
    latest = {one["donation"]: one for one in reversed(donations)}
    found = [(cells[0].locator("code").inner_text(), data(cells[1]), instant(cells[2]), text(cells[3]))
             for cells in rows(page, "donations")]
    checks.equal(found, [(name, count, time_of(latest[name]["date_ms"]), latest[name]["id"])
                         for name, count in counts.most_common()], "donations")
    browser.open(page, "/habits", device="empty")
    checks.equal(page.locator(".empty pre").count(), 4, "commands on a page without habits")


def limits_and_policy(browser, page, checks):
    for device in ["", "kitchen"]:
        wanted = browser.server.marquee("limits", *([device] if device else []))["limits"]
        browser.open(page, "/server", device=device, show="all")
        found = rows(page, "limits")
        checks.equal([text(cells[0]) for cells in found], [one["name"] for one in wanted], "limits")
        for cells, limit in zip(found, wanted):
            # The connections and calls of the browser and of the command are not the same.
            changes = limit["name"].startswith(("connection-", "stream-", "address-", "queued-"))
            if limit["use"] is not None and not changes:
                checks.equal(data(cells[1]), limit["use"], f"use of {limit['name']}")
            if limit["maximum"] is not None:
                checks.equal(data(cells[2]), limit["maximum"], f"maximum of {limit['name']}")
    wanted = browser.server.marquee("policy", "kitchen")["settings"]
    for cells, setting in zip(rows(page, "policy"), wanted):
        checks.equal(text(cells[0]), setting["name"], "a setting")
        checks.equal([data(cells[1]), data(cells[2])], [setting["value"], setting["configured"]], setting["name"])
        checks.equal("Overridden" in text(cells[3]), setting["overridden"], f"origin of {setting['name']}")
    checks.equal(page.locator("[data-status=SERVING]").count(), page.locator("[data-status]").count(), "health")
    checks.equal(instant(page.locator("#clock")), time_of(browser.server.marquee("clock")["now_ms"]), "clock")


PAGES = [overview, stack, days, why, decisions, widgets, habits, limits_and_policy]
