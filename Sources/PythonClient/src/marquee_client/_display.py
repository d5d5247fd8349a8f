"""Displays: programs that show the stacks of a device, and report the user's interactions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from ._connection import TLS, Connection, Reconnection, Token, ended, first_message, heartbeat_milliseconds
from ._errors import MarqueeError, translated_errors
from ._model import Content, Entry, Family, Stack, Widget, family_of, time_of
from .v1 import display_pb2, display_pb2_grpc, widget_pb2

Screen = Literal["unlocked", "locked", "shared"]
_SCREENS = {
    "unlocked": widget_pb2.SCREEN_STATE_UNLOCKED,
    "locked": widget_pb2.SCREEN_STATE_LOCKED,
    "shared": widget_pb2.SCREEN_STATE_SHARED,
}


@dataclass(slots=True)
class DeviceView:
    """The state of a device, as its displays show it. Each update changes it in place.

    Attributes:
        stacks: The stacks, by identifier.
        time_zone: The device's time zone, an IANA identifier, for `zoneinfo.ZoneInfo`. Times are in UTC.
        entries: The current entries, by widget and family; `None` for a widget without content.
        outdated: The keys of those entries that have expired without a fallback: displays mark their content as
            outdated (rule W4).
        home_widgets: The widgets on the Home Screen outside stacks, with their families.
        labels: The texts that name the widgets for the user.
    """

    device: str = ""
    time_zone: str = ""
    stacks: dict[str, Stack] = field(default_factory=dict)
    entries: dict[tuple[Widget, Family | None], Entry | None] = field(default_factory=dict)
    outdated: set[tuple[Widget, Family | None]] = field(default_factory=set)
    home_widgets: list[tuple[Widget, Family | None]] = field(default_factory=list)
    labels: dict[Widget, widget_pb2.WidgetLabel] = field(default_factory=dict)

    def front(self, stack: str) -> Widget | None:
        """Returns the widget in front of a stack; `None` if the stack is empty or does not exist."""
        found = self.stacks.get(stack)
        return found.front if found else None

    def content(self, stack: str) -> Content | None:
        """Returns the content that a stack shows; `None` if there is none."""
        key = self._key(stack)
        entry = self.entries.get(key) if key else None
        return entry.content if entry else None

    def is_outdated(self, stack: str) -> bool:
        """Returns whether the content that a stack shows is to be marked as outdated."""
        return self._key(stack) in self.outdated

    def _key(self, stack: str) -> tuple[Widget, Family | None] | None:
        """Returns the key of the entry that a stack shows."""
        found = self.stacks.get(stack)
        return (found.front, found.family) if found and found.front else None

    def apply(self, update: display_pb2.DisplayUpdate) -> None:
        """Applies an update of the server."""
        match update.WhichOneof("update"):
            case "state":
                self._replace(update.state)
            case "front":
                self.stacks[update.front.stack].front_index = update.front.front
            case "stack":
                self.stacks[update.stack.id] = Stack.of(update.stack)
                self._prune()
            case "removed":
                del self.stacks[update.removed]
                self._prune()
            case "entry":
                self._set(update.entry)
            case "home_widget_added":
                self.home_widgets.append(self._home(update.home_widget_added))
            case "home_widget_removed":
                self.home_widgets.remove(self._home(update.home_widget_removed))
                self._prune()
            case "time_zone":
                self.time_zone = update.time_zone
            case "label":
                self.labels[Widget.of(update.label.widget)] = update.label

    @staticmethod
    def _home(message: widget_pb2.HomeWidget) -> tuple[Widget, Family | None]:
        return Widget.of(message.widget), family_of(message.family)

    def _replace(self, state: display_pb2.DeviceState) -> None:
        self.device, self.time_zone = state.device, state.time_zone
        self.stacks = {stack.id: Stack.of(stack) for stack in state.stacks}
        self.home_widgets = [self._home(home) for home in state.home_widgets]
        self.labels = {Widget.of(label.widget): label for label in state.labels}
        self.entries, self.outdated = {}, set()
        for entry in state.entries:
            self._set(entry)

    def _set(self, current: display_pb2.CurrentEntry) -> None:
        entry = Entry.of(current.entry) if current.HasField("entry") else None
        key = (Widget.of(current.widget), family_of(current.family))
        self.entries[key] = entry
        if current.stale:
            self.outdated.add(key)
        else:
            self.outdated.discard(key)

    def _prune(self) -> None:
        """Removes the entries and labels of widgets that are no longer visible; they are sent again with the widget."""
        visible = {(member, stack.family) for stack in self.stacks.values() for member in stack.members}
        visible.update(self.home_widgets)
        widgets = {widget for widget, _ in visible}
        self.entries = {key: entry for key, entry in self.entries.items() if key in visible}
        self.outdated &= visible
        self.labels = {widget: label for widget, label in self.labels.items() if widget in widgets}


@dataclass(frozen=True, slots=True)
class Update:
    """A change of a device.

    Attributes:
        at: When it happened.
        view: The state after the change; the next update changes it.
        message: The change itself. After each reconnection, it is the complete state.
    """

    at: datetime
    view: DeviceView
    message: display_pb2.DisplayUpdate


class Display(Connection):
    """A display of a device.

    Args:
        target: The server's address: `HOST:PORT` or `unix:PATH`. The remaining arguments are those of `Connection`.
        device: The device.
        heartbeat: The time in seconds without a message on a stream after which the server sends a heartbeat, so that
            no proxy ends the stream because it is silent; `None` for no heartbeats.
    """

    def __init__(
        self,
        target: str,
        *,
        device: str,
        token: Token | None = None,
        tls: TLS | bool | None = None,
        timeout: float = 10.0,
        on_disconnect: Callable[[MarqueeError], None] | None = None,
        heartbeat: float | None = 30.0,
    ) -> None:
        super().__init__(target, token=token, tls=tls, timeout=timeout, on_disconnect=on_disconnect)
        self.device = device
        self._heartbeat = heartbeat_milliseconds(heartbeat)

    @property
    def stub(self) -> display_pb2_grpc.DisplayAsyncStub:
        """The generated stub, for all other methods. Its errors are those of gRPC; see `translated_errors`."""
        return display_pb2_grpc.DisplayStub(self.channel)

    async def watch(self, *stacks: str, screen: Screen = "unlocked") -> AsyncIterator[Update]:
        """Yields the device's state, and then every change. Opens the stream again whenever it ends.

        The first attempt raises its error. Later, only a permanent error ends the iteration.

        Args:
            stacks: The stacks to watch; without any, all stacks and the widgets outside them.
            screen: The state of the screen, which decides whether private content is received.
        """
        request = display_pb2.WatchRequest(
            device=self.device, stacks=stacks, screen=_SCREENS[screen], heartbeat_ms=self._heartbeat)
        reconnection = Reconnection(self.channel, self._on_disconnect)
        view = DeviceView()
        while True:
            call = self.stub.Watch(request)
            try:
                updates = aiter(call)
                message = await first_message(updates, self._timeout)
                reconnection.opened()
                while True:
                    if message.WhichOneof("update") not in (None, "heartbeat"):
                        view.apply(message)
                        yield Update(time_of(message.at_ms), view, message)
                    with translated_errors():
                        message = await anext(updates)
            except StopAsyncIteration:
                error = ended()
            except MarqueeError as failure:
                error = failure
            finally:
                call.cancel()
            await reconnection.wait(error)

    async def register(self, time_zone: str, *, language: str = "", timeout: float | None = None) -> bool:
        """Creates the device, or changes its time zone and language. Returns whether it was created."""
        request = display_pb2.RegisterDeviceRequest(device=self.device, time_zone=time_zone, language=language)
        return (await self._call(self.stub.RegisterDevice, request, timeout)).created

    async def create_stack(self, stack: str, family: Family, *, timeout: float | None = None) -> Stack:
        """Creates a stack, and returns it."""
        return await self._edit(stack, timeout, create=display_pb2.CreateStack(family=family.message))

    async def add_widget(
        self, stack: str, widget: Widget, *, index: int | None = None, timeout: float | None = None
    ) -> Stack:
        """Adds a widget to a stack, at an index or as the last member. Returns the stack."""
        add = display_pb2.AddWidget(widget=widget.message)
        if index is not None:
            add.index = index
        return await self._edit(stack, timeout, add=add)

    async def remove_widget(self, stack: str, widget: Widget, *, timeout: float | None = None) -> Stack:
        """Removes a widget from a stack. Returns the stack."""
        return await self._edit(stack, timeout, remove=widget.message)

    async def _edit(self, stack: str, timeout: float | None, **edit: Any) -> Stack:
        request = display_pb2.EditStackRequest(device=self.device, stack=stack, **edit)
        return Stack.of((await self._call(self.stub.EditStack, request, timeout)).stack)

    async def stack_shown(self, stack: str, *, timeout: float | None = None) -> None:
        """Reports that a stack became visible."""
        await self._report(timeout, stack_shown=stack)

    async def stack_hidden(self, stack: str, *, timeout: float | None = None) -> None:
        """Reports that a stack became hidden."""
        await self._report(timeout, stack_hidden=stack)

    async def tapped(self, stack: str, widget: Widget, *, timeout: float | None = None) -> None:
        """Reports that the user tapped a widget."""
        await self._report(timeout, tapped=display_pb2.WidgetReport(stack=stack, widget=widget.message))

    async def scrolled(self, stack: str, widget: Widget, *, timeout: float | None = None) -> None:
        """Reports that the user scrolled a stack to a widget."""
        await self._report(timeout, scrolled=display_pb2.WidgetReport(stack=stack, widget=widget.message))

    async def reload(self, widget: Widget, *, timeout: float | None = None) -> None:
        """Reports that the user requested a widget's latest content."""
        await self._report(timeout, reload=widget.message)

    async def _report(self, timeout: float | None, **report: Any) -> None:
        await self._call(self.stub.Report, display_pb2.ReportRequest(device=self.device, **report), timeout)
