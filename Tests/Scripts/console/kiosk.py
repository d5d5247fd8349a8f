"""The kiosk in Chromium: swipes, reports, suggestions, lost connections, sessions, the keyboard and accessibility."""
import base64
import datetime
import re
import time

from browser import screenshot, text, violations
from kiosk_calls import check_kiosk_failures, check_kiosk_intents, check_kiosk_unanswered
from kiosk_page import (FRONT, HOME, IS_SETTLED, KITCHEN, Finger, deeds, front, hide, kiosk, misdirected,
                        show, wait_for_front)
from server import HOSTILE_CONTENT, MINUTE, MORNING, entry, widget

SUGGESTED = widget("transit", "Departures")


def check_kiosk_sessions(browser, checks, screenshots):
    """The token of a link, and the pages without one, with an old one, and for another device."""
    def problem(page, name, command):
        page.wait_for_selector(".empty" if name == "empty" else f"[data-problem={name}] h1")
        checks.expect(command in text(page.locator("main")), f"{name}: {text(page.locator('main'))}")
        checks.equal(violations(page), [], f"kiosk, problem {name}")
        screenshot(page, screenshots, f"kiosk-{name}")

    with kiosk(browser) as page:
        token = browser.server.token_of("display")
        checks.expect(token not in page.url, "the token stays in the address of the kiosk")
        checks.equal(page.evaluate("localStorage['marquee.kiosk kitchen']"), token, "the token of the kiosk")
        checks.equal(page.evaluate("sessionStorage['marquee.token']"), None, "a token of the console")
        show(browser, page, None)
        checks.equal(page.locator("[data-stack]").count(), 1, "stacks after another start")
        show(browser, page, None, KITCHEN)
        checks.equal(page.locator("[data-stack]").count(), 2, "all stacks")
        show(browser, page, None, {**KITCHEN, "family": "systemMedium"})
        checks.equal(page.locator("[data-stack]").get_attribute("data-stack"), "desk", "the stack of a family")
    with browser.errors():
        with kiosk(browser, None) as page:
            problem(page, "none", "marquee console --kiosk kitchen")
            page.locator("#token").fill(browser.server.token_of("display"))
            page.keyboard.press("Enter")
            page.wait_for_selector(".stack")
        for token, name, choices in [("expired", "unauthenticated", HOME),
                                     ("display", "permission_denied", {"device": "hostile"})]:
            with kiosk(browser, token, choices) as page:
                problem(page, name, f"marquee console --kiosk {choices['device']}")
        with kiosk(browser) as page:
            show(browser, page, "expired", KITCHEN)
            checks.equal(page.locator("[data-stack]").count(), 2, "stacks after a link with an expired token")
            checks.equal(page.evaluate("localStorage['marquee.kiosk kitchen']"), browser.server.token_of("display"),
                         "the kept token")
        with kiosk(browser, "operator", {"device": "nobody", "stack": "home"}) as page:
            problem(page, "not_found", "marquee device add nobody")
        with kiosk(browser, choices={**KITCHEN, "stack": "nope"}) as page:
            problem(page, "not_found", "marquee stacks")
            checks.expect("The device has no such stack" in text(page.locator("main")), text(page.locator("main")))
        for device, family, known in [("kitchen", "systemLarge", "systemMedium, systemSmall."),
                                      ("empty", "systemSmol", "accessoryCircular, accessoryCorner")]:
            with kiosk(browser, "operator", {"device": device, "family": family}) as page:
                problem(page, "empty", "No stack has this family Change family in the address. There are: ")
                checks.expect(known in text(page.locator("main")), text(page.locator("main")))
                checks.equal(page.locator("main pre").count(), 0, "commands for a family of no stack")
        with kiosk(browser, None, {}) as page:
            problem(page, "none", "marquee console --kiosk")
        with kiosk(browser) as page:
            # A second device in the same browser does not replace the token of the first.
            show(browser, page, "operator", {"device": "empty"})
            show(browser, page, None)
            checks.equal(page.locator("[data-stack]").count(), 1, "stacks after the link of another device")
        with kiosk(browser, "operator", {"device": "empty"}) as page:
            problem(page, "empty", "marquee stack create empty/home")


