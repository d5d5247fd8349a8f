"""Sentences of the engine in German, which the console makes of the same values as the server's English ones."""
import re

from numbers_of_pages import EVENT, HOME, KITCHEN

# The parts of pages that show a sentence.
SENTENCES = ("#summary > bdi, .lead > bdi, .inside > p:first-child > bdi, [data-gate] bdi, #obstacles bdi, "
             "td > bdi:has(time):not(#suggestions bdi)")
PAGES = [("/why", {**HOME, "at": at, **choices}) for at in ["", "2026-03-04T08:00:00Z", "2026-03-04T16:45:00Z"]
         for choices in [{}, {"widget": EVENT}]] + [("/stack", HOME), ("/decisions", {**KITCHEN, "decision": "2"}),
                                                    ("/habits", {"device": "habits"})]

AT = "1772622000000"  # 2026-03-04T11:00:00Z
BUS = {"kind": {"app": "com.example.transit", "name": "Bus"}}
# Functions of the module, messages, and the German sentences.
EXAMPLES = [
    ("gateSentence", {"name": "threshold", "unit": "evidence", "measured": 0.39996, "required": 0.4},
     "Evidenz 0,39996 liegt unter der Schwelle 0,4"),
    ("gateSentence", {"name": "threshold", "unit": "evidence"}, "keine Evidenz"),
    ("gateSentence", {"name": "margin", "unit": "evidence", "measured": -0.25, "required": 0.1},
     "0,25 hinter dem vorderen Widget, 0,1 nötig"),
    ("gateSentence", {"name": "margin", "unit": "evidence", "measured": "Infinity", "passed": True}, "nichts ist vorn"),
    ("gateSentence", {"name": "hold", "unit": "seconds", "measured": 60, "required": 420, "sinceMs": AT},
     "noch 6 min gehalten: der Nutzer hat den Stapel um 12:00:00 berührt"),
    ("gateSentence",
     {"name": "dwell", "unit": "seconds", "measured": 60, "required": 420, "sinceMs": AT, "passed": True},
     "im Entwicklermodus aufgehoben: noch 6 min gehalten: die letzte Rotation oder der letzte Vorschlag war "
     "um 12:00:00"),
    ("gateSentence",
     {"name": "dwell", "unit": "seconds", "measured": 4200, "required": 420, "sinceMs": AT, "passed": True},
     "die letzte Rotation oder der letzte Vorschlag war um 12:00:00, vor 1 h 10 min; 7 min nötig"),
    ("gateSentence", {"name": "rotation budget", "unit": "rotations", "measured": 9, "required": 8, "clearsMs": AT},
     "das wäre Rotation 9 in 24 Stunden, 8 erlaubt, wieder ab 12:00:00"),
    ("gateSentence", {"name": "blocked", "clearsMs": AT}, "vom Nutzer gesperrt bis 12:00:00"),
    ("gateSentence", {"name": "pinned", "clearsMs": AT}, "ein anderes Widget ist angeheftet bis 12:00:00"),
    ("gateSentence", {"name": "episode", "sinceMs": AT, "episodeEnd": "EPISODE_END_MOVED"},
     "seine Episode, die um 12:00:00 begann, ist verbraucht: sie hat schon einen Stapel bewegt"),
    ("gateSentence", {"name": "gain", "unit": "probability", "measured": 0.02, "required": 0.05, "clearsMs": AT},
     "erhöht die Wahrscheinlichkeit der Nutzung um 0,02, 0,05 nötig wegen der Rotationen des Stapels in den letzten "
     "24 Stunden, bis 12:00:00"),
    ("gateSentence", {"name": "of a newer server"}, "the server's sentence"),
    ("gateSentence", {"name": "episode", "sinceMs": AT, "episodeEnd": "EPISODE_END_NEW"}, "the server's sentence"),
    ("obstacleSentence", {"gate": {"name": "hold", "unit": "seconds", "measured": 0, "required": 59.2, "sinceMs": AT}},
     "noch 1 min gehalten, weil der Nutzer den Stapel um 12:00:00 berührt hat"),
    ("obstacleSentence", {"noEvidence": {"entryExpired": {"entryMs": AT, "expiryMs": AT}}},
     "sein Eintrag von 12:00:00 ist um 12:00:00 abgelaufen und zählt nicht mehr bis seine App einen späteren "
     "veröffentlicht"),
    ("obstacleSentence", {"noEvidence": {"scoreEnded": {"entryMs": AT, "endMs": str(int(AT) + 1_800_000)}}},
     "seine Bewertung ist 0 seit 12:30:00; da endete das Fenster von 30 min des Eintrags von 12:00:00"),
    ("obstacleSentence", {"noEvidence": {"scoreNotPositive": {"entryMs": AT}}},
     "seine Bewertung ist 0 seit dem Eintrag von 12:00:00; nur positive zählen"),
    ("obstacleSentence", {"noEvidence": {"scoreAheadMs": AT}, "clearsMs": AT},
     "seine nächste positive Bewertung kommt mit dem Eintrag von 12:00:00"),
    ("obstacleSentence", {"noEvidence": {"unlikely": {"probability": 0.1, "required": 0.4}}},
     "seine Nutzung in der nächsten halben Stunde ist unwahrscheinlich: die Wahrscheinlichkeit ist 0,1, 0,4 nötig"),
    ("obstacleSentence", {"pinnedBy": BUS, "clearsMs": AT}, "Bus ist vorn angeheftet"),
    ("obstacleSentence", {"noEvidence": {"pinNotInForce": {"pin": {"focus": "work"}}}},
     "es ist angeheftet im Fokus work, aber nicht jetzt"),
    ("obstacleSentence", {"noEvidence": {"pinNotInForce": {"pin": {}, "nextMs": AT}}, "clearsMs": AT},
     "es ist angeheftet, aber nicht jetzt; die Anheftung gilt ab 12:00:00"),
    ("obstacleSentence", {"noEvidence": {"scoreNotCounted": {"score": 5, "entryMs": AT}}},
     "seine Bewertung 5 des Eintrags von 12:00:00 zählt nur in einem Stapel, und kein Shortcut nennt es"),
    ("obstacleSentence", {"representedBy": BUS}, "vertreten durch Bus aus derselben Gruppe"),
    ("obstacleSentence", {"suggestedOn": "desk"}, "es ist auf dem Stapel desk vorgeschlagen"),
    ("whyNotSentence", {"widget": BUS}, "Bus ist vorn"),
    ("candidateSentence", {"widget": BUS, "evidence": 0.5, "inFront": True, "signals": [
        {"signal": "prediction", "score": 0.3125, "reference": 1, "strength": 0.25, "habit": {
            "slotMinute": 505, "dayCount": 10, "doneDayCount": 9, "routine": "ROUTINE_SITUATION_WORK",
            "routinePercentage": 80}}]},
     "Bus ist vorn: seine Nutzung in der nächsten halben Stunde ist zu mindestens 31 % wahrscheinlich "
     "(08:25–08:55 an 9 der letzten 10 aktiven Werktage, zur gleichen Zeit nach: Ankunft bei der Arbeit, in 80 % der "
     "Fälle), "
     "durch frühere Reaktionen angepasst auf 25 %, Evidenz 0,5"),
    ("explanationSentence", {"front": BUS, "candidates": [{"widget": BUS, "inFront": True, "pin": {"times": {
        "weekdays": ["WEEKDAY_MONDAY", "WEEKDAY_FRIDAY"], "startMinute": 420, "endMinute": 540}, "focus": "work"}}]},
     "Bus ist vorn: angeheftet am Montag und Freitag von 07:00 bis 09:00 im Fokus work"),
    ("explanationSentence", {"chosen": BUS, "candidates": [
        {"widget": BUS, "evidence": 0.5, "gates": [{"name": "pinned", "passed": True}, {"name": "hold"}]}]},
     "Bus kehrt zurück: die Anheftung, die es ersetzt hatte, ist zu Ende"),
    ("explanationSentence", {}, "der Stapel ist leer"),
    ("suggestionSentence", {"candidates": [{"widget": BUS, "gates": [{"name": "widget suggestions"}]}]},
     "Bus wird nicht vorgeschlagen: Widget-Vorschläge sind aus"),
    ("basisSentence", {"basis": {"frequent": {"doneDayCount": 4, "dayCount": 10}}}, "getan an 4 der letzten 10 Tage"),
    ("basisSentence", {"basis": {"upcoming": {"position": 2, "playedCount": 3, "playCount": 9}}},
     "Nummer 2 in der Liste kommender Medien der App, 3 der letzten 9 Wiedergaben der App waren aus demselben "
     "Container"),
    ("basisSentence", {"basis": {"reservationStartMs": AT}}, "es beginnt um 12:00:00"),
    ("basisSentence", {"basis": {"messages": {"sentCount": 3, "messageCount": 9, "receivedCount": 2, "focus": "work"}}},
     "3 der letzten 9 Nachrichten im Fokus work gingen an diese Person, und 2 kamen von ihr"),
    ("basisSentence", {"basis": {"messages": {"messageCount": 9, "receivedCount": 2}}},
     "unbeantwortete Nachrichten dieser Person: 2"),
    ("basisSentence", {"basis": {"donatedMs": AT}},
     "eine kürzliche Spende von 12:00:00, die der Entwicklermodus zeigt"),
    ("basisSentence", {"basis": {"relevance": {"placeAway": {}}}},
     "es hat einen Ort, aber der Ort des Nutzers ist unbekannt"),
    ("basisSentence", {}, "the server's sentence"),
    ("watchFaceSentence", {"windowSinceMs": AT, "untilMs": AT}, "sein Fenster ist offen seit 12:00:00 bis 12:00:00"),
    ("watchFaceSentence", {"placeAway": {"distance": 1234}}, "der Nutzer ist 1,2 km von der Mitte seines Ortes"),
    ("watchFaceSentence", {"placeAway": {}}, "es hat einen Ort, aber der Ort des Nutzers ist unbekannt"),
    ("watchFaceSentence", {"situation": {"situation": "ROUTINE_SITUATION_HOME", "sinceMs": AT}},
     "die Situation zu Hause gilt seit 12:00:00, wenn keine andere gemeldet wird"),
]
MAKE = """async ([make, message, at]) => {
    const [sentences, { Clock }, { Titles }] = await Promise.all(
        ["sentence", "format", "parts"].map((name) => import(`/console/${name}.js`)));
    message.summary = "the server's sentence";
    return sentences[make](message, new Clock("Europe/Berlin", at), new Titles()).textContent;
}"""


