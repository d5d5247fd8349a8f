"""A display: prints what a stack shows, with the device's local time, and reports a tap on the first content.

Usage: display.py TARGET DEVICE STACK
"""
import asyncio
import sys
from zoneinfo import ZoneInfo

from marquee_client import Display

target, device, stack = sys.argv[1:]


async def main() -> None:
    async with Display(target, device=device) as display:
        await display.stack_shown(stack)
        tapped = False
        async for update in display.watch(stack):
            view = update.view
            front, content = view.front(stack), view.content(stack)
            if front is None or content is None:
                continue
            at = update.at.astimezone(ZoneInfo(view.time_zone))
            mark = " (outdated)" if view.is_outdated(stack) else ""
            print(f"{at:%H:%M:%S} {front.kind}: {content.text}{mark}", flush=True)
            if not tapped:
                await display.tapped(stack, front)
                tapped = True


asyncio.run(main())
