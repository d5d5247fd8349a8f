"""Pages in German, which have none of the English sentences that the calls return."""
import json

from browser import text
from server import MINUTE, MORNING, entry, widget
from shown_pages import SHOWN

# Keeps what pages parse: the responses of calls, and the messages of streams.
COLLECT = """(() => {
    const parse = JSON.parse;
    window.collected = [];
    JSON.parse = (...values) => {
        const made = parse(...values);
        window.collected.push(made);
        return made;
    };
    Response.prototype.json = async function () { return JSON.parse(await this.text()); };
})();"""
# The engine's sentences by their field, those of the page between instants, and what is marked as English. The message
# of an error, which an operator searches for, is shown on request only.
FOUND = """() => {
    const sentences = [];
    const walk = (value, place) => {
        if (Array.isArray(value)) return value.forEach((one) => walk(one, place));
        if (!value || typeof value !== 'object') return;
        for (const [key, one] of Object.entries(value)) {
            const isSentence = ['summary', 'reason', 'message', 'bounds'].includes(key) && typeof one === 'string';
            if (isSentence) sentences.push([`${place}.${key}`, one]);
            // Texts of apps are in the language of the app.
            else if (!['display', 'displays', 'labels', 'texts'].includes(key)) walk(one, key);
        }
    };
    walk(window.collected, '');
    const page = document.querySelector('main').cloneNode(true);
    page.querySelectorAll('.message').forEach((one) => one.remove());
    const labels = [...page.querySelectorAll('[title], [aria-label]')].map((one) => one.title + one.ariaLabel);
    const shown = ` ${[page.textContent, ...labels].join(' ').replace(/\\s+/g, ' ')} `;
    const instant = /\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z/;
    const isShown = (part) => part.includes(' ') && shown.includes(part);
    return {
        places: [...new Set(sentences.map(([place]) => place))],
        english: sentences.flatMap(([, one]) => one.split(instant)).map((part) => part.trim()).filter(isShown),
        marked: [...page.querySelectorAll('[lang=en]')].map((one) => one.textContent),
    };
}"""
# Timelines, shortcuts, intent types and donations with a mistake of almost every kind.
CASES = [
    {"name": "dates", "from": "2026-06-08T08:00", "entries": [[30, 2, 600], [10, 1, 60], [10, 1, 60], [11, 1, 600, 99]],
     "policy": {"after": 31}, "then": [{"at": 40, "entries": []},
                                       {"at": 41, "entries": [[41, 90, 0]], "policy": "atEnd"},
                                       {"at": 42, "entries": [[42, None], [50, None]], "policy": {"after": 43}},
                                       {"at": 60, "entries": []}]},
    {"name": "scores", "from": "2026-06-08T08:00", "entries": [[0, 1, 1800], [10, 1], [20, 1]], "unknown": 1},
    {"name": "past", "from": "2026-06-08T08:00", "publishedAt": 3000, "entries": [[0, 1, 600]]},
    {"name": "sets", "from": "2026-06-08T08:00", "publishedAt": 90, "shortcuts": [
        {"kind": "A", "providers": ["gym"], "group": "g"}, {"kind": "A", "providers": ["gym"], "group": "g"},
        {"kind": "B", "windows": [[0, 30], [20, 40]], "providers": ["home"]}, {"kind": "C", "windows": [[0, 1]]},
        {"kind": "D", "intent": {"type": "T", "parameters": {"a": {"object": "1", "display": "x"}, "b": "x"}}}]},
    {"name": "intents", "from": "2026-06-08T08:00", "relevantIntents": [
        {"intents": [{"kind": "A", "intent": {"type": "T"}, "window": [0, 30]},
                     {"kind": "A", "intent": {"type": "T"}, "window": [20, 50]}]}]},
    {"name": "types", "from": "2026-06-08T08:00", "intentTypes": [
        {"type": "Order", "parameters": {"when": "date", "item": "string"}, "combinations": [["when", "item"]]}],
     "donations": [{"type": "Order", "parameters": {"item": "tea"}}]},
]
CODES = {"card-invalid", "combination-never-satisfied", "date-and-routine", "date-in-every-combination",
         "display-string-parameter", "empty-while-in-force", "entries-same-date", "entries-too-close",
         "entries-unsorted", "expiry-without-effect", "group-without-window", "kind-fits-no-stack", "only-watch-face",
         "reload-over-budget", "scale-changed", "score-constant", "score-never-cleared", "score-never-zero",
         "score-over", "set-duplicate", "unknown-key", "window-cut-off", "window-over", "window-too-short",
         "windows-overlap"}


