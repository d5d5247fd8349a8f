"""Runs the console in Chromium with a server of its own.

Usage: check.py PROGRAMS DIRECTORY SCREENSHOTS console|kiosk
PROGRAMS has marqueed and marquee, and DIRECTORY the access policy and the tokens; SCREENSHOTS gets pictures. Prints a
line for each failure, and the number of passed and failed checks.
"""
import sys
import time

from browser import Browser, Checks, rows, screenshot, text, violations
from check_cards import check_cards
from check_day import check_day, check_past_day
from check_direction import check_direction, check_kiosk_direction
from check_german import check_german
from check_sentences import check_sentences
from demo import check_demo
from kiosk import check_kiosk
from numbers_of_pages import HOME, KITCHEN, PAGES
from playwright.sync_api import sync_playwright
from shown_pages import SHOWN
from server import HOSTILE, HOSTILE_CONTENT, Server, seed
from try_page import check_try


def check_numbers(browser, checks):
    with browser.tab() as page:
        for compare in PAGES:
            compare(browser, page, checks)


def check_sign_in(browser, checks):
    token = browser.server.token_of("viewer")
    with browser.tab() as page:
        checks.expect(token not in page.url, "the token stays in the address")
        page.go_back()
        checks.expect(token not in page.url, "the token stays in the history")
    with browser.tab(None) as page:
        browser.open(page, "/decisions", **KITCHEN)
        checks.expect(page.locator("#token").count() == 1, "no page asks for a token")
        page.keyboard.press("Tab")
        while page.evaluate("document.activeElement.id") != "token":
            page.keyboard.press("Tab")
        page.keyboard.insert_text(f" Bearer {token}\n")
        page.keyboard.press("Enter")
        page.wait_for_selector("#decisions")
        checks.expect("/decisions?device=kitchen" in page.url, f"the page after the sign-in: {page.url}")
        page.locator("#sign-out").click()
        page.wait_for_selector("#token")
        checks.equal(page.evaluate("sessionStorage.length + localStorage.length"), 0, "what is stored after sign-out")


def check_policy(browser, checks):
    with browser.tab(None) as page:
        response = page.goto(browser.server.url)
        policy = response.headers["content-security-policy"]
        checks.expect("unsafe" not in policy and "default-src 'none'" in policy, f"policy: {policy}")
        browser.wait(page)
        page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length > 0")
        sizes = page.evaluate("performance.getEntriesByType('resource').map(r => r.decodedBodySize)")
        checks.expect(0 < sum(sizes) <= 200_000, f"{sum(sizes)} bytes of assets")
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        print(f"{sum(sizes)} bytes of assets, first contentful paint after {paint:.0f} ms", flush=True)
        checks.expect(paint <= 2000, f"first contentful paint after {paint} ms")
        with browser.errors():
            ran = page.evaluate("""() => {
                try { document.body.innerHTML = '<b>x</b>'; return 'innerHTML'; } catch { /* As it must be. */ }
                const script = document.createElement('script');
                script.append('window.hacked = true');
                document.body.append(script);
                try { document.body.setAttribute('onclick', 'window.hacked = true'); } catch { /* As it must be. */ }
                document.body.click();
                return window.hacked ? 'a script' : '';
            }""")
            checks.equal(ran, "", "the policy allows")
            checks.equal(page.goto(f"{browser.server.url}/none").status, 404, "an unknown path")
            checks.expect("There is no such page" in text(page.locator("main")), "the page of an unknown path")


def check_shown(browser, checks, screenshots):
    """Every page: its screenshots, the rules of axe, and the narrowest screen in both languages."""
    # Only the colors of the dark pages differ.
    for scheme, rule in [("light", None), ("dark", "color-contrast")]:
        with browser.tab(color_scheme=scheme, reduced_motion="reduce") as page:
            for name, path, choices in SHOWN:
                browser.open(page, path, **choices)
                page.wait_for_timeout(150)
                screenshot(page, screenshots, f"{name}-{scheme}")
                for violation in violations(page, rule):
                    checks.expect(False, f"{name} in {scheme}: {violation}")
                checks.expect(True, name)
            duration = page.evaluate("getComputedStyle(document.querySelector('.nav a')).transitionDuration")
            checks.expect(duration in ["0s", "0ms"], f"{duration} of motion")
    for language in ["en", "de"]:
        with browser.tab(width=320, locale=language) as page:
            for name, path, choices in SHOWN:
                browser.open(page, path, **choices)
                width = page.evaluate("document.documentElement.scrollWidth")
                checks.expect(width <= 320, f"{name} in {language} is {width} px wide")
                checks.equal(page.evaluate("document.documentElement.lang"), language, "the language")
            screenshot(page, screenshots, f"narrow-{language}")
    with browser.tab() as page:
        browser.open(page, "/", lang="de")
        page.locator(".nav a", has_text="Stapel").click()
        page.wait_for_selector("h1:has-text('Gerät wählen')")
        checks.expect("lang=de" in page.url, "a link forgets the language")


