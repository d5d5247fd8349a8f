"""The page for trying out a scenario: its findings, decisions and fronts, against the command simulate."""
import pathlib

from browser import rows, text

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
    checks.expect(len(wanted) > 2, "the example decides nothing")
    begin = int(page.locator("#instant").get_attribute("min") or page.evaluate("document.querySelector('#instant').min"))
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
    page.locator("#set-dwell").fill("-1")
    page.wait_for_selector("#findings :text('out of range')")
    page.locator("#set-dwell").fill("")
    page.wait_for_selector("#then:not([hidden])")


def check_findings(page, checks):
    """A finding and an error have their line, which a button selects."""
    example = page.locator("#scenario").input_value()
    edited(page, example + UNSORTED)
    page.wait_for_selector("#findings :text('entries-unsorted')")
    line = page.locator("#findings button").first
    wanted = (example + UNSORTED).rstrip("\n").count("\n") + 1
    checks.equal(text(line), f"Line {wanted}", "line of a finding")
    line.focus()
    page.keyboard.press("Enter")
    selected = page.evaluate("""() => {
        const { value, selectionStart, selectionEnd, id } = document.activeElement;
        return [id, value.slice(selectionStart, selectionEnd)];
    }""")
    checks.equal(selected, ["scenario", "      - [19:00, 2, 30m]"], "the selected line")
    edited(page, example + "  - {at: soon, focus: work}\n")
    page.wait_for_selector("#findings :text('events[')")
    checks.equal(text(page.locator("#findings button")), f"Line {example.count(chr(10)) + 1}", "line of an error")
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
            check_kept(browser, page, checks)