def check_kiosk_shown(browser, checks, screenshots):
    """Appearance, the rules of axe, languages, sizes and the night."""
    for scheme in ["light", "dark"]:
        for name, choices, width in [("one", HOME, 1280), ("all", KITCHEN, 1280), ("narrow", KITCHEN, 320)]:
            with kiosk(browser, choices=choices, width=width, color_scheme=scheme, reduced_motion="reduce") as page:
                page.wait_for_timeout(200)
                screenshot(page, screenshots, f"kiosk-{name}-{scheme}")
                checks.equal(violations(page), [], f"kiosk {name} in {scheme}")
                scroll = page.evaluate("document.documentElement.scrollWidth")
                checks.expect(scroll <= width, f"the kiosk is {scroll} px wide")
                checks.equal(page.evaluate("document.querySelector('main').style.translate"), "0px", "shift")
                small = page.evaluate("""[...document.querySelectorAll('button')].filter((one) => {
                    const {width, height} = one.getBoundingClientRect();
                    return one.checkVisibility() && Math.min(width, height) < 44;
                }).length""")
                checks.equal(small, 0, "targets below 44 px")
    for night, is_dark in [("22-6", False), ("10-20", True), ("off", False)]:
        with kiosk(browser, choices={**HOME, "night": night, "lang": "de"}) as page:
            checks.equal(page.evaluate("document.documentElement.lang"), "de", "the language of the kiosk")
            page.wait_for_selector("html.night" if is_dark else "html:not(.night)")
            if is_dark:
                screenshot(page, screenshots, "kiosk-night")


def check_kiosk_hostile(browser, checks, screenshots):
    """Names and content that try to be code, and a link, which only its app receives."""
    for width in [320, 1280]:
        with kiosk(browser, "operator", {"device": "hostile"}, width=width) as page:
            page.wait_for_timeout(300)
            screenshot(page, screenshots, f"kiosk-hostile-{width}")
            scroll = page.evaluate("document.documentElement.scrollWidth")
            checks.expect(scroll <= width, f"the kiosk is {scroll} px wide")
            checks.expect("hacked" not in page.title() and not page.evaluate("window.hacked"), "a name is code")
            checks.equal(page.locator("img[src=x]").count(), 0, "an image of a name")
            checks.expect("\u202e" not in page.inner_text("main"), "text is reordered")
    # The policy of the frame of an app blocks what its markup asks for, which browsers report.
    with browser.errors(), kiosk(browser, "operator", {"device": "markup"}) as page:
        page.wait_for_timeout(500)
        screenshot(page, screenshots, "kiosk-content")
        checks.equal(page.locator("img[src^='blob:']").count(), 2, "images of content")
        checks.equal(page.locator("iframe[sandbox=allow-scripts]").count(), 1, "frames of content")
        checks.equal(browser.server.other.count, 0, "connections to another server")
        check_moved_frame(browser, page)
        checks.expect("hacked" not in page.title() and not page.evaluate("window.hacked"), "content is code")
    linked = entry(0, "linked")
    linked["details"] = {"link": "javascript:document.title='hacked'"}
    browser.server.publish("kitchen", widget("weather", "Forecast"), [linked])
    with browser.errors(), kiosk(browser) as page:
        page.locator(".dots button[aria-label^=Weather]").click()
        wait_for_front(page, "Weather")
        before, url = deeds(browser), page.url
        page.locator("[data-stack=home] .slide:not([inert]) .cover").click()
        # The app is not connected; the tap counts all the same.
        page.wait_for_selector(".run:has-text('The app is not connected.')")
        checks.equal(deeds(browser)[len(before):], ["tap"], "the reports of a tap on a link")
        checks.expect(page.url == url and "hacked" not in page.title(), "the kiosk follows a link")


def check_moved_frame(browser, page):
    """A frame that another member of its stack makes load again, and that shows its text all the same."""
    number = next(index for index, (media_type, _) in enumerate(HOSTILE_CONTENT) if media_type == "text/html")
    browser.server.call("Display/EditStack", device="markup", stack=f"content{number}", add={
        "widget": widget("content0", "Content")})
    page.wait_for_function(f"() => document.querySelectorAll('[data-stack=content{number}] .slide').length === 2")
    page.wait_for_timeout(500)
    page.frames[1].wait_for_selector("#shown", state="attached")


