"""Widgets, timelines, and the conversion of times."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Literal

from .v1 import provider_pb2, widget_pb2

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND = timedelta(milliseconds=1)
# The approximate size of the messages in which a long timeline is sent.
_PART_SIZE = 64 << 10


def milliseconds(value: datetime, name: str) -> int:
    """Returns the milliseconds since 1970 of a time, rounded down. Refuses a naive one, which is ambiguous."""
    if not isinstance(value, datetime):
        raise TypeError(f"{name}: {type(value).__name__}, expected datetime")
    if value.utcoffset() is None:
        raise ValueError(f"{name}: naive datetime, expected one with a time zone")
    return (value - _EPOCH) // _MILLISECOND


def time_of(value: int) -> datetime:
    """Returns the time of milliseconds since 1970, in UTC."""
    return _EPOCH + value * _MILLISECOND


class Family(enum.IntEnum):
    """The size and shape of a widget."""

    SYSTEM_SMALL = 1
    SYSTEM_MEDIUM = 2
    SYSTEM_LARGE = 3
    SYSTEM_EXTRA_LARGE = 4
    ACCESSORY_CIRCULAR = 5
    ACCESSORY_RECTANGULAR = 6
    ACCESSORY_INLINE = 7
    ACCESSORY_CORNER = 8
    SYSTEM_EXTRA_LARGE_PORTRAIT = 9

    @property
    def message(self) -> widget_pb2.WidgetFamily.ValueType:
        return widget_pb2.WidgetFamily.ValueType(self.value)


def family_of(value: int) -> Family | None:
    """Returns the family of a message; `None` if it is unspecified, or unknown to this version."""
    try:
        return Family(value)
    except ValueError:
        return None


class ReloadReason(enum.IntEnum):
    """The reason of a reload request."""

    UNSPECIFIED = 0
    AT_END = 1
    AFTER = 2
    APP = 3
    USER = 4
    PLACED = 5
    RESIZED = 6

    @classmethod
    def _missing_(cls, value: object) -> ReloadReason:
        return cls.UNSPECIFIED


@dataclass(frozen=True, slots=True)
class Widget:
    """A widget: a kind of an app, with its configuration if the kind has one."""

    app: str
    kind: str
    configuration: widget_pb2.Intent | None = None

    def __hash__(self) -> int:
        configuration = self.configuration and self.configuration.SerializeToString(deterministic=True)
        return hash((self.app, self.kind, configuration))

    @property
    def message(self) -> widget_pb2.Widget:
        kind = widget_pb2.WidgetKind(app=self.app, name=self.kind)
        return widget_pb2.Widget(kind=kind, configuration=self.configuration)

    @classmethod
    def of(cls, message: widget_pb2.Widget) -> Widget:
        configuration = message.configuration if message.HasField("configuration") else None
        return cls(message.kind.app, message.kind.name, configuration)


@dataclass(frozen=True, slots=True)
class Content:
    """The content of an entry, which displays receive unchanged."""

    data: bytes
    media_type: str = "application/octet-stream"

    @classmethod
    def plain(cls, text: str) -> Content:
        """Returns plain text, in UTF-8."""
        return cls(text.encode(), "text/plain")

    @property
    def text(self) -> str:
        """The content as UTF-8 text. Raises `UnicodeDecodeError` if it is none."""
        return self.data.decode()

    @property
    def message(self) -> widget_pb2.EntryContent:
        return widget_pb2.EntryContent(media_type=self.media_type, data=self.data)

    @classmethod
    def of(cls, message: widget_pb2.EntryContent) -> Content:
        return cls(message.data, message.media_type)


@dataclass(frozen=True, slots=True)
class Relevance:
    """The relevance of an entry, compared with the other entries of the app.

    Attributes:
        score: The score; 0 or less for an entry without relevance.
        duration: How long it is relevant; `None` until an entry provides relevance again.
    """

    score: float
    duration: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a timeline.

    Attributes:
        date: When it becomes current: a `datetime` with a time zone.
        content: The content to show.
        relevance: The relevance; `None` if the previous entry's stays in force.
        expiry: When the content is outdated; `None` if it never is.
        is_private: Whether displays with a locked or shared screen do not receive the content and the link.
        redacted: The content that these displays receive in its place.
        link: The URL at which the app opens on a tap.
    """

    date: datetime
    content: Content
    relevance: Relevance | None = None
    expiry: datetime | None = None
    is_private: bool = False
    redacted: Content | None = None
    link: str = ""

    def to_message(self, name: str) -> widget_pb2.TimelineEntry:
        message = widget_pb2.TimelineEntry(
            date_ms=milliseconds(self.date, f"{name}.date"), content=self.content.message
        )
        if self.relevance is not None:
            message.relevance.score = self.relevance.score
            if (duration := self.relevance.duration) is not None:
                if duration < _MILLISECOND:
                    raise ValueError(f"{name}.relevance.duration: less than a millisecond")
                message.relevance.duration_ms = duration // _MILLISECOND
        if self.expiry is not None:
            message.details.expiry_ms = milliseconds(self.expiry, f"{name}.expiry")
        if self.is_private:
            message.details.is_private = True
        if self.redacted is not None:
            message.details.redacted.CopyFrom(self.redacted.message)
        if self.link:
            message.details.link = self.link
        return message

    @classmethod
    def of(cls, message: widget_pb2.TimelineEntry) -> Entry:
        relevance, details = message.relevance, message.details
        duration = relevance.duration_ms * _MILLISECOND if relevance.duration_ms else None
        return cls(
            date=time_of(message.date_ms),
            content=Content.of(message.content),
            relevance=Relevance(relevance.score, duration) if message.HasField("relevance") else None,
            expiry=time_of(details.expiry_ms) if details.HasField("expiry_ms") else None,
            is_private=details.is_private,
            redacted=Content.of(details.redacted) if details.HasField("redacted") else None,
            link=details.link,
        )


