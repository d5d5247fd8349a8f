"""The calls of the kiosk: intents and taps, which apps answer or not, and the reasons of those that fail."""
import contextlib
import http.client
import json
import pathlib
import re
import socket
import struct
import threading

from browser import screenshot, text, violations
from kiosk_page import FRONT, HOME, IS_SETTLED, deeds, front, hide, kiosk, wait_for_front
from server import entry, widget


class Provider(threading.Thread):
    """An app that performs intents: with progress, a prompt and an outcome, which has the reply."""

    def __init__(self, server, app):
        super().__init__(daemon=True)
        self.server, self.app, self.performed = server, app, []
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port)
        request = json.dumps({"device": "kitchen", "app": app}).encode()
        self.connection.request("POST", "/marquee.v1.Provider/WatchQueries", struct.pack(">BI", 0, len(request)) + request,
                                {"Content-Type": "application/connect+json", "Authorization": f"Bearer {server.token}"})
        self.response = self.connection.getresponse()
        self.stream = self.receive()["attached"]["stream"]

    def receive(self):
        _, size = struct.unpack(">BI", self.response.read(5))
        return json.loads(self.response.read(size))

    def answer(self, number, **response):
        self.server.call("Provider/RespondToQuery", device="kitchen", app=self.app, stream=self.stream,
                         response={"number": number, **response})

    def run(self):
        query = self.receive()
        self.performed.append(query["run"]["intent"])
        self.answer(query["number"], progress={"completedUnitCount": "1", "totalUnitCount": "2", "description": "Asking"})
        self.answer(query["number"], prompt={"purpose": "PROMPT_PURPOSE_CONFIRMATION", "dialog": "Remind you at 8:00?"})
        reply = self.receive().get("reply", False)
        if reply:
            self.answer(query["number"], outcome={"dialog": f"Agreed: {reply}"})
        else:
            self.answer(query["number"], rejected={"code": 10, "message": "the user declined"})
        self.connection.close()


class SilentProvider(Provider):
    """An app that answers nothing until it is closed."""

    def __init__(self, server, app):
        super().__init__(server, app)
        self.socket = self.connection.sock
        self.queries = []

    def run(self):
        # The stream breaks off.
        with contextlib.suppress(struct.error, http.client.HTTPException, OSError):
            while True:
                self.queries.append(self.receive())

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.join()


def check_kiosk_unanswered(browser, checks, _):
    """Reports do not wait for an app that does not answer a tap."""
    member = widget("weather", "Forecast")
    linked = {**entry(0, "linked"), "details": {"link": "https://example.com/"}}
    browser.server.publish("kitchen", member, [linked])
    app = SilentProvider(browser.server, member["kind"]["app"])
    app.start()
    with browser.errors(), kiosk(browser) as page:
        page.locator(".dots button[aria-label^=Weather]").click()
        wait_for_front(page, "Weather")
        before = deeds(browser)
        cover = page.locator("[data-stack=home] .slide:not([inert]) .cover")
        cover.click()
        checks.equal(deeds(browser)[len(before):], ["tap"], "the reports of a tap that is not answered")
        for _ in range(8):
            cover.click()
        page.wait_for_selector(".run:has-text('One moment')")
        # A carousel is held until shortly after a touch.
        page.wait_for_timeout(300)
        page.keyboard.press("End")
        wait_for_front(page, "Reminders")
        checks.equal(deeds(browser)[len(before):], ["tap"] * 9 + ["scroll"], "the reports after it")
        checks.equal(front(browser), "Today", "the front after it")
        checks.equal(len(app.queries), 1, "the queries of an app that does not answer")
        app.close()
        page.wait_for_selector(".run:has-text('The app is not connected.')")


