"""An operator: asks why a stack shows its front and not another widget.

Usage: why_not.py TARGET DEVICE STACK APP KIND
"""
import asyncio
import sys
from zoneinfo import ZoneInfo

from marquee_client import MarqueeError, Operator, Widget

target, device, stack, app, kind = sys.argv[1:]


async def main() -> None:
    async with Operator(target) as operator:
        explanation = await operator.explain(device, stack)
        print("in front:", explanation.front.kind if explanation.front else "nothing")
        answer = await operator.why_not(device, stack, Widget(app, kind))
        print(answer.summary)
        zone = ZoneInfo(answer.time_zone)
        for obstacle in answer.obstacles:
            until = f" (until {obstacle.clears.astimezone(zone):%H:%M})" if obstacle.clears else ""
            print(f"- {obstacle.kind}: {obstacle.summary}{until}")


try:
    asyncio.run(main())
except MarqueeError as error:
    sys.exit(f"{error.code.name}: {error.message}")
