"""The pages of the console, each with content or as the page of a problem."""
from numbers_of_pages import EVENT, HOME, KITCHEN

# Every page with content, and every page of a problem or without content.
SHOWN = [
    ("overview", "/", KITCHEN), ("stack", "/stack", HOME), ("why", "/why", HOME),
    ("day", "/day", HOME), ("day-zoomed", "/day", {**HOME, "from": "08:00", "to": "14:30"}),
    ("day-ahead", "/day", {**HOME, "date": "2026-03-05"}), ("day-far", "/day", {**HOME, "date": "2026-10-25"}),
    ("habits", "/habits", {"device": "habits"}),
    ("no-habits", "/habits", {"device": "empty"}), ("no-day", "/day", {"device": "empty"}),
    ("why-not", "/why", {**HOME, "widget": EVENT}), ("decisions", "/decisions", KITCHEN),
    ("decision", "/decisions", {**KITCHEN, "decision": "2"}), ("widgets", "/widgets", KITCHEN),
    ("timeline", "/widgets", {**KITCHEN, "widget": EVENT}), ("server", "/server", {}),
    ("policy", "/server", KITCHEN), ("try", "/try", {}), ("gallery", "/gallery", {}), ("choose", "/stack", {}),
    ("empty", "/", {"device": "empty"}),
    ("no-stack", "/why", {"device": "empty"}), ("no-decisions", "/decisions", {"device": "hostile"}),
]
