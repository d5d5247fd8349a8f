"""A provider of one widget: publishes a timeline whenever the server requests one. Usage: forecast.py TARGET"""
import asyncio
import sys
from datetime import datetime, timedelta, timezone

from marquee_client import Content, Entry, Family, Provider, Relevance, ReloadRequest, Timeline

provider = Provider(sys.argv[1], device="kitchen", app="com.example.weather")


@provider.kind("Forecast", families=[Family.SYSTEM_SMALL])
async def forecast(request: ReloadRequest) -> Timeline:
    now = datetime.now(timezone.utc)
    rain = Entry(now, Content.plain("Rain until noon"), Relevance(50, timedelta(hours=1)))
    return Timeline([rain], reload=now + timedelta(hours=1))


asyncio.run(provider.run())
