"""Expands iCalendar files with the Python library recurring-ical-events, as JSON on standard output.

    expand_with_oracle.py FROM TO FILE...   prints {name: [[start, end, summary], ...]} for the span in UTC;
                                          an error's type instead of the list where the library rejects the file
    expand_with_oracle.py --write           writes calendars/expected.json, for 2019-01-01 to 2024-01-01

The library adds a DURATION to the local time. RFC 5545 (3.3.6, 3.8.2.5) does so only with its days and weeks: the rest
elapses, so it is added again here to the UTC time.
"""

import datetime
import json
import pathlib
import sys
import warnings

import icalendar
import recurring_ical_events
from icalendar.timezone import tzp

HERE = pathlib.Path(__file__).parent / "calendars"
SPAN = ("2019-01-01T00:00:00+00:00", "2024-01-01T00:00:00+00:00")


def end_by_duration(start, duration):
    if start.tzinfo is None:
        return start + duration
    rest = datetime.timedelta(seconds=duration.seconds)
    end = start + (duration - rest)
    return (end.astimezone(datetime.timezone.utc) + rest).astimezone(start.tzinfo)


def expand(path, start, end):
    tzp.use_default()  # Time zones of one file must not affect the next.
    found = []
    for calendar in icalendar.Calendar.from_ical(path.read_bytes(), multiple=True):
        durations = {(str(event.get("UID")), event["DURATION"].dt)
                     for event in calendar.walk("VEVENT") if "DURATION" in event}
        for event in recurring_ical_events.of(calendar).between(start, end):
            first, last = event["DTSTART"].dt, event["DTEND"].dt
            if isinstance(first, datetime.datetime) and (str(event.get("UID")), last - first) in durations:
                last = end_by_duration(first, last - first)
            found.append([first.isoformat(), last.isoformat(), str(event.get("SUMMARY", ""))])
    return sorted(found)


def expand_all(paths, start, end):
    start, end = (datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) for text in (start, end))
    results = {}
    for path in paths:
        try:
            results[path.name] = expand(path, start, end)
        except Exception as error:  # Any exception means that the library rejects the file.
            results[path.name] = type(error).__name__
    return results


warnings.simplefilter("ignore")
if sys.argv[1:] == ["--write"]:
    expected = expand_all(sorted(HERE.glob("*.ics")), *SPAN)
    text = json.dumps(expected, indent=1, ensure_ascii=False)
    (HERE / "expected.json").write_text(text + "\n", encoding="utf-8")
else:
    json.dump(expand_all([pathlib.Path(name) for name in sys.argv[3:]], *sys.argv[1:3]), sys.stdout)
