"""A display: prints what a stack shows, and reports a tap on the first content.

Usage: display.py TARGET DEVICE STACK
"""
import asyncio
import sys

from marquee_client import Display

target, device, stack = sys.argv[1:]


async def main() -> None:
    async with Display(target, device=device) as display:
        await display.stack_shown(stack)
        tapped = False
        async for update in display.watch(stack):
            front, content = update.view.front(stack), update.view.content(stack)
            if front is None or content is None:
                continue
            print(f"{update.at:%H:%M:%S} {front.kind}: {content.text}", flush=True)
            if not tapped:
                await display.tapped(stack, front)
                tapped = True


asyncio.run(main())