def check_keyboard(browser, checks):
    """The way from the overview to an obstacle, with the keyboard alone."""
    def tab_to(page, words):
        for _ in range(60):
            page.keyboard.press("Tab")
            if words in page.evaluate("document.activeElement.matches('a') ? document.activeElement.innerText : ''"):
                return
        checks.expect(False, f"no way to '{words}'")

    with browser.tab() as page:
        browser.open(page, "/", **KITCHEN)
        page.wait_for_selector("[data-stack=home]")
        tab_to(page, "home")
        page.keyboard.press("Enter")
        page.wait_for_selector("#members")
        checks.equal(page.evaluate("document.activeElement.tagName"), "H1", "the focus after a navigation")
        tab_to(page, "Why not?")
        page.keyboard.press("Enter")
        page.wait_for_selector("#obstacles")
        page.locator("#minute").focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_url("**at=2026-03-04T11%3A05%3A00Z**")
        browser.wait(page)
        checks.equal(page.evaluate("document.activeElement.id"), "minute", "the focus after a change of the time")
        page.go_back()
        page.wait_for_selector("#members")
        page.keyboard.press("Tab")
        page.wait_for_selector("#live-state.on")
        page.wait_for_timeout(300)
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        checks.equal(outline, "solid", "the outline of the focus")


def check_hostile(browser, checks, screenshots):
    """Names that try to be code, to reorder text and to break the layout."""
    for width in [320, 1280]:
        with browser.tab(width=width) as page:
            for index in range(len(HOSTILE)):
                stack = {"device": "hostile", "stack": f"stack{index}"}
                widget = f"com.example.hostile{index}/Kind{index}"
                for path, choices in [("/", stack), ("/stack", stack), ("/day", stack), ("/why", stack),
                                      ("/widgets", stack), ("/widgets", {**stack, "widget": widget})]:
                    browser.open(page, path, **choices)
                    page.wait_for_timeout(100)
                    scroll = page.evaluate("document.documentElement.scrollWidth")
                    checks.expect(scroll <= width, f"{path} {index}: {scroll} px instead of {width}")
                    checks.expect("hacked" not in page.title(), f"{path}: {page.title()}")
                    checks.equal(page.locator("img[src=x]").count(), 0, f"{path}: an image of a name")
                    checks.expect("\u202e" not in page.inner_text("main"), f"{path}: text is reordered")
            screenshot(page, screenshots, f"hostile-{width}")
            if width > 320:
                continue
            for choices in [{"device": HOSTILE[0]}, {"device": "kitchen", "stack": HOSTILE[0]},
                            {"device": "kitchen", "stack": "home", "widget": HOSTILE[2], "configuration": "{"},
                            {"device": "kitchen", "q": HOSTILE[0], "decision": HOSTILE[1]}, {"lang": HOSTILE[0]}]:
                with browser.errors():
                    for path in ["/", "/stack", "/day", "/why", "/decisions", "/widgets", "/habits", "/server"]:
                        browser.open(page, path, **choices)
                        scroll = page.evaluate("document.documentElement.scrollWidth")
                        checks.expect(scroll <= width, f"{path} {choices}: {scroll} px instead of {width}")


