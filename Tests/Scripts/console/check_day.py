"""Checks of the page of a day: its zoom, clock changes, live changes, a past day, and replaced timelines."""
import urllib.parse

from browser import data, instant, rows, text
from numbers_of_pages import HOME, day, time_of
from server import EVENT, FORECAST, entry


def choices(page):
    """Returns the choices in the address, read in the page: `page.url` follows a change of the history later."""
    return dict(urllib.parse.parse_qsl(page.evaluate("location.search.slice(1)")))


def ticks(page):
    """Returns the texts below the axis, each with its position."""
    return {one.text_content(): float(one.get_attribute("x"))
            for one in page.locator("#chart text[text-anchor=middle]").all()}


def check_day(browser, checks):
    with browser.tab() as page:
        browser.open(page, "/day", **HOME)
        page.wait_for_selector("#chart svg")
        check_zoom(page, checks)
        check_pointer(browser, page, checks)
        check_links(browser, page, checks)
    # Berlin skips 02:00 on the one day, and repeats it on the other one.
    for date, hours in [("2026-03-29", 23), ("2026-10-25", 25), ("2026-03-04", 24)]:
        with browser.tab() as page:
            browser.open(page, "/day", **HOME, date=date)
            page.wait_for_selector("#chart svg")
            found = ticks(page)
            checks.equal("02:00" in found, hours != 23, f"02:00 on {date}")
            hour = (found["24:00"] - found["00:00"]) / hours
            checks.expect(abs(found["24:00"] - found["04:00"] - 20 * hour) < 0.5, f"hours of {date}: {found}")


def check_zoom(page, checks):
    page.locator("#chart").focus()
    for key, wanted in [("+", ("06:00", "18:00")), ("ArrowRight", ("09:00", "21:00")), ("+", ("12:00", "18:00")),
                        ("ArrowLeft", ("10:30", "16:30")), ("-", ("07:30", "19:30")), ("0", (None, None)),
                        ("ArrowLeft", (None, None)), ("+", ("06:00", "18:00"))]:
        page.keyboard.press(key)
        found = choices(page)
        checks.equal((found.get("from"), found.get("to")), wanted, f"the period after {key}")
        checks.equal(page.evaluate("document.activeElement.id"), "chart", f"the focus after {key}")
    page.reload()
    page.wait_for_selector("#chart svg")
    found = ticks(page)
    checks.expect("06:00" in found and "05:00" not in found, f"the axis after a reload: {found}")
    checks.equal(choices(page)["from"], "06:00", "the period after a reload")
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "key-0":
            break
    page.keyboard.press("Enter")
    checks.equal("from" in choices(page), False, "a button does not show the whole day")
    checks.equal(page.evaluate("document.activeElement.id"), "key-0", "the focus after a button")


def check_pointer(browser, page, checks):
    box = page.locator("#chart svg").bounding_box()
    plot = box["width"] - 68
    at = lambda hour: box["x"] + 48 + plot * hour / 24
    move = "{bubbles: true, button: 0, pointerId: 1, clientX: %d}"
    for kind, x in [("pointerdown", at(6)), ("pointermove", at(9)), ("pointerup", at(12))]:
        page.evaluate(f"document.querySelector('#chart svg').dispatchEvent(new PointerEvent('{kind}', {move % x}))")
    page.wait_for_timeout(100)
    checks.equal(choices(page).get("from"), None, "the period after a button was released elsewhere")
    page.mouse.move(at(6), box["y"] + 60)
    page.mouse.down()
    page.mouse.move(at(9), box["y"] + 60, steps=4)
    page.mouse.move(at(12), box["y"] + 60, steps=4)
    page.mouse.up()
    page.wait_for_timeout(300)
    found = choices(page)
    checks.equal((found.get("from"), found.get("to")), ("06:00", "12:00"), "the period after a drag")
    checks.expect("/day" in page.url, f"a drag shows {page.url}")
    page.mouse.click(box["x"] + 48 + plot / 2, box["y"] + 40)
    page.wait_for_url("**/why?**")
    browser.wait(page)
    minutes = ["2026-03-04T07:59:00Z", "2026-03-04T08:00:00Z", "2026-03-04T08:01:00Z"]
    checks.expect(choices(page)["at"] in minutes, f"a click explains {page.url}")
    page.go_back()
    page.wait_for_selector("#chart svg")
    checks.equal(choices(page).get("from"), "06:00", "the period after the way back")