def check_kiosk_swipes(browser, checks, screenshots):
    """A swipe changes the front everywhere, and is reported once, as are taps, keys, the wheel and dots."""
    with kiosk(browser, has_touch=True) as page, kiosk(browser) as other:
        finger = Finger(page)
        page.keyboard.press("End")
        wait_for_front(page, "Reminders")
        wait_for_front(other, "Reminders")
        before = deeds(browser)

        def done(names, wanted, what):
            wait_for_front(page, wanted)
            wait_for_front(other, wanted)
            page.wait_for_timeout(100)
            checks.equal(front(browser), wanted_kind(wanted), f"the front after {what}")
            found = deeds(browser)
            checks.equal(found[len(before):], names, f"the reports of {what}")
            before.extend(found[len(before):])

        finger.swipe(600)
        done(["scroll"], "Calendar", "a swipe")
        delay = other.evaluate("frontAt") - page.evaluate("frontAt")
        print(f"another kiosk follows {delay} ms after a swipe has settled", flush=True)
        checks.expect(0 <= delay < 200, f"another kiosk follows after {delay} ms")
        page.touchscreen.tap(500, 400)
        done(["tap"], "Calendar", "a tap")
        finger.down()
        finger.move(60)
        page.wait_for_timeout(200)
        finger.up()
        done([], "Calendar", "a swipe that snaps back")
        other.mouse.move(400, 400)
        other.mouse.wheel(0, 120)
        done(["scroll"], "Reminders", "the wheel")
        page.keyboard.press("PageUp")
        done(["scroll"], "Calendar", "a key")
        page.locator("[data-stack=home] .slide:not([inert]) .cover").focus()
        page.keyboard.press("Home")
        done(["scroll"], "Weather", "a key in a widget")
        checks.equal(page.evaluate("document.activeElement.getAttribute('aria-label')"), "Weather, weather",
                     "the focus")
        page.keyboard.press("Enter")
        done(["tap"], "Weather", "Enter")
        other.locator(".dots button").nth(2).click()
        done(["scroll"], "Reminders", "a dot")
        for _ in range(2):
            page.keyboard.press("ArrowUp")
        wait_for_front(page, "Weather")
        done(["scroll"], "Weather", "two keys in a row")
        screenshot(page, screenshots, "kiosk-swiped")


def wanted_kind(title):
    return {"Weather": "Forecast", "Calendar": "NextEvent", "Reminders": "Today"}[title]


def check_kiosk_holds(browser, checks, _):
    """A rotation waits while a finger is down, and is no report."""
    with kiosk(browser, has_touch=True) as page:
        browser.server.advance(670)
        page.keyboard.press("End")
        wait_for_front(page, "Reminders")
        before = deeds(browser)
        finger = Finger(page)
        finger.down()
        finger.move(-30)
        browser.server.advance(690)
        checks.equal(front(browser), "Forecast", "the front after a rotation")
        page.wait_for_timeout(500)
        checks.equal(page.evaluate(FRONT), "Reminders", "the front under a finger")
        finger.move(20)
        finger.up()
        wait_for_front(page, "Weather")
        checks.equal(deeds(browser), before, "the reports of a rotation")
        # The touched element is replaced, and gets the end of the touch all the same.
        finger.down()
        browser.server.publish("kitchen", widget("weather", "Forecast"), [entry(690, "changed")])
        page.wait_for_selector("[data-stack=home] .content:has-text('changed')")
        page.evaluate("() => document.querySelector('[data-stack=home] .slide:not([inert]) .cover').replaceWith("
                      "document.createElement('div'))")
        finger.up()
        page.wait_for_timeout(300)
        for key, name in [("End", "Reminders"), ("Home", "Weather")]:
            page.keyboard.press(key)
            wait_for_front(page, name)


