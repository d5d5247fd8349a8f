"""Shows the errors of invalid values. Usage: errors.py TARGET"""
import asyncio
import sys
from datetime import datetime

from marquee_client import Content, Display, Entry, InvalidArgument, Provider, Timeline, Widget


async def main() -> None:
    async with Display(sys.argv[1], device="kitchen") as display:
        try:
            await display.add_widget("home", Widget(app="", kind="Forecast"))
        except InvalidArgument as error:
            print("refused:", error.field)
    async with Provider(sys.argv[1], device="kitchen", app="com.example.weather") as provider:
        try:
            await provider.publish("Forecast", Timeline([Entry(datetime.now(), Content.plain("Rain"))]))
        except ValueError as error:
            print(error)


asyncio.run(main())
