import ArgumentParser
import Foundation
import MarqueeCards
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee entry`
struct EntryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "entry", abstract: "Print a widget's current timeline entry with its content.",
    discussion: """
      Content of a text type and JSON are printed with control characters escaped, except line feeds and tabs, and \
      a card as the text that it shows; of other content, only the size and the media type are. Once an entry has \
      expired, its fallback is printed, if there is one.
      """)

  @Argument(help: "DEVICE:APP/KIND(PARAMETER=VALUE, …), or an unambiguous short form.", completion: .widgetNames)
  var widget: String

  @Option(help: "The widget's family; defaults to one in which it is visible, or else to the one published last.")
  var family: WidgetFamily?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let (device, widget) = try await session.widget(self.widget)
      let answer = try await session.operators.currentEntry(of: widget, in: family, on: device.device)
      let clock = try DeviceClock(answer.timeZone.text)
      session.write(
        json: answer.json(device.device, widget, clock),
        lines: answer.lines("\(device.device):\(widget.exactText)", clock, session.terminal))
      guard !session.isJSON, let content = answer.shown?.entry.content else { return }
      if let lines = content.cardLines(width: session.terminal.width) { return session.terminal.write([""] + lines) }
      guard let text = content.text, !text.isEmpty else { return }
      session.terminal.write([""])
      session.terminal.write(exactly: text.visibleKeepingLinesAndTabs)
    }
  }
}

extension GetTimelineResponse {
  /// The current entry.
  fileprivate var current: TimelineEntry? { timeline?.entry(at: at) }

  /// When the current entry expires or has expired; `nil` if it has no expiry or is replaced by then.
  private var expiry: Instant? {
    guard let timeline, current != nil else { return nil }
    return timeline.expiry(ofEntryAt: timeline.reachedCount(at: at) - 1)
  }

  /// Whether the current entry has expired.
  private var isExpired: Bool { expiry.map { $0 <= at } ?? false }

  /// The entry that the widget shows.
  var shown: ShownEntry? {
    guard let timeline, current != nil else { return nil }
    return timeline.shownEntry(at: timeline.reachedCount(at: at) - 1, isExpired: isExpired)
  }

  /// The date of the next entry.
  fileprivate var next: Instant? { timeline?.entries.first { $0.date > at }?.date }

  /// Returns the entry as text, without the content.
  fileprivate func lines(_ widget: String, _ clock: DeviceClock, _ terminal: Terminal) -> [String] {
    let name = terminal.styled("\(widget) in \(family)", .bold)
    let next = next.map { clock.shortly($0, now: at) }
    let entry =
      if let current {
        "Current since \(clock.shortly(current.date, now: at)), until \(next ?? "replaced")" + expiryText(clock) + "."
      } else {
        next.map { "No current entry; the next one comes at \($0)." } ?? "No current entry."
      }
    return [
      "\(name)  \(clock.day(at)) \(clock.timeOfDay(at)), \(clock.zone.identifier)", entry,
      relevance.map { $0.line(clock, now: at) } ?? "No relevance.",
    ] + (current?.contentLines ?? []) + (timeline?.fallback.map { ["Fallback: \($0.summary)"] } ?? [])
      + groupLines
  }

  /// Returns when the current entry expires or expired, and what the widget shows then.
  private func expiryText(_ clock: DeviceClock) -> String {
    guard let expiry else { return "" }
    let instant = clock.shortly(expiry, now: at)
    guard isExpired else { return "; expires at \(instant)" }
    return "; expired at \(instant), " + (timeline?.fallback == nil ? "and is stale" : "and the fallback is shown")
  }

  /// Returns the entry as JSON, with the content as text or in Base64.
  fileprivate func json(_ device: DeviceID, _ widget: Widget, _ clock: DeviceClock) -> JSONValue {
    .object(
      .time("at", at, clock) + [
        .init("device", .string(device.text)), .init("time_zone", .string(timeZone.text)),
        .init("widget", .string(widget.exactText)),
      ] + familyFields + [
        .init("relevance", relevance.map { $0.json(clock) } ?? .null),
        .init("entry", current.map { .object($0.fields(until: next, clock)) } ?? .null),
        .init("expired", .boolean(isExpired)),
        .init("fallback", timeline?.fallback.map { .object($0.fields) } ?? .null),
        .init("group", timeline?.group.map { .string($0.text) } ?? .null),
      ])
  }
}

extension RelevanceStatus {
  fileprivate func line(_ clock: DeviceClock, now: Instant) -> String {
    let start = clock.shortly(inForce.start, now: now)
    guard let end = inForce.end else {
      return "Relevance: score \(TimelineGraph.label(inForce.score)) since \(start), until replaced."
    }
    return "Relevance: score \(TimelineGraph.label(inForce.score)) from \(start) to \(clock.shortly(end, now: now))."
  }
}

extension TimelineEntry {
  fileprivate func fields(until next: Instant?, _ clock: DeviceClock) -> [JSONValue.Field] {
    .time("date", date, clock) + .time("until", next, clock) + .time("expiry", expiry, clock) + content.fields + [
      .init("private", .boolean(details.isPrivate)),
      .init("redacted", details.redacted.map { .object($0.fields) } ?? .null),
      .init("link", details.link.map { .string($0.text) } ?? .null),
    ]
  }

  /// The contents and the link as text, without the contents' bytes.
  fileprivate var contentLines: [String] {
    var lines = ["Content: \(content.summary)"]
    if details.isPrivate {
      let shown = details.redacted.map { "show \($0.summary)" } ?? "do not show it"
      lines.append("Private: locked and shared screens \(shown).")
    }
    return lines + (details.link.map { ["Link: \($0.text)"] } ?? [])
  }
}

extension EntryContent {
  /// The content as JSON, as text or in Base64.
  fileprivate var fields: [JSONValue.Field] {
    let text = text
    return [
      .init("media_type", .string(mediaType)), .init("content_size", .integer(Int64(bytes.count))),
      .init("content", text.map { .string($0) } ?? .null),
      .init("content_base64", text == nil ? .string(Data(bytes).base64EncodedString()) : .null),
      .init("card_text", cardLines(width: Self.cardWidth).map { .string($0.joined(separator: "\n")) } ?? .null),
    ]
  }

  /// The content as text; `nil` if its media type is neither text nor JSON, or it is not UTF-8.
  fileprivate var text: String? {
    // Parameters, such as a charset, follow a semicolon.
    let type = mediaType.lowercased().prefix { $0 != ";" && $0 != " " }
    guard type.hasPrefix("text/") || type == "application/json" || Card.isMediaType(mediaType) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The size and the media type, such as `4096 bytes of image/png`.
  fileprivate var summary: String {
    let size = "\(bytes.count) byte\(bytes.count == 1 ? "" : "s")"
    return mediaType.isEmpty ? "\(size) without a media type" : "\(size) of \(mediaType)"
  }
}

extension String {
  /// The text with the characters escaped that could affect a terminal, except line feeds and tabs.
  fileprivate var visibleKeepingLinesAndTabs: String {
    split(separator: "\t", omittingEmptySubsequences: false).map { String($0).visible(keepsLines: true) }
      .joined(separator: "\t")
  }
}