def check_links(browser, page, checks):
    page.locator("[data-decision='1']").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/why?**at=2026-03-04T07%3A50%3A00Z**")
    browser.wait(page)
    page.go_back()
    page.wait_for_selector("#chart svg")
    page.locator("#next").click()
    page.wait_for_url("**date=2026-03-05**")
    page.wait_for_selector("h1:has-text('2026-03-05')")
    checks.equal(choices(page)["from"], "06:00", "the period on another day")
    page.locator("#date").fill("2026-03-07")
    page.locator("#date").dispatch_event("change")
    page.wait_for_selector("#ahead-max")
    page.locator("#today").click()
    page.wait_for_selector("h1:has-text('2026-03-04')")
    checks.equal("date" in choices(page), False, "the address of today")


def check_past_day(browser, checks):
    """The day of the kitchen is over: the page follows it, and shows it with every timeline."""
    with browser.tab() as page:
        browser.open(page, "/day", **HOME)
        page.wait_for_selector("#live-state.on")
        count = len(rows(page, "day-decisions"))
        page.locator("#chart").focus()
        page.keyboard.press("+")
        browser.server.advance(700)
        page.wait_for_selector("#chart :text('Now 17:40')")
        page.wait_for_function("() => !document.querySelector('.sign.ahead')")
        checks.equal(len(rows(page, "day-decisions")), count, "decisions after they were foreseen")
        checks.equal(page.evaluate("document.activeElement.id"), "chart", "the focus after a live change")
        checks.equal(choices(page)["from"], "06:00", "the period after a live change")
        browser.server.advance(25 * 60)
        day(browser, page, checks, past=True)
        checks.expect("Read again" in text(page.locator("header .live")), "a past day is live")
        check_busy_day(browser, page, checks)
        check_replaced_timelines(browser, page, checks)
        check_midnight(browser, page, checks)


def check_midnight(browser, page, checks):
    """Midnight passes after the page has read the day, once at its start and once at a change: it shows the next day."""
    server, asked = browser.server, []

    def pass_midnight(minutes):
        # Minutes after the morning of the first day; the midnight of Berlin is a multiple of 24 hours after 18 hours.
        def advance(route):
            asked.append(route.request.post_data_json)
            if len(asked) == 1:
                server.advance(minutes)
            route.continue_()

        asked.clear()
        page.route("**/marquee.v1.Admin/Foresee", advance)

    # The page before is live, and would read the day, too.
    page.goto("about:blank")
    pass_midnight((3 * 24 + 18) * 60 + 1)
    browser.open(page, "/day", device="replaced", stack="home")
    checks.equal(text(page.locator("h1")), "Day 2026-03-08", "the day at midnight")
    checks.expect(len(asked) > 1 and not any("untilMs" in one for one in asked), f"calls at midnight: {asked}")
    page.wait_for_selector("#live-state.on")
    page.unroute("**/marquee.v1.Admin/Foresee")
    pass_midnight((4 * 24 + 18) * 60 + 1)
    server.publish("replaced", FORECAST, [entry((3 * 24 + 18) * 60, "e", 4)])
    page.wait_for_selector("h1:has-text('2026-03-09')")
    page.wait_for_selector("#chart svg")
    page.unroute("**/marquee.v1.Admin/Foresee")
    checks.equal(page.locator("[data-problem]").count(), 0, "problems at midnight")
    # The end of a later day is in the request. A clock that passes it is a message of the browser's, and no more.
    with browser.errors():
        page.goto("about:blank")
        pass_midnight((7 * 24 + 18) * 60 + 1)
        browser.open(page, "/day", device="replaced", stack="home", date="2026-03-10")
        checks.expect("untilMs" in asked[0], f"calls for a later day: {asked}")
        page.wait_for_selector("#reload")
        page.unroute("**/marquee.v1.Admin/Foresee")
        checks.equal(page.locator("[data-problem]").count(), 0, "problems after a later day")


