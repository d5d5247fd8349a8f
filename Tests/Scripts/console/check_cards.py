"""Checks of cards: their elements, buttons and switches, hostile ones, and every family in light and dark."""
import base64
import json

from browser import screenshot, violations
from numbers_of_pages import KITCHEN

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
INTENT = {"type": "Remind", "parameters": [{"name": "line", "values": [{"stringValue": "100"}]}]}
BUS = {
    "type": "AdaptiveCard", "version": "1.5",
    "body": [
        {"type": "TextBlock", "text": "Bus 100", "size": "Large", "weight": "bolder", "color": "accent"},
        {"type": "RichTextBlock", "inlines": ["to ", {"type": "TextRun", "text": "Zoo", "color": "good"}]},
        {"type": "ColumnSet", "columns": [
            {"width": "auto", "items": [{"type": "Image", "url": f"data:image/png;base64,{PIXEL}", "altText": "A bus",
                                         "size": "small"}]},
            {"width": 2, "style": "emphasis", "items": [
                {"type": "TextBlock", "text": "A long line of text that wraps", "wrap": True, "maxLines": 2}]}]},
        {"type": "FactSet", "facts": [{"title": "Stop", "value": "Alexanderplatz"}]},
        {"type": "Table", "columns": [{}, {}], "rows": [
            {"cells": [{"items": [{"type": "TextBlock", "text": "Line"}]},
                       {"items": [{"type": "TextBlock", "text": "At"}]}]},
            {"cells": [{"items": [{"type": "TextBlock", "text": "100"}]},
                       {"style": "good", "items": [{"type": "TextBlock", "text": "9:05"}]}]}]},
        {"type": "Media", "fallback": {"type": "TextBlock", "text": "the fallback", "isSubtle": True}},
        {"type": "Input.Toggle", "id": "isOn", "title": "Follow", "value": "true", "data": {"intent": INTENT}},
    ],
    "actions": [
        {"type": "Action.OpenUrl", "title": "Map", "url": "https://example.com/map"},
        {"type": "Action.Execute", "title": "Remind me", "verb": "perform", "style": "positive",
         "data": {"intent": INTENT}}],
}
SCRIPT = "<img src=x onerror=alert(1)>\u202e"
HOSTILE = {
    "type": "AdaptiveCard", "version": "1.5",
    "body": [
        {"type": "TextBlock", "text": SCRIPT, "size": "x\" onclick=\"alert(1)", "color": {"a": 1}},
        {"type": "Image", "url": "https://example.com/a.png", "altText": "elsewhere"},
        {"type": "Image", "url": "data:text/html;base64,PHNjcmlwdD4=", "altText": SCRIPT},
        {"type": "constructor"}, {"type": "__proto__"}, {"type": ["TextBlock"]}, None, 7, [[]],
        {"type": "TextBlock"}, {"type": "Table", "columns": 1, "rows": [7, {"cells": "x"}]},
        {"type": "ColumnSet", "columns": [None, {"items": 1, "width": "50px"}]},
        {"type": "RichTextBlock", "inlines": 1}, {"type": "RichTextBlock", "inlines": {"map": 1}},
        {"type": "Image", "url": "data:image/png;base64,A", "altText": "wrong"},
        {"type": "TextBlock", "text": "after", "size": ["large"]}, {"type": "TextBlock", "text": {"toString": 1}},
    ],
    "actions": [
        {"type": "Action.OpenUrl", "title": "a", "url": "javascript:alert(1)"},
        {"type": "Action.OpenUrl", "title": "b", "url": "http://example.com"},
        {"type": "Action.Execute", "title": "c", "verb": "other", "data": {"intent": INTENT}},
        {"type": "Action.Execute", "title": "d", "verb": "perform"}, {"type": "Action.Submit", "title": "e"}],
}
FAMILIES = ["SYSTEM_SMALL", "SYSTEM_MEDIUM", "SYSTEM_LARGE", "SYSTEM_EXTRA_LARGE", "ACCESSORY_CIRCULAR",
            "ACCESSORY_RECTANGULAR", "ACCESSORY_INLINE"]

SHOW = """async ([data, families, isActive]) => {
    const { widgetFrame } = await import("/console/parts.js");
    if (isActive) (await import("/console/card.js")).enableActions();
    const mediaType = "application/vnd.microsoft.card.adaptive; charset=utf-8";
    const frames = families.map((family) =>
        widgetFrame({ kind: { name: "Bus" } }, `WIDGET_FAMILY_${family}`, { entry: { content: { mediaType, data } } }));
    document.querySelector("#cards")?.remove();
    const list = document.createElement("div");
    list.id = "cards";
    list.append(...frames);
    document.querySelector("main").append(list);
}"""


def show(page, card, families=("SYSTEM_LARGE",), is_active=False):
    text = card if isinstance(card, str) else json.dumps(card)
    page.evaluate(SHOW, [base64.b64encode(text.encode()).decode(), list(families), is_active])
    return page.locator("#cards")


def check_gallery(browser, checks):
    """The sample in every family, and a card that is typed."""
    with browser.tab() as page:
        browser.open(page, "/gallery")
        checks.equal(page.locator("#gallery .ac").count(), 9, "families of the sample")
        page.locator("#card").fill(json.dumps(BUS))
        page.wait_for_selector("#gallery :text('Bus 100')")
        page.locator("#card").fill("{")
        page.wait_for_function("() => !document.querySelector('#gallery .ac')")
        checks.equal(page.locator("#gallery figure").count(), 9, "families of a text that is no card")