def check_kiosk_visibility(browser, checks, _):
    """Stacks are reported as shown while they are on the screen and the page is visible."""
    before = deeds(browser)
    with kiosk(browser, choices=KITCHEN) as page:
        checks.equal(deeds(browser)[len(before):], ["show", "show"], "the reports of a start")
        hide(page, True)
        checks.equal(deeds(browser)[len(before) + 2:], ["hide", "hide"], "the reports of a hidden page")
        hide(page, False)
        page.wait_for_timeout(500)
        checks.equal(deeds(browser)[len(before) + 4:], ["show", "show"], "the reports of a visible page")
        # A call that gets no answer ends with its connection.
        held = []
        page.route("**/*Display/Report", lambda route: route.continue_() if held else held.append(route))
        page.locator("[data-stack=desk] .slide:not([inert]) .cover").click()
        page.wait_for_timeout(200)
        before = deeds(browser)
        hide(page, True)
        hide(page, False)
        page.wait_for_timeout(500)
        checks.equal((len(held), deeds(browser)[len(before):]), (1, ["show", "show"]), "the reports after a silent call")
        held[0].abort()


def check_kiosk_menu(browser, checks, screenshots):
    """Pins, rotation rules and suggestions, with the keyboard alone."""
    server = browser.server
    app = SUGGESTED["kind"]["app"]
    server.call("Provider/RegisterKinds", device="kitchen", app=app, kinds=[
        {"name": name, "displayName": name, "families": ["WIDGET_FAMILY_SYSTEM_SMALL"]}
        for name in ["Departures", "Delays", "Tickets"]])

    def suggest(minutes, kind):
        start = MORNING + minutes * MINUTE
        server.publish("kitchen", widget("transit", kind), [entry(0, "S1 in 5 min")])
        server.call("Provider/SetRelevantShortcuts", device="kitchen", app=app, shortcuts=[
            {"kind": kind, "providers": [{"date": {"startMs": str(start), "endMs": str(start + 60 * MINUTE)}}]}])
        server.advance(minutes)

    def choose(page, words, names, name=None):
        page.locator("[data-stack=home] .more").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(".menu:popover-open")
        if name:
            page.wait_for_timeout(200)
            checks.equal(violations(page), [], "the menu")
            screenshot(page, screenshots, f"kiosk-{name}")
        before = deeds(browser)
        while page.evaluate("document.activeElement.innerText") != words:
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector(".menu:popover-open", state="detached")
        checks.expect("more" in page.evaluate("document.activeElement.className"), "the focus after a menu")
        checks.equal(deeds(browser)[len(before):], names, f"the reports of {words}")

    with kiosk(browser) as page:
        wait_for_front(page, "Weather")
        with browser.errors(), misdirected(page, "EditStack", stack="nope"):
            choose(page, "Pin in front", [])
            page.wait_for_selector(".run:has-text('no stack with this name')")
        choose(page, "Pin in front", ["pin"], "menu")
        page.wait_for_selector(".badge:has-text('Pin')")
        choose(page, "Unpin", ["unpin"])
        choose(page, "Never rotate to it", ["rotation-rule"])
        choose(page, "Allow rotations to it", ["rotation-rule"])
        for minutes, kind, words, name in [(800, "Departures", "Dismiss", "dismiss"),
                                           (1000, "Delays", "Not for a day", "snooze-widget"),
                                           (1200, "Tickets", "Keep", "keep")]:
            suggest(minutes, kind)
            wait_for_front(page, kind)
            checks.equal(page.locator(".slide .badge").inner_text(), "Suggestion", "the badge of a suggestion")
            if words == "Dismiss":
                with browser.errors(), misdirected(page, "Report", suggestionDismissed="desk"):
                    choose(page, words, [])
                    page.wait_for_selector(".run:has-text('the stack has no suggestion')")
            choose(page, words, [name], name)
            page.wait_for_selector(".slide .badge", state="detached")
            page.wait_for_function(IS_SETTLED)
        checks.equal(page.locator("[data-stack=home] .slide").count(), 4, "members after one was kept")


def keep_files(page):
    """Has the browser keep the files of the page, so that it starts without the server."""
    urls = page.evaluate("[location.href, ...performance.getEntriesByType('resource').map((one) => one.name)]")
    kept = {url: page.request.get(url) for url in urls if "/marquee." not in url}
    page.route(lambda url: url in kept, lambda route: route.fulfill(response=kept[route.request.url]))