def expect_german(page, checks, places):
    """Expects that the page has no English sentence, and notes the fields that had one."""
    found = page.evaluate(FOUND)
    checks.equal(found["english"], [], f"English sentences on {page.url}")
    checks.equal(found["marked"], [], f"English elements on {page.url}")
    places.update(found["places"])


def check_change(browser, page, checks, places):
    """A rotation while the overview is shown: of the stack, and in the list of devices."""
    server = browser.server
    now = (int(server.call("Admin/GetClock")["clock"]["nowMs"]) - MORNING) // MINUTE
    first, second = widget("first", "First"), widget("second", "Second")
    server.device("german")
    for member in [first, second]:
        server.kind("german", member["kind"]["app"], member["kind"]["name"], f"Titel {member['kind']['name']}")
    server.stack("german", "home", [first, second])
    server.publish("german", second, [entry(now, "a", 0), entry(now + 10, "b", 5, 30), entry(now + 50, "c", 0)])
    browser.open(page, "/", device="german", lang="de")
    page.wait_for_selector("#live-state.on")
    server.advance(now + 11)
    page.wait_for_selector("[data-stack=home] :text('führt')")
    page.wait_for_selector("#devices :text('führt')")
    checks.expect("Titel Second führt: seine Bewertung 5 ist 100 % der besten seiner Art, Evidenz "
                  in text(page.locator("[data-stack=home]")), f"{text(page.locator('[data-stack=home]'))}")
    expect_german(page, checks, places)
    server.call("Admin/RemoveDevice", device="german")


def check_findings(browser, page, checks, places):
    """The findings about a text, an error in it, and the limits."""
    browser.open(page, "/try", lang="de")
    with page.expect_response(lambda response: response.url.endswith("Lint")):
        page.locator("#scenario").fill(json.dumps(CASES))
    page.wait_for_selector("#findings :text('entries-unsorted')")
    codes = set(page.locator("#findings .badge").all_inner_texts())
    expect_german(page, checks, places)
    scenario = (
        "device: phone\ntime-zone: UTC\nbegin: 2026-06-08\napps: {com.example.a: {kinds: {A: [systemSmall]}}}\n"
        "stacks: {home: {family: systemMedium, widgets: []}}\nevents:\n"
        "  - {at: 06:00, set-shortcuts: com.example.a, shortcuts: [{widget: A, when: [[07:00, 1h]]}]}\n"
        "  - at: 06:00\n    publish: A\n    entries:\n"
        "      - {date: 07:00, type: application/vnd.microsoft.card.adaptive, content: \"{}\"}\n")
    with page.expect_response(lambda response: response.url.endswith("Lint")):
        page.locator("#scenario").fill(scenario)
    page.wait_for_selector("#findings :text('card-invalid')")
    codes.update(page.locator("#findings .badge").all_inner_texts())
    expect_german(page, checks, places)
    checks.equal(CODES - codes, set(), "findings that no text has")
    with browser.errors():
        page.locator("#scenario").fill("device: 3\n")
        page.wait_for_selector("#findings details.message")
        expect_german(page, checks, places)
        browser.open(page, "/stack", device="nobody", stack="home", lang="de")
        page.wait_for_selector("[data-problem] details.message")
        expect_german(page, checks, places)
    browser.open(page, "/server", show="all", lang="de")
    checks.expect(page.locator("#limits tbody tr").count() > 100, "limits")
    expect_german(page, checks, places)


def check_german(browser, checks):
    places = set()
    with browser.tab(locale="de") as page:
        page.add_init_script(COLLECT)
        for _, path, choices in SHOWN:
            browser.open(page, path, **choices, lang="de")
            page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
            page.wait_for_timeout(100)
            expect_german(page, checks, places)
        check_change(browser, page, checks, places)
        check_findings(browser, page, checks, places)
    wanted = {"decision.reason", "front.reason", "suggestions.reason", "findings.message", "limits.bounds",
              "explanation.summary", "candidates.summary", "gates.summary", "obstacles.summary"}
    checks.equal(wanted - places, set(), "sentences that no call returned")