def check_kiosk_failures(browser, checks, screenshots):
    """The reasons of failed calls are shown in the language of the page."""
    browser.server.publish("kitchen", widget("weather", "Forecast"), [entry(0, "plain")])
    unknown = {"code": "failed_precondition", "message": "widget.kind: a new reason"}
    cases = [("Diesen Stapel gibt es nicht mehr.", {"stack": "nope"}), ("Dieses Widget ist nicht mehr im Stapel.", {
        "widget": widget("weather", "None")}), ("Das hat nicht geklappt. a new reason", None)]
    with browser.errors(), kiosk(browser, choices={**HOME, "lang": "de"}) as page:
        page.locator(".dots button[aria-label^=Weather]").click()
        wait_for_front(page, "Weather")
        page.wait_for_timeout(300)
        member = page.evaluate(FRONT)
        for shown, changed in cases:
            def change(route, _, changed=changed):
                if changed is None:
                    return route.fulfill(status=400, json=unknown)
                request = route.request.post_data_json
                return route.continue_(post_data=json.dumps({**request, "tapped": {**request["tapped"], **changed}}))

            page.route("**/marquee.v1.Display/Report", change)
            before = deeds(browser)
            page.locator("[data-stack=home] .slide:not([inert]) .cover").click()
            page.wait_for_selector(f".run:has-text('{shown}')")
            checks.equal(text(page.locator(".run")), shown, "the reason of a failed tap")
            checks.equal(deeds(browser), before, f"the reports of a tap with {changed}")
            page.unroute("**/marquee.v1.Display/Report")
        checks.equal(text(page.locator(".run [lang=en]")), "a new reason", "the English part of a reason")
        checks.equal(page.evaluate(FRONT), member, "the front after failed taps")
        checks.equal(violations(page), [], "a failed tap")
        screenshot(page, screenshots, "kiosk-failed")
        page.wait_for_selector(".run", state="hidden")
        # The messages of an app are in its language, and its codes are about the app.
        linked = {**entry(0, "linked"), "details": {"link": "https://example.com/"}}
        browser.server.publish("kitchen", widget("weather", "Forecast"), [linked])
        page.wait_for_selector("[data-stack=home] .content:has-text('linked')")
        for shown, code in [("Die App antwortet nicht.", "deadline_exceeded"), ("Kein Bus", "permission_denied")]:
            page.route("**/marquee.v1.Display/ContinueInApp", lambda route: route.fulfill(
                status=400, json={"code": code, "message": "Kein Bus"}))
            page.locator("[data-stack=home] .slide:not([inert]) .cover").click()
            page.wait_for_selector(f".run:has-text('{shown}')")
            page.unroute("**/marquee.v1.Display/ContinueInApp")
        page.route("**/marquee.v1.Display/ContinueInApp", lambda route: route.fulfill(
            json={"outcome": "CONTINUATION_OUTCOME_NOT_HANDLED", "app": "com.example.weather"}))
        page.locator("[data-stack=home] .slide:not([inert]) .cover").click()
        page.wait_for_selector(".run:has-text('Die App öffnet das nicht.')")
        page.unroute("**/marquee.v1.Display/ContinueInApp")
        checks.equal(page.locator(".run [lang], [data-problem]").count(), 0, "the message of an app as the server's")
    # German sentences are found by the server's, which must not change alone.
    sources = pathlib.Path(__file__).parents[3] / "Sources"
    translated = re.findall('"say\\.([^"]+)"', (sources / "CMarqueeConsole/Files/kioskde.js").read_text())
    swift = "".join(path.read_text() for path in sources.rglob("*.swift"))
    checks.equal([one for one in translated if f'"{one}"' not in swift], [], "translations of no message of the server")


def check_kiosk_intents(browser, checks, screenshots):
    """A button of a card, whose app reports progress, asks the user, and returns an outcome."""
    member = widget("weather", "Forecast")
    intent = {"type": "Remind", "parameters": [{"name": "line", "values": [{"stringValue": "100"}]}]}
    card = {"type": "AdaptiveCard", "version": "1.5", "body": [{"type": "TextBlock", "text": "Bus 100", "size": "large"}],
            "actions": [{"type": "Action.Execute", "title": "Remind me", "verb": "perform", "data": {"intent": intent}}]}
    browser.server.call("Provider/RegisterIntentTypes", device="kitchen", app=member["kind"]["app"], intentTypes=[
        {"type": "Remind", "title": "Remind", "parameters": [{"name": "line", "type": "INTENT_VALUE_TYPE_STRING"}]}])
    browser.server.publish("kitchen", member, [
        entry(0, json.dumps(card), media_type="application/vnd.microsoft.card.adaptive")])
    with browser.errors(), kiosk(browser) as page:
        page.locator(".dots button[aria-label^=Weather]").click()
        wait_for_front(page, "Weather")
        action = page.locator(".slide:not([inert]) .actions button")
        before = deeds(browser)
        action.click()
        page.wait_for_selector(".run:has-text('The app is not connected.')")
        provider = Provider(browser.server, member["kind"]["app"])
        provider.start()
        action.click()
        page.wait_for_selector("dialog[open]:has-text('Remind you at 8:00?')")
        checks.expect("50 %" in text(page.locator(".run")), f"progress: {text(page.locator('.run'))}")
        checks.equal(page.get_by_role("dialog", name="Remind you at 8:00?").count(), 1, "the name of a prompt")
        checks.equal(violations(page), [], "a prompt")
        screenshot(page, screenshots, "kiosk-prompt")
        page.keyboard.press("Enter")
        page.wait_for_selector(".run:has-text('Agreed: True')")
        checks.equal(provider.performed, [intent], "the performed intent")
        checks.expect("tap" not in deeds(browser)[len(before):], "a button counts as a tap on the widget")
        provider = Provider(browser.server, member["kind"]["app"])
        provider.start()
        action.click()
        page.locator("dialog[open] button", has_text="Cancel").click()
        page.wait_for_selector(".run:has-text('Cancelled')")
        # Nobody answers for a minute, which passes as a second.
        page.evaluate("""() => {
            const real = window.setTimeout;
            window.setTimeout = (body, ms, ...rest) => real(body, ms === 60000 ? 1000 : ms, ...rest);
        }""")
        Provider(browser.server, member["kind"]["app"]).start()
        action.click()
        page.wait_for_selector("dialog[open]")
        page.wait_for_selector(".run:has-text('Cancelled')")
        checks.equal(page.locator("dialog[open]").count(), 0, "prompts that nobody has answered")
        page.reload()
        page.wait_for_selector(".stack")
        page.wait_for_selector("#banner[hidden]", state="attached")
        page.wait_for_function(IS_SETTLED)
        Provider(browser.server, member["kind"]["app"]).start()
        action.click()
        page.wait_for_selector("dialog[open]")
        hide(page, True)
        page.wait_for_selector(".run:has-text('The server cannot be reached')")
        checks.equal(page.locator("dialog[open]").count(), 0, "prompts after the end of a connection")