def check_kiosk_expiry(browser, checks, screenshots):
    """An entry that expires without a connection is marked, as the server would do."""
    server, forecast = browser.server, widget("weather", "Forecast")
    state = server.marquee("clock")
    now = int(datetime.datetime.fromisoformat(state["now"]).timestamp() * 1000)
    expiring = {**entry(0, "Bus in 5 min"), "details": {"expiryMs": str(now + 2000)}}
    server.publish("kitchen", forecast, [expiring])
    with browser.errors(), kiosk(browser) as page:
        slide = page.locator("[data-stack=home] .slide", has_text="Bus in 5 min")
        slide.wait_for(state="attached")
        checks.equal(slide.locator(".badge:has-text('Outdated')").count(), 0, "the mark of an entry before its expiry")
        server.kill()
        page.wait_for_selector("#banner:has-text('No connection')")
        # The page looks every 20 seconds.
        slide.locator(".badge:has-text('Outdated')").wait_for(state="attached", timeout=30_000)
        screenshot(page, screenshots, "kiosk-outdated")
        server.start()
        page.wait_for_selector("#banner[hidden]", state="attached")
        # The manual clock of the server has not advanced.
        slide.locator(".badge:has-text('Outdated')").wait_for(state="detached")


def check_kiosk_loss(browser, checks, screenshots):
    """A lost server: swipes work and are not reported; the state is that of the server soon after it returned."""
    server = browser.server
    with browser.errors(), kiosk(browser, has_touch=True) as page:
        finger = Finger(page)
        page.keyboard.press("Home")
        page.wait_for_timeout(500)
        page.wait_for_function(IS_SETTLED)
        before, shown = deeds(browser), page.evaluate(FRONT)
        keep_files(page)
        finger.down(700)
        finger.move(-300)
        server.kill()
        finger.move(-300)
        finger.up()
        page.wait_for_selector("#banner:has-text('No connection')")
        page.wait_for_function(IS_SETTLED)
        checks.expect(page.evaluate(FRONT) != shown, "a swipe without a server")
        checks.expect(re.search(r"As of (\d{4}-\d\d-\d\d )?\d\d:\d\d$", text(page.locator("#banner"))),
                      text(page.locator("#banner")))
        page.touchscreen.tap(500, 400)
        checks.equal(violations(page), [], "the kiosk without a server")
        screenshot(page, screenshots, "kiosk-lost")
        page.wait_for_timeout(5000)
        page.reload()
        page.wait_for_selector(".stack")
        page.wait_for_selector("#banner:has-text('As of')")
        checks.equal(page.evaluate(FRONT), shown, "the front of the kept state")
        finger = Finger(page)
        finger.swipe(-600)
        server.start()
        started = time.monotonic()
        page.wait_for_selector("#banner[hidden]", state="attached")
        wait_for_front(page, shown)
        print(f"right {time.monotonic() - started:.1f} s after the server's return", flush=True)
        checks.expect(time.monotonic() - started < 5, "the kiosk does not follow a server that returned")
        page.wait_for_timeout(300)
        checks.equal(deeds(browser)[len(before):], ["show"], "the reports after the server's return")


def check_kiosk_growth(browser, checks, _):
    """Many updates and connections leave no elements and no listeners behind."""
    with kiosk(browser) as page:
        session = page.context.new_cdp_session(page)

        def count():
            session.send("HeapProfiler.collectGarbage")
            found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
            return found["Nodes"], found["JSEventListeners"]

        session.send("Performance.enable")
        counts = []
        for _ in range(3):
            for number in range(40):
                browser.server.publish("kitchen", SUGGESTED if number % 2 else widget("weather", "Forecast"), [
                    entry(0, f"{number}")])
                if number % 4 == 0:
                    page.evaluate("""() => {
                        for (const hidden of [true, false]) {
                            Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});
                            document.dispatchEvent(new Event('visibilitychange'));
                        }
                    }""")
                    page.wait_for_timeout(50)
            page.wait_for_timeout(500)
            counts.append(count())
        print(f"nodes and listeners after 40, 80 and 120 updates: {counts}", flush=True)
        checks.expect(counts[2][0] - counts[1][0] <= 20, f"nodes: {counts}")
        checks.expect(counts[2][1] - counts[1][1] <= 5, f"listeners: {counts}")


