"""The console and the kiosk from right to left: `dir=rtl` in the address, as in a language that is written so."""
from browser import screenshot, violations
from kiosk_page import Finger, kiosk, wait_for_front
from numbers_of_pages import HOME, KITCHEN
from shown_pages import SHOWN

# The elements that are beside the page, where nobody can scroll to: none, except in tables, which scroll by themselves.
BESIDE = """width => [...document.querySelectorAll('main *, header *')].filter((element) => {
    const { left, right } = element.getBoundingClientRect();
    return element.checkVisibility() && right > left && (left < -1 || right > width + 1) &&
        !element.parentElement.closest('.table, .visually-hidden, svg, pre, textarea, .clamp');
}).map((element) => element.outerHTML.slice(0, 120))"""
# The places of the labels of times, and of the marks of decisions, in a chart.
PLACES = r"""() => {
    const chart = document.querySelector('#chart').getBoundingClientRect().left;
    const place = (element) => Math.round(element.getBoundingClientRect().left - chart);
    return [...document.querySelectorAll('#chart text')].filter((one) => /^\d\d:\d\d$/.test(one.textContent))
        .map((one) => [one.textContent, place(one)])
        .concat([...document.querySelectorAll('.mark')].map((one) => [one.dataset.decision, place(one)]));
}"""


def check_direction(browser, checks, screenshots):
    """Nothing is out of reach on the narrowest screen, time runs as from left to right, and links keep the direction."""
    with browser.tab(width=320) as page:
        for name, path, choices in SHOWN:
            browser.open(page, path, **choices, dir="rtl")
            page.wait_for_timeout(100)
            checks.equal(page.evaluate("document.documentElement.dir"), "rtl", f"the direction of {name}")
            width = page.evaluate("document.documentElement.scrollWidth")
            checks.expect(width <= 320, f"{name} from right to left is {width} px wide")
            checks.equal(page.evaluate(BESIDE, 320), [], f"beside {name}")
    with browser.tab() as page, browser.tab() as other:
        for name, path, choices in SHOWN[:4]:
            browser.open(page, path, **choices, dir="rtl")
            page.wait_for_timeout(100)
            checks.equal(page.evaluate(BESIDE, 1280), [], f"beside {name}")
            screenshot(page, screenshots, f"rtl-{name}")
        browser.open(page, "/day", **HOME, dir="rtl")
        browser.open(other, "/day", **HOME)
        for tab in [page, other]:
            tab.wait_for_selector("#chart svg .mark")
        places = page.evaluate(PLACES)
        checks.equal(places, other.evaluate(PLACES), "times and decisions of a chart")
        labels = [place for label, place in places if len(label) == 5]
        checks.expect(len(labels) > 2 and labels == sorted(labels), f"time in a chart: {places}")
        page.locator("#chart svg").click(position={"x": 600, "y": 60})
        page.wait_for_selector("#summary")
        checks.equal(violations(page), [], "from right to left")
        checks.expect("dir=rtl" in page.url, "a link forgets the direction")
        before = page.locator("#minute").input_value()
        page.locator("#minute").press("ArrowRight")
        after = page.locator("#minute").input_value()
        checks.expect(int(after) > int(before), f"the right arrow goes from {before} to {after} minutes")


def check_kiosk_direction(browser, checks, screenshots):
    """Stacks begin at the right, with their dots at the left; swipes and keys follow the order of the members."""
    with kiosk(browser, choices={**KITCHEN, "dir": "rtl"}, reduced_motion="reduce") as page:
        page.wait_for_timeout(200)
        screenshot(page, screenshots, "kiosk-rtl")
        checks.equal(violations(page), [], "the kiosk from right to left")
        lefts = page.locator("[data-stack]").evaluate_all("all => all.map(one => one.getBoundingClientRect().left)")
        checks.expect(len(lefts) == 2 and lefts[0] > lefts[1], f"stacks at {lefts}")
    with kiosk(browser, choices={**HOME, "dir": "rtl"}, width=320) as page:
        width = page.evaluate("document.documentElement.scrollWidth")
        checks.expect(width <= 320, f"the kiosk from right to left is {width} px wide")
        checks.equal(page.evaluate(BESIDE, 320), [], "beside the kiosk")
    with kiosk(browser, choices={**HOME, "dir": "rtl"}, has_touch=True) as page:
        left = "one => one.getBoundingClientRect().left"
        checks.expect(page.locator(".rail").evaluate(left) < page.locator(".track").evaluate(left), "the dots' side")
        tops = page.locator(".dots button").evaluate_all("all => all.map(one => one.getBoundingClientRect().top)")
        names = page.locator(".slide").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
        dots = page.locator(".dots button").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
        checks.equal([dots, tops], [names, sorted(tops)], "the order of the dots")
        page.keyboard.press("Home")
        wait_for_front(page, names[0].split(",")[0])
        page.keyboard.press("ArrowDown")
        wait_for_front(page, names[1].split(",")[0])
        Finger(page).swipe(-600)
        wait_for_front(page, names[2].split(",")[0])
        page.keyboard.press("ArrowUp")
        wait_for_front(page, names[1].split(",")[0])
        checks.expect(True, "swipes and keys from right to left")