def check_content(browser, checks, screenshots):
    """Content that would run a script, or ask another server, if it were markup."""
    # The policy of the frame of an app blocks what its markup asks for, which browsers report.
    with browser.errors(), browser.tab() as page:
        browser.open(page, "/", device="markup")
        page.wait_for_selector(f"[data-stack=content{len(HOSTILE_CONTENT) - 1}]")
        page.wait_for_timeout(300)
        screenshot(page, screenshots, "hostile-content")
        checks.equal(page.locator("img[src^='blob:']").count(), 2, "images of content")
        for number, (media_type, _) in enumerate(HOSTILE_CONTENT):
            browser.open(page, "/widgets", device="markup", widget=f"com.example.content{number}/Content")
            page.wait_for_timeout(200)
            checks.equal(page.evaluate("window.hacked ?? 0"), 0, f"scripts of {media_type}")
            checks.equal(page.locator("main :is(script, object, embed, form, a[href^=javascript])").count(), 0,
                         f"elements of {media_type}")
            check_frames(page, checks, media_type)
            if media_type == "text/markdown":
                found = [page.locator(f".markdown {tag}").count() for tag in ["strong", "li", "blockquote", "pre", "b", "a"]]
                checks.equal(found, [2, 2, 1, 1, 0, 0], "elements of Markdown")
        checks.equal(browser.server.other.count, 0, "connections to another server")


def check_frames(page, checks, media_type):
    """Only HTML is in a frame, which shows its text and its style, and runs nothing."""
    frames = page.frames[1:]
    checks.equal(len(frames), 1 if media_type == "text/html" else 0, f"frames of {media_type}")
    for frame in frames:
        frame.wait_for_selector("#shown")
        checks.equal(page.locator("iframe").get_attribute("sandbox"), "allow-scripts", "rights of the frame")
        checks.equal(frame.evaluate("[window.hacked ?? 0, origin]"), [0, "null"], "script and origin of the frame")
        color = frame.locator("#shown").evaluate("element => getComputedStyle(element).color")
        checks.equal(color, "rgb(0, 128, 0)", "style of the frame")
        address = page.url
        for element in ["a", "#run"]:
            frame.locator(element).first.click()
        page.wait_for_timeout(200)
        checks.equal((page.url, frame.evaluate("window.hacked ?? 0")), (address, 0), "a click in the frame")


def check_hidden(browser, checks):
    """A hidden tab closes its watch, and follows the device again once it is visible."""
    def hide(page, hidden):
        page.evaluate("""hidden => {
            Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
            document.dispatchEvent(new Event('visibilitychange'));
        }""", hidden)

    with browser.tab() as page:
        browser.open(page, "/stack", **HOME)
        page.wait_for_selector("#live-state.on")
        hide(page, True)
        page.wait_for_selector("#live-state:has-text('Paused')")
        hide(page, False)
        page.wait_for_selector("#live-state.on")
        checks.expect(True, "a visible tab is live again")


def check_live(browser, checks):
    """The pages follow the engine, and do not lose the focus."""
    with browser.tab() as stack, browser.tab() as overview, browser.tab() as list_:
        browser.open(stack, "/stack", **HOME)
        browser.open(overview, "/", **KITCHEN)
        browser.open(list_, "/decisions", **KITCHEN)
        for page in [stack, overview, list_]:
            page.wait_for_selector("#live-state.on")
        count = len(rows(list_, "decisions"))
        stack.locator("#members tbody a", has_text="Weather").focus()
        browser.server.advance(470)
        stack.wait_for_selector("tr.current :text('NextEvent')")
        overview.wait_for_selector("[data-stack=home] :text('Dentist at 14:00')")
        check_rows(browser, overview, checks)
        list_.wait_for_function(f"() => document.querySelectorAll('#decisions tbody tr').length > {count}")
        wanted = browser.server.marquee("decisions", "--device", "kitchen")["decisions"]
        checks.equal(len(rows(list_, "decisions")), len(wanted), "decisions after a rotation")
        focused = stack.evaluate("document.activeElement.innerText")
        checks.expect("Weather" in focused, f"the focus after a rotation: {focused}")
        checks.expect("13:40:00" in text(stack.locator("#live-state")), f"{text(stack.locator('#live-state'))}")


def check_rows(browser, overview, checks):
    """The row of each device follows its changes, also of one that is added."""
    row = overview.locator("#devices tbody tr", has=overview.locator("#device-kitchen"))
    reason = browser.server.marquee("decisions", "--device", "kitchen")["decisions"][0]["reason"]
    overview.wait_for_function("text => document.querySelector('#devices').textContent.includes(text)", arg=reason)
    devices = browser.server.marquee("devices")["devices"]
    kitchen = next(one for one in devices if one["device"] == "kitchen")
    overview.wait_for_function("wanted => [...document.querySelectorAll('#devices tbody tr')].some((row) => "
                               "row.textContent.includes('kitchen') && "
                               "Number(row.children[4].querySelector('data').value) === wanted)",
                               arg=kitchen["decision_count"])
    checks.expect("13:40" in text(row.locator("td").last), f"latest change: {text(row.locator('td').last)}")
    browser.server.device("added")
    browser.server.stack("added", "home", [])
    overview.wait_for_selector("#device-added")
    checks.equal(overview.locator("#devices tbody tr").count(), len(devices) + 1, "devices after one was added")
    browser.server.call("Admin/RemoveDevice", device="added")