@dataclass(frozen=True, slots=True)
class Timeline:
    """A timeline, which replaces the widget's previous one as a whole.

    Attributes:
        entries: The entries, in any order.
        reload: When the server requests the next timeline: at the last entry's date, never, or after a time.
        fallback: The content that replaces an expired entry's.
        group: The name of the group that the widget is in while it has the timeline.
    """

    entries: Sequence[Entry]
    reload: datetime | Literal["at_end", "never"] = "at_end"
    fallback: Content | None = None
    group: str = ""

    def parts(self, widget: Widget, family: Family | None) -> Iterator[provider_pb2.TimelinePart]:
        """Returns the messages of the timeline, without its number. The last one commits it."""
        part = provider_pb2.TimelinePart(
            widget=widget.message, policy=self._policy(), group=self.group,
            fallback=self.fallback.message if self.fallback else None,
        )
        if family is not None:
            part.family = family.message
        size = part.ByteSize()
        for index, entry in enumerate(self.entries):
            message = entry.to_message(f"entries[{index}]")
            if size > _PART_SIZE:
                yield part
                part, size = provider_pb2.TimelinePart(), 0
            part.entries.append(message)
            size += message.ByteSize()
        part.commit = True
        yield part

    def _policy(self) -> widget_pb2.TimelineReloadPolicy:
        if self.reload == "at_end":
            return widget_pb2.TimelineReloadPolicy(at_end=True)
        if self.reload == "never":
            return widget_pb2.TimelineReloadPolicy(never=True)
        if isinstance(self.reload, str):
            raise ValueError(f"reload: {self.reload!r}, expected 'at_end', 'never' or a datetime")
        return widget_pb2.TimelineReloadPolicy(after_ms=milliseconds(self.reload, "reload"))


@dataclass(frozen=True, slots=True)
class ReloadRequest:
    """A request of the server for a widget's next timeline.

    Attributes:
        widget: The widget.
        family: The family that the timeline is needed for.
        reason: Why it is needed.
        requested: When it was requested.
        size: The width and height in points at which the display shows the widget; `None` if it has not said so.
    """

    widget: Widget
    family: Family | None
    reason: ReloadReason
    requested: datetime
    size: tuple[float, float] | None = None

    @classmethod
    def of(cls, message: provider_pb2.ReloadRequest) -> ReloadRequest:
        size = (message.size.width, message.size.height) if message.HasField("size") else None
        reason = ReloadReason(message.reason)
        return cls(Widget.of(message.widget), family_of(message.family), reason, time_of(message.requested_ms), size)


@dataclass(frozen=True, slots=True)
class TimelineWarning:
    """A warning about a timeline that the server accepted.

    Attributes:
        code: A stable code, such as `entries-unsorted`.
        message: The condition, in the server's words.
        index: The index of the entry; `None` if it is not about one.
    """

    code: str
    message: str
    index: int | None

    @classmethod
    def of(cls, message: widget_pb2.Warning) -> TimelineWarning:
        return cls(message.code, message.message, message.index if message.index >= 0 else None)


@dataclass(slots=True)
class Stack:
    """A stack, as a display shows it."""

    id: str
    family: Family | None
    members: list[Widget] = field(default_factory=list)
    front_index: int = -1
    has_suggestion: bool = False

    @property
    def front(self) -> Widget | None:
        """The widget in front; `None` if the stack is empty."""
        return self.members[self.front_index] if 0 <= self.front_index < len(self.members) else None

    @classmethod
    def of(cls, message: widget_pb2.Stack) -> Stack:
        members = [Widget.of(member) for member in message.members]
        return cls(message.id, family_of(message.family), members, message.front, message.has_suggestion)