# The language, the instants and the other text of each sentence.
READ = """selector => {
    document.querySelectorAll('details').forEach((details) => (details.open = true));
    return [...document.querySelectorAll(selector)].map((element) => {
        const copy = element.cloneNode(true);
        const times = [...copy.querySelectorAll('time')].map((time) => (time.remove(), time.dateTime));
        return [element.lang, times.sort(), copy.textContent];
    });
}"""


def numbers(plain):
    # A probability in German is the least of its range.
    plain = re.sub(r"(probability of \d+) to \d+", r"\1", plain)
    return sorted(float(one.replace(",", ".")) for one in re.findall(r"\d+(?:[.,]\d+)?", plain))


def sentences(browser, page, language, path, choices):
    browser.open(page, path, **choices, lang=language)
    return page.evaluate(READ, f"main :is({SENTENCES})")


def check_sentences(browser, checks):
    with browser.tab() as english, browser.tab() as german:
        for path, choices in PAGES:
            wanted = sentences(browser, english, "en", path, choices)
            found = sentences(browser, german, "de", path, choices)
            checks.equal(len(found), len(wanted), f"sentences of {german.url}")
            checks.expect(len(found) > 0, f"no sentences on {german.url}")
            for (language, times, plain), (_, wanted_times, wanted_plain) in zip(found, wanted):
                checks.equal([language, times, numbers(plain)], ["", wanted_times, numbers(wanted_plain)],
                             f"'{plain}' and '{wanted_plain}'")
                checks.expect(plain != wanted_plain, f"'{plain}' in German")
        browser.open(german, "/why", **HOME, lang="de")
        for make, message, wanted in EXAMPLES:
            checks.equal(german.evaluate(MAKE, [make, message, int(AT)]), wanted, f"{make} of {message}")