def check_cards(browser, checks, screenshots):
    check_gallery(browser, checks)
    with browser.tab() as page:
        browser.open(page, "/", **KITCHEN)
        check_elements(page, checks)
        check_hostile(page, checks)
        check_limits(page, checks)
        check_actions(page, checks)
        check_time(page, checks)
    for scheme in ["light", "dark"]:
        for width in [320, 1280]:
            with browser.tab(width=width, color_scheme=scheme) as page:
                browser.open(page, "/", **KITCHEN)
                show(page, BUS, FAMILIES)
                checks.equal(violations(page), [], f"cards in {scheme} at {width} px")
                wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
                checks.equal(wide, False, f"cards scroll sideways in {scheme} at {width} px")
                screenshot(page, screenshots, f"cards-{scheme}-{width}")


def check_elements(page, checks):
    card = show(page, BUS).locator(".ac")
    found = card.inner_text()
    for text in ["Bus 100", "to Zoo", "Stop", "Alexanderplatz", "the fallback", "Map", "9:05"]:
        checks.expect(text in found, f"a card does not show {text}: {found!r}")
    counts = {"p.size-large.weight-bolder.color-accent": 1, ".columns > .wide": 1, "p.lines-2": 1, "dl.facts dd": 1,
              "th": 2, "td.style-good": 1, "img[alt='A bus'][src^='blob:']": 1, "button:disabled": 2,
              "button[role=switch][aria-checked=true]": 1, "span.link[title='https://example.com/map']": 1, "a": 0,
              "[style]:not([style^='--share'])": 0}
    for selector, count in counts.items():
        checks.equal(card.locator(selector).count(), count, f"elements {selector}")
    for text in ["", "{", "[]", "7", "null", '{"type": "Card"}']:
        if text:
            checks.equal(show(page, text).locator(".ac").count(), 0, f"a card of {text}")
    empty = show(page, {"type": "AdaptiveCard", "body": [{"type": "Media"}], "fallbackText": "The text"})
    checks.equal(empty.locator(".ac").inner_text(), "The text", "the fallback of a card")


def check_hostile(page, checks):
    card = show(page, HOSTILE, is_active=False).locator(".ac")
    found = card.inner_text()
    checks.expect("[wrong]" in found and "after" in found, f"texts of wrong values: {found!r}")
    checks.expect("<img src=x" in found and "[elsewhere]" in found and "\u202e" not in found, f"texts: {found!r}")
    for selector in ["img", "script", "a", "button", "[onclick]", "[onerror]", ".link"]:
        checks.equal(card.locator(selector).count(), 0, f"hostile {selector}")
    wrong = {"type": "AdaptiveCard", "body": [{"type": {"toString": 1}}]}
    checks.equal(show(page, wrong).locator(".content").inner_text(), "Not shown here.", "a card that cannot be shown")


def check_time(page, checks):
    """Markdown that is hard to read takes a short time."""
    for part in ["[](", "*_`[", "[", "# #", "-  "]:
        ms = page.evaluate("""async (text) => {
            const { markdown } = await import("/console/markdown.js");
            const start = performance.now();
            markdown(text);
            return performance.now() - start;
        }""", f"{part * 16_384}"[:16_383] + "\u2028")
        checks.expect(ms < 500, f"Markdown of {part!r} takes {ms:.0f} ms")


def check_limits(page, checks):
    many = {"type": "AdaptiveCard", "body": [{"type": "TextBlock", "text": "a"}] * 300}
    checks.equal(show(page, many).locator(".ac p").count(), 256, "elements of a large card")
    for depth, count in [(15, 1), (16, 0)]:
        element = {"type": "TextBlock", "text": "deep"}
        for _ in range(depth):
            element = {"type": "Container", "items": [element]}
        found = show(page, {"type": "AdaptiveCard", "body": [element]}).locator(".ac p", has_text="deep").count()
        checks.equal(found, count, f"elements below {depth} containers")


def check_actions(page, checks):
    card = show(page, BUS, is_active=True).locator(".ac")
    page.evaluate("""() => {
        window.performed = [];
        window.taps = 0;
        const list = document.querySelector("#cards");
        list.addEventListener("marquee:perform", (event) => window.performed.push(event.detail));
        list.addEventListener("click", () => (window.taps += 1));
    }""")
    card.locator("button", has_text="Remind me").focus()
    page.keyboard.press("Enter")
    switch = card.locator("button[role=switch]")
    switch.click()
    checks.equal(switch.get_attribute("aria-checked"), "false", "the state of a switch")
    switch.press("Space")
    checks.equal(switch.get_attribute("aria-checked"), "true", "the state of a switch after two clicks")
    changed = [{**INTENT, "parameters": INTENT["parameters"] + [{"name": "isOn", "values": [{"booleanValue": state}]}]}
               for state in [False, True]]
    checks.equal(page.evaluate("window.performed"), [
        {"intent": INTENT}, {"intent": changed[0], "toggle": False}, {"intent": changed[1], "toggle": True},
    ], "performed intents")
    checks.equal(page.evaluate("window.taps"), 0, "taps of the widget by its buttons")