def check_kiosk_private(browser, checks, _):
    """Private entries, which a shared screen does not show."""
    member = widget("weather", "Forecast")
    private = entry(0, "secret")
    redacted = base64.b64encode(b"hidden").decode()
    private["details"] = {"isPrivate": True, "redacted": {"mediaType": "text/plain", "data": redacted}}
    browser.server.publish("kitchen", member, [private])
    for choices, shown, absent in [(HOME, "hidden", "secret"), ({**HOME, "screen": "unlocked"}, "secret", "hidden")]:
        with kiosk(browser, choices=choices) as page:
            page.wait_for_selector(f"[data-stack=home] .content:has-text('{shown}')", state="attached")
            checks.expect(absent not in page.locator("main").text_content(), f"{choices}: the entry is {absent}")
    # The server knows of a kiosk's session that others see its screen, whatever the address says.
    for options, shown, absent in [([], "hidden", "secret"), (["--unlocked"], "secret", "hidden")]:
        link = browser.server.marquee("console", "--kiosk", "kitchen", "--url", browser.server.url, *options)["link"]
        checks.equal("&screen=unlocked" in link, bool(options), f"the link with {options}")
        for address in [link, link.replace("&screen=unlocked", "").replace("#", "&screen=unlocked#")]:
            with browser.tab(None) as page:
                page.goto(address)
                page.wait_for_selector(f"[data-stack=home] .content:has-text('{shown}')", state="attached")
                checks.expect(absent not in page.locator("main").text_content(), f"{options}: the entry is {absent}")


def check_kiosk_missing(browser, checks, screenshots):
    """A stack without members, and one that is deleted while it is shown, say so, and are shown once they are back."""
    server, member = browser.server, widget("reminders", "Today")

    def edit(**change):
        server.call("Display/EditStack", device="kitchen", stack="gone", **change)

    server.stack("kitchen", "gone", [member])
    with kiosk(browser, choices={**KITCHEN, "stack": "gone"}) as page:
        for _ in range(2):
            edit(remove=member)
            page.wait_for_selector("[data-stack=gone] .empty:has-text('The stack is empty')")
            checks.expect("marquee stack add kitchen/gone" in text(page.locator("main")), text(page.locator("main")))
            checks.equal(violations(page), [], "an empty stack")
            screenshot(page, screenshots, "kiosk-stack-empty")
            page.locator("[data-stack=gone] .more").click()
            page.wait_for_selector(".menu:popover-open")
            checks.equal(page.locator(".menu:popover-open button").count(), 1, "choices about no member")
            page.keyboard.press("Escape")
            edit(add={"widget": member})
            page.wait_for_selector("[data-stack=gone] .slide:not([inert])")
            page.wait_for_function(IS_SETTLED)
            checks.equal(page.locator(".empty").count(), 0, "the words of an empty stack")
        edit(removeStack=True)
        page.wait_for_selector(".empty:has-text('The device has no such stack')")
        checks.equal(violations(page), [], "a deleted stack")
        screenshot(page, screenshots, "kiosk-stack-deleted")
        server.stack("kitchen", "gone", [member])
        page.wait_for_selector("[data-stack=gone] .slide:not([inert])")
        checks.equal(page.locator(".empty").count(), 0, "the words of a deleted stack")
        # A page that starts meanwhile tries again by itself; its minute passes as a second.
        edit(removeStack=True)
        page.wait_for_selector(".empty")
        page.add_init_script("""{
            const real = window.setTimeout;
            window.setTimeout = (body, ms, ...rest) => real(body, ms === 60000 ? 1000 : ms, ...rest);
        }""")
        with browser.errors():
            page.reload()
            page.wait_for_selector("[data-problem=not_found]:has-text('The device has no such stack')")
            server.stack("kitchen", "gone", [member])
            page.wait_for_selector("[data-stack=gone] .slide:not([inert])")
    edit(removeStack=True)


STEPS = [check_kiosk_sessions, check_kiosk_shown, check_kiosk_swipes, check_kiosk_holds, check_kiosk_visibility,
         check_kiosk_menu, check_kiosk_growth, check_kiosk_private, check_kiosk_missing, check_kiosk_intents,
         check_kiosk_unanswered, check_kiosk_failures, check_kiosk_hostile, check_kiosk_expiry, check_kiosk_loss]


def check_kiosk(browser, checks, screenshots):
    """Everything about the kiosk, on the device kitchen, whose stacks change by it."""
    for step in STEPS:
        try:
            step(browser, checks, screenshots)
        except Exception as error:  # The other steps are independent of a page that is not shown.
            checks.expect(False, f"{step.__name__}: {error}")