def check_busy_day(browser, page, checks):
    """A day of many decisions, and of more decisions since then than one response has."""
    server = browser.server
    server.device("busy")
    server.kind("busy", "com.example.calendar", "NextEvent", "Calendar")
    server.kind("busy", "com.example.weather", "Forecast", "Weather")
    server.call("Admin/SetDeveloperMode", device="busy", enabled=True)
    server.stack("busy", "home", [EVENT, FORECAST])
    # The scores alternate every five minutes from 06:05 to 15:55 on each of two days.
    for index, member in enumerate([EVENT, FORECAST]):
        server.publish("busy", member, [
            entry(start + 10 * number + 5 * index, "", 90, 5)
            for start in [25 * 60 + 5, 49 * 60 + 5] for number in range(60)])
    server.advance(60 * 60)
    wanted = server.marquee("decisions", "busy/home", "--count", "1000")["decisions"]
    for date in ["2026-03-05", "2026-03-06"]:
        own = [one["number"] for one in wanted[::-1] if one["at"].startswith(date)]
        browser.open(page, "/day", device="busy", stack="home", date=date)
        page.wait_for_selector("#chart svg")
        checks.expect(len(own) > 100, f"{len(own)} decisions on {date}")
        checks.equal([data(cells[0]) for cells in rows(page, "day-decisions")], own, f"decisions on {date}")
        checks.equal(page.locator(".mark").count(), len(own), f"marks on {date}")
        checks.equal(page.locator(".mark text").count(), 0, "labels without room")
        browser.open(page, "/day", device="busy", stack="home", date=date, **{"from": "09:00", "to": "09:40"})
        page.wait_for_selector("#chart svg")
        checks.equal(page.locator(".mark").count(), 8, "marks in 40 minutes")
        checks.equal(page.locator(".mark text").count(), 8, "labels with room")


def timelines(page):
    """Returns the start and end of each timeline in the table, and its number of entries."""
    return [(instant(cells[1]), instant(cells[2]), data(cells[3]) if cells[3].locator("data").count() else None)
            for cells in rows(page, "timelines")]


def check_replaced_timelines(browser, page, checks):
    """Timelines that were replaced on the day, and the scores while they were in force, on the day and after it."""
    server = browser.server
    server.device("replaced")
    server.kind("replaced", "com.example.weather", "Forecast", "Weather")
    server.stack("replaced", "home", [FORECAST])
    # From 18:00 on: a score of 3, one of 5 that is replaced before it begins, one of 7, and one of 9 from 19:00 on.
    start = 60 * 60
    browser.open(page, "/day", device="replaced", stack="home")
    page.wait_for_selector("#live-state.on")
    server.publish("replaced", FORECAST, [entry(start, "a", 3), entry(start + 60, "b", 5)])
    page.wait_for_selector("#spans data[value='3']")
    server.advance(start + 30)
    server.publish("replaced", FORECAST, [entry(start + 40, "c", 7, 10)])
    server.advance(start + 60)
    server.publish("replaced", FORECAST, [entry(start + 50, "d", 9)])
    page.wait_for_selector("#timelines tbody tr:nth-child(3)")
    for date, past in [("2026-03-06", False), ("2026-03-06", True)]:
        if past:
            server.advance(start + 24 * 60)
        browser.open(page, "/day", device="replaced", stack="home", date=date)
        page.wait_for_selector("#timelines")
        day = server.marquee("timeline", "replaced:com.example.weather/Forecast", "--day", date)
        wanted = [(time_of(one["start_ms"]), time_of(one["end_ms"]), len(one["entries"])) for one in day["spans"]
                  if one["entries"] is not None]
        found = [one for one in timelines(page) if one[2] is not None]
        # The last timeline is in force until it is replaced, or was until the end of the day.
        wanted[-1] = (wanted[-1][0], "2026-03-06T23:00:00Z" if past else None, wanted[-1][2])
        checks.equal(found, wanted, f"timelines, past: {past}")
        checks.equal(page.locator(".published").count(), len(timelines(page)) - 1, "marks of publications")
        scores = [(data(cells[1]), text(cells[2])[:5], text(cells[3])[:5]) for cells in rows(page, "spans")]
        checks.equal(scores, [(3, "18:00", "18:40"), (7, "18:40", "18:50"), (9, "19:00", "24:00")],
                     f"scores of replaced timelines, past: {past}")
