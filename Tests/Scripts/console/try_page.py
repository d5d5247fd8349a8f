"""The page for trying out scenarios, calendars, tables and timelines, against the commands simulate and lint."""
import json
import pathlib

from browser import instant, rows, text
from numbers_of_pages import time_of

# A stand-up on three days, whose start is on line 7, and a review.
CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
X-WR-CALNAME:Work
BEGIN:VEVENT
UID:1
SUMMARY:Stand-up
DTSTART;TZID=Europe/Berlin:20260608T100000
DURATION:PT15M
RRULE:FREQ=DAILY;COUNT=3
END:VEVENT
BEGIN:VEVENT
UID:2
SUMMARY:Review: <b>Q2</b>
DTSTART;TZID=Europe/Berlin:20260609T140000
DURATION:PT1H
END:VEVENT
END:VCALENDAR
"""
TABLE = "date,score,duration\n2026-06-08T08:00,1,1800\n2026-06-08T07:00,2,1800\n"
TIMELINE = {"name": "Parcel", "from": "2026-06-08T08:00", "entries": [[30, 2, 1800], [10, 1, 600]]}
SHORTCUTS = {"name": "Cards", "from": "2026-06-08T08:00", "shortcuts": [
    {"kind": "Purchases", "intent": {"type": "ViewPurchases", "parameters": {"card": "Visa"}}, "windows": [[60, 120]]},
    {"kind": "Offers", "windows": [[300, 360]]}]}
UNSORTED = "\n  - at: 18:00\n    publish: Forecast\n    relevance:\n      - [20:00, 1, 30m]\n      - [19:00, 2, 30m]\n"


def edited(page, content):
    """Types a text, and waits for its findings and decisions."""
    with page.expect_response(lambda response: response.url.endswith(("Lint", "Simulate")) and not response.ok
                              or response.url.endswith("Lint")):
        page.locator("#scenario").fill(content)
    page.wait_for_timeout(100)


def decided(page):
    """Returns the times and widgets of the decisions."""
    return [(text(cells[0]), text(cells[4].locator("code"))) for cells in rows(page, "tried")]


def check_decisions(browser, page, checks):
    """The decisions are those of the command, and the slider shows the fronts that it prints."""
    file = pathlib.Path(browser.server.directory) / "tried.yaml"
    file.write_text(page.locator("#scenario").input_value())
    day = browser.server.marquee("simulate", str(file))
    wanted = [(event["at"][11:19], event["widget"]) for event in day["events"] if event["number"] is not None]
    checks.equal(decided(page), wanted, "decisions of the example")
    checks.expect(len(wanted) > 1, "the example decides nothing")
    begin = int(page.evaluate("document.querySelector('#instant').min"))
    for span in day["stacks"][0]["spans"]:
        hours, minutes = map(int, span["from"][11:16].split(":"))
        page.locator("#instant").fill(str(begin + (hours * 60 + minutes) * 60_000))
        checks.equal(text(rows(page, "fronts")[0][1].locator("code")), span["front"], f"front at {span['from']}")
    page.locator("#instant").focus()
    before = page.locator("#instant").get_attribute("aria-valuetext")
    page.keyboard.press("ArrowLeft")
    checks.expect(page.locator("#instant").get_attribute("aria-valuetext") != before, "the keyboard moves the time")


def check_settings(page, checks):
    """A changed setting marks the decisions that differ, and an empty one restores them."""
    before = decided(page)
    checks.equal(page.locator("[data-change]").count(), 0, "differences without settings")
    checks.expect(page.locator("#set-dwell").get_attribute("placeholder") != "", "no value of a setting")
    with page.expect_response(lambda response: response.url.endswith("Lint")):
        page.locator("#set-threshold").fill("100")
    page.wait_for_selector("[data-change=removed]")
    checks.equal(page.locator("[data-change]").count(), len(before), "decisions that a threshold removes")
    with page.expect_response(lambda response: response.url.endswith("Lint")):
        page.locator("#set-threshold").fill("")
    page.wait_for_function("() => !document.querySelector('[data-change]')")
    checks.equal(decided(page), before, "decisions without settings again")
    check_other_setting(page, checks, before)
    page.locator("#set-dwell").fill("-1")
    page.wait_for_selector("#findings :text('out of range')")
    page.locator("#set-dwell").fill("")
    page.wait_for_selector("#then:not([hidden])")


def check_other_setting(page, checks, before):
    """A number without an input gets one, and marks the decisions that differ."""
    names = [one.get_attribute("value") for one in page.locator("#more option").all()]
    checks.expect(len(names) > 20 and "dwell" not in names, f"other settings: {names}")
    page.locator("#more").select_option("rotation_count_max")
    checks.equal(page.evaluate("document.activeElement.id"), "set-rotation_count_max", "the focus after a choice")
    checks.expect("rotation_count_max" not in text(page.locator("#more")), "a setting has two inputs")
    checks.expect(page.locator("#set-rotation_count_max").get_attribute("placeholder") != "", "no value of a setting")
    with page.expect_response(lambda response: response.url.endswith("Lint")):
        page.keyboard.type("0")
    page.wait_for_selector("[data-change=removed]")
    changed = page.locator("[data-change]").count()
    checks.expect(f"{changed} differences" in text(page.locator("p.note[role=status]")), "the number of differences")
    page.locator("#set-rotation_count_max").fill("")
    page.wait_for_function("() => !document.querySelector('[data-change]')")
    checks.equal(decided(page), before, "decisions without another setting again")


def check_findings(page, checks):
    """A finding and an error have their line, which a button selects."""
    example = page.locator("#scenario").input_value()
    edited(page, example + UNSORTED)
    page.wait_for_selector("#findings :text('entries-unsorted')")
    line = page.locator("#findings button").first
    wanted = (example + UNSORTED).rstrip("\n").count("\n") + 1
    checks.equal(text(line), f"Line {wanted}:9", "place of a finding")
    line.focus()
    page.keyboard.press("Enter")
    selected = page.evaluate("""() => {
        const { value, selectionStart, selectionEnd, id } = document.activeElement;
        return [id, value.slice(selectionStart, selectionEnd)];
    }""")
    checks.equal(selected, ["scenario", "[19:00, 2, 30m]"], "the selected part of the line")
    edited(page, example + "  - {at: soon, focus: work}\n")
    page.wait_for_selector("#findings :text('events[')")
    checks.equal(text(page.locator("#findings button")), f"Line {example.count(chr(10)) + 1}:10", "place of an error")
    checks.equal(page.locator("#then").is_visible(), False, "the decisions of a wrong text")
    edited(page, example)
    page.wait_for_selector("#then:not([hidden])")


def check_files(browser, page, checks):
    """A file replaces the text; a large one is rejected by the page."""
    small = {"name": "a.yaml", "mimeType": "text/yaml", "buffer": b"device: a\ntime-zone: UTC\nbegin: 2026-06-08\n"}
    page.locator("#file").set_input_files({**small, "buffer": b"#" * ((1 << 20) + 1)})
    page.wait_for_selector("[role=status]:has-text('too large')")
    page.locator("#file").set_input_files(small)
    page.wait_for_function("() => document.querySelector('#scenario').value.startsWith('device: a')")
    page.wait_for_function("() => document.querySelectorAll('#tried tbody tr').length === 0")
    page.evaluate("""() => {
        const data = new DataTransfer();
        data.items.add(new File(["device: dropped"], "b.yaml"));
        document.querySelector("#scenario").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    }""")
    page.wait_for_selector("#findings :text('expected the key')")
    browser.open(page, "/try")
    checks.expect("dropped" not in page.locator("#scenario").input_value(), "a text is stored")
    checks.equal(page.evaluate("localStorage.length"), 0, "items in the storage")


def drop(page, name, content):
    """Drops a file on the text, and waits for its findings and decisions."""
    with page.expect_response(lambda response: response.url.endswith(("Lint", "Simulate")) and not response.ok
                              or response.url.endswith("Lint")):
        page.evaluate("""([name, content]) => {
            const data = new DataTransfer();
            data.items.add(new File([content], name));
            const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true });
            document.querySelector("#scenario").dispatchEvent(drop);
        }""", [name, content])
    page.wait_for_timeout(150)


def check_conversions(browser, page, checks):
    """A dropped calendar, table, set or timeline is linted with places, and simulated as the scenario that is shown."""
    zone = page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    checks.equal(page.locator("#converted").is_visible(), False, "a scenario is converted")
    for name, content, ending in [("week.ics", CALENDAR, "ics"), ("scores.csv", TABLE, "csv"),
                                  ("cards.json", json.dumps(SHORTCUTS), "yaml"),
                                  ("parcel.json", json.dumps(TIMELINE), "yaml")]:
        drop(page, name, content)
        page.wait_for_selector("#converted:not([hidden])")
        checks.equal(page.locator("#scenario").input_value(), content, f"the text of {name}")
        file = pathlib.Path(browser.server.directory) / f"dropped.{ending}"
        file.write_text(content)
        day = browser.server.marquee("simulate", str(file), "--time-zone", zone)
        wanted = [(time_of(event["at_ms"]), event["widget"]) for event in day["events"] if event["number"] is not None]
        found = [(instant(cells[0]), text(cells[4].locator("code"))) for cells in rows(page, "tried")]
        checks.equal(found, wanted, f"decisions of {name}")
        checks.expect(len(wanted) > 1, f"{name} decides nothing")
        converted = browser.server.output("simulate", str(file), "--time-zone", zone, "--show-scenario")
        checks.equal(page.locator("#made").input_value(), converted, f"the scenario of {name}")
    checks.equal(text(page.locator("#findings button").first), "Line 1:75", "place of a finding in JSON")
    drop(page, "scores.csv", TABLE)
    page.wait_for_selector("#findings :text('entries-unsorted')")
    checks.equal(text(page.locator("#findings button").first), "Line 3:1", "place of a finding in a table")
    drop(page, "wrong.ics", CALENDAR.replace("20260608T100000", "tomorrow"))
    page.wait_for_selector("#findings :text('malformed')")
    checks.equal(text(page.locator("#findings button")), "Line 7:28", "place of an error in a calendar")
    checks.equal(page.locator("#converted").is_visible(), False, "the scenario of a wrong calendar")
    page.locator("#findings button").focus()
    page.keyboard.press("Enter")
    checks.equal(page.evaluate("document.activeElement.value.slice(document.activeElement.selectionStart,"
                               "document.activeElement.selectionEnd)"), "tomorrow", "the selected value")
    drop(page, "week.ics", CALENDAR)
    page.wait_for_selector("#converted:not([hidden])")
    before = decided(page)
    begin = int(page.evaluate("document.querySelector('#instant').min"))
    page.locator("#instant").fill(str(begin + (24 + 12) * 3_600_000 - 60_000))
    checks.expect("NextEvent" in text(rows(page, "fronts")[0][1]), "the front before the review")
    page.locator("#edit").focus()
    with page.expect_response(lambda response: response.url.endswith("Lint")):
        page.keyboard.press("Enter")
    page.wait_for_selector("#converted", state="hidden")
    checks.expect(page.locator("#scenario").input_value().startswith("# The timelines"), "the text after an edit")
    checks.equal(page.evaluate("document.activeElement.id"), "scenario", "the focus after an edit")
    checks.equal(decided(page), before, "decisions of the scenario that a calendar became")


def check_kept(browser, page, checks):
    """The text remains without the server, and after another page and language."""
    server = browser.server
    server.kill()
    page.locator("#scenario").fill("device: kept")
    page.wait_for_selector("[role=status]:has-text('cannot be reached')")
    server.start()
    page.locator(".nav a", has_text="Cards").click()
    page.wait_for_selector("#card")
    page.locator(".session a").click()
    page.wait_for_selector("html[lang=de] #card")
    page.go_back()
    page.go_back()
    page.wait_for_selector("#scenario")
    checks.equal(page.locator("#scenario").input_value(), "device: kept", "the text after a lost connection")
    page.wait_for_selector("#findings li")


def check_try(browser, checks):
    with browser.tab() as page:
        browser.open(page, "/try")
        page.wait_for_selector("#tried tbody tr")
        check_decisions(browser, page, checks)
        with browser.errors():
            check_settings(page, checks)
            check_findings(page, checks)
            check_files(browser, page, checks)
            check_conversions(browser, page, checks)
            check_kept(browser, page, checks)
