"""Operators: programs that inspect the engine and its decisions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ._connection import Connection
from ._model import Stack, Widget, milliseconds, time_of
from .v1 import admin_pb2, admin_pb2_grpc

ObstacleKind = Literal[
    "elsewhere_on_home_screen",
    "suggested_on",
    "covered_by",
    "no_evidence",
    "gate",
    "outranked_by",
    "represented_by",
    "pinned_by",
]


@dataclass(frozen=True, slots=True)
class Obstacle:
    """An obstacle that keeps a widget from the front of a stack.

    Attributes:
        kind: The name of its case in the message; `None` for one that is unknown to this version.
        summary: A sentence about it. Times in it are in UTC, and end with `Z`.
        clears: When it disappears if nothing else happens; `None` if time alone does not resolve it, or the time is
            unknown.
        message: The obstacle with all its values.
    """

    kind: ObstacleKind | None
    summary: str
    clears: datetime | None
    message: admin_pb2.Obstacle


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The obstacles that keep a widget from the front of a stack, in the order in which they must be resolved.

    Attributes:
        at: The instant of the explanation.
        time_zone: The device's time zone, an IANA identifier.
        summary: A sentence about all of them. Times in it are in UTC, and end with `Z`.
        obstacles: The obstacles; empty if the widget is in front.
    """

    at: datetime
    time_zone: str
    summary: str
    obstacles: list[Obstacle]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The reason for the front of a stack.

    Attributes:
        at: The instant of the explanation.
        time_zone: The device's time zone, an IANA identifier.
        front: The widget in front; `None` for an empty stack.
        summary: A sentence about it. Times in it are in UTC, and end with `Z`.
        message: The response with all candidates, their evidence and gates.
    """

    at: datetime
    time_zone: str
    front: Widget | None
    summary: str
    message: admin_pb2.ExplainResponse


class Operator(Connection):
    """An operator of a server."""

    @property
    def stub(self) -> admin_pb2_grpc.AdminAsyncStub:
        """The generated stub, for all other methods. Its errors are those of gRPC; see `translated_errors`."""
        return admin_pb2_grpc.AdminStub(self.channel)

    async def devices(self, *, timeout: float | None = None) -> AsyncIterator[str]:
        """Yields the identifiers of all devices, in order. The timeout is that of each call."""
        after, has_more = "", True
        while has_more:
            request = admin_pb2.ListDevicesRequest(after=after)
            response = await self._call(self.stub.ListDevices, request, timeout)
            for device in response.devices:
                after = device.device
                yield after
            has_more = response.has_more

    async def stacks(self, device: str, *, timeout: float | None = None) -> list[Stack]:
        """Returns the stacks of a device."""
        request = admin_pb2.ListStacksRequest(device=device)
        return [Stack.of(stack) for stack in (await self._call(self.stub.ListStacks, request, timeout)).stacks]

    async def explain(
        self, device: str, stack: str, *, at: datetime | None = None, timeout: float | None = None
    ) -> Explanation:
        """Returns the reason for a stack's front, now or at a time in the past or future."""
        request = admin_pb2.ExplainRequest(device=device, stack=stack, **_instant(at))
        response = await self._call(self.stub.Explain, request, timeout)
        explanation = response.explanation
        front = Widget.of(explanation.front) if explanation.HasField("front") else None
        return Explanation(
            time_of(explanation.at_ms), response.time_zone, front, explanation.summary, response)

    async def why_not(
        self, device: str, stack: str, widget: Widget, *, at: datetime | None = None, timeout: float | None = None
    ) -> WhyNot:
        """Returns the obstacles that keep a widget from the front of a stack, now or at another time."""
        request = admin_pb2.WhyNotRequest(device=device, stack=stack, widget=widget.message, **_instant(at))
        response = await self._call(self.stub.WhyNot, request, timeout)
        obstacles = [
            Obstacle(
                obstacle.WhichOneof("obstacle"),
                obstacle.summary,
                time_of(obstacle.clears_ms) if obstacle.HasField("clears_ms") else None,
                obstacle,
            )
            for obstacle in response.obstacles
        ]
        return WhyNot(time_of(response.at_ms), response.time_zone, response.summary, obstacles)


def _instant(at: datetime | None) -> dict[str, Any]:
    return {} if at is None else {"at_ms": milliseconds(at, "at")}
