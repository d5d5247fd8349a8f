"""Shows the items of a JSON Feed (jsonfeed.org) as a widget: each from its date on, and relevant for an hour.

Usage: json_feed.py TARGET DEVICE URL-OR-FILE [TOKEN-FILE ROOTS-FILE]
"""
import asyncio
import json
import logging
import pathlib
import sys
import urllib.request
from datetime import datetime, timedelta, timezone

from marquee_client import TLS, Content, Entry, Family, Provider, Relevance, ReloadRequest, Timeline

target, device, source, *access = sys.argv[1:]
provider = Provider(
    target, device=device, app="com.example.feed",
    token=pathlib.Path(access[0]).read_text if access else None,
    tls=TLS(roots=access[1], server_name="localhost") if access else None)


def read_feed() -> list[Entry]:
    """Returns an entry for each of the latest items."""
    if source.startswith(("http:", "https:")):
        with urllib.request.urlopen(source, timeout=20) as response:
            feed = json.load(response)
    else:
        feed = json.loads(pathlib.Path(source).read_text())
    entries = []
    for item in feed["items"]:
        date = datetime.fromisoformat(item["date_published"])
        text = item.get("title") or item.get("content_text", "")
        relevance = Relevance(score=item.get("_score", 10), duration=timedelta(hours=1))
        entries.append(Entry(date, Content.plain(text), relevance, link=item.get("url", "")))
    return sorted(entries, key=lambda entry: entry.date)[-50:]


@provider.kind("Items", display_name="News", families=[Family.SYSTEM_SMALL, Family.SYSTEM_MEDIUM])
async def items(request: ReloadRequest) -> Timeline:
    while True:
        try:
            entries = await asyncio.to_thread(read_feed)
            break
        except (OSError, ValueError, KeyError) as error:
            logging.warning("the feed cannot be read: %r; trying again in a minute", error)
            await asyncio.sleep(60)
    print("publishing", len(entries), "items:", request.reason.name, flush=True)
    return Timeline(entries, reload=datetime.now(timezone.utc) + timedelta(minutes=15))


asyncio.run(provider.run())