def check_problems(browser, checks, screenshots):
    """Each problem has a page that says what to do."""
    def problem(page, name):
        page.wait_for_selector("[data-problem]")
        checks.equal(page.locator("[data-problem]").get_attribute("data-problem"), name, f"problem of {page.url}")
        checks.expect(page.locator("[data-problem] button, [data-problem] a.button").count() == 1, "no next step")
        checks.equal(violations(page), [], f"problem {name}")
        screenshot(page, screenshots, f"problem-{name}")

    with browser.errors():
        with browser.tab() as page:
            for path, choices in [("/stack", {"device": "nobody", "stack": "home"}), ("/widgets", {"device": "nobody"}),
                                  ("/", {"device": "nobody"}),
                                  ("/stack", {"device": "kitchen", "stack": "none"})]:
                browser.open(page, path, **choices)
                problem(page, "not_found")
            for path, choices in [("/why", {"at": "noon"}), ("/day", {"date": "tomorrow"})]:
                browser.open(page, path, **HOME, **choices)
                problem(page, "invalid_argument")
        for role, name in [("expired", "unauthenticated"), ("display", "permission_denied")]:
            with browser.tab(role) as page:
                problem(page, name)
                page.locator("[data-problem] button").click()
                page.wait_for_selector("#token")
        check_loss(browser, checks, problem)


def check_loss(browser, checks, problem):
    """A lost server: the page keeps its state and says so, and follows the server once it returns."""
    with browser.tab() as page:
        browser.open(page, "/stack", **HOME)
        page.wait_for_selector("#live-state.on")
        browser.server.kill()
        page.wait_for_selector("#live-state.lost")
        checks.expect(page.locator("#members tbody tr").count() == 3, "the state is lost with the connection")
        page.locator(".nav a", has_text="Decisions").click()
        problem(page, "lost")
        page.go_back()
        problem(page, "lost")
        browser.server.start()
        page.locator("[data-problem] button").click()
        page.wait_for_selector("#live-state.on")
        browser.server.kill()
        page.wait_for_selector("#live-state.lost")
        browser.server.start()
        started = time.monotonic()
        page.wait_for_selector("#live-state.on", timeout=20_000)
        print(f"live {time.monotonic() - started:.1f} s after the server's return", flush=True)
        checks.expect(time.monotonic() - started < 16, "the page does not follow a server that returned")


def main():
    programs, directory, screenshots, part = sys.argv[1:]
    checks = Checks()
    server = Server(programs, directory)
    server.start()
    try:
        seed(server)
        with sync_playwright() as playwright:
            browser = Browser(playwright, server, checks)
            steps = [(check_kiosk, (screenshots,)), (check_kiosk_direction, (screenshots,)),
                     (check_demo, (screenshots,))] if part == "kiosk" else [
                (check_sign_in, ()), (check_policy, ()), (check_numbers, ()), (check_shown, (screenshots,)),
                (check_keyboard, ()), (check_sentences, ()), (check_direction, (screenshots,)),
                (check_day, ()), (check_hostile, (screenshots,)),
                (check_content, (screenshots,)), (check_cards, (screenshots,)), (check_hidden, ()),
                (check_live, ()), (check_past_day, ()),
                (check_try, ()), (check_german, ()), (check_problems, (screenshots,)),
            ]
            for step, arguments in steps:
                start = time.monotonic()
                try:
                    step(browser, checks, *arguments)
                except Exception as error:  # The other steps are independent of a page that is not shown.
                    checks.expect(False, f"{step.__name__}: {error}")
                print(f"{time.monotonic() - start:.1f} s: {step.__name__}", flush=True)
            browser.chromium.close()
    finally:
        server.kill()
    print(f"{checks.passed} passed, {checks.failed} failed")


if __name__ == "__main__":
    main()
