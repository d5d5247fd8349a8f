import Foundation
import MarqueeModel
import MarqueeScheduler
import MarqueeYAML

extension ScenarioReader {
  /// Reads a publication: `relevance` alone, or `entries` with content.
  func timeline(_ fields: inout YAMLFields, at: Instant) throws(YAMLError) -> Timeline {
    try submittedTimeline(&fields, at: at).timeline
  }

  /// Reads a publication, and keeps the order of its entries.
  func submittedTimeline(_ fields: inout YAMLFields, at: Instant) throws(YAMLError) -> SubmittedTimeline {
    let (relevance, long) = (fields.read("relevance"), fields.read("entries"))
    let entries: [TimelineEntry]
    switch (relevance, long) {
    case (let node?, nil):
      entries = try node.list("a list of [time, score, duration]") { (node) throws(YAMLError) in
        try entry(node, after: at)
      }
    case (nil, let node?): entries = try node.list("a list of entries", entry)
    default: throw fields.node.error("expected one of the keys relevance and entries")
    }
    return SubmittedTimeline(
      entries, policy: try fields.read("reload").map(reloadPolicy) ?? .never,
      family: try fields.read("family").map(family), fallback: try fields.read("fallback").map(content),
      group: try group(&fields))
  }

  private func group(_ fields: inout YAMLFields) throws(YAMLError) -> GroupName? {
    try fields.read("group")?.value("a group's name", GroupName.init)
  }

  private func reloadPolicy(_ node: YAMLNode) throws(YAMLError) -> TimelineReloadPolicy {
    switch try node.text("at-end, never or a time") {
    case "at-end": .atEnd
    case "never": .never
    default: .after(try date(node))
    }
  }

  /// Reads `[time]`, `[time, score]` or `[time, score, duration]`.
  private func entry(_ node: YAMLNode, after start: Instant) throws(YAMLError) -> TimelineEntry {
    let parts = try node.list("[time], [time, score] or [time, score, duration]")
    guard (1...3).contains(parts.count) else {
      throw node.error("expected [time], [time, score] or [time, score, duration], found \(parts.count) parts")
    }
    let date = try date(parts[0], after: start)
    guard parts.count > 1 else { return TimelineEntry(date: date) }
    return TimelineEntry(date: date, relevance: try relevance(parts[1], parts.count > 2 ? parts[2] : nil))
  }

  private func relevance(
    _ score: YAMLNode, _ duration: YAMLNode?
  ) throws(YAMLError) -> TimelineEntryRelevance {
    let (number, span) = (try score.number(), try duration.map(span) ?? .zero)
    return try score.checked { () throws(RequestError) in try TimelineEntryRelevance(score: number, duration: span) }
  }

  private func entry(_ node: YAMLNode) throws(YAMLError) -> TimelineEntry {
    var fields = try node.fields(
      "an entry: a mapping with the keys date, score, duration, type, content or base64, expires, private, redacted "
        + "and link")
    let date = try date(try fields.require("date"))
    let (score, duration) = (fields.read("score"), fields.read("duration"))
    if let duration, score == nil { throw duration.error("a duration requires a score") }
    let relevance = try score.map { (score) throws(YAMLError) in try self.relevance(score, duration) }
    let (content, details) = (try content(&fields), try details(&fields))
    try fields.rejectUnreadKeys()
    return try node.checked { () throws(RequestError) in
      try TimelineEntry(date: date, relevance: relevance, content: content, details: details)
    }
  }

  /// Reads the expiry, sensitivity and link of an entry.
  private func details(_ fields: inout YAMLFields) throws(YAMLError) -> EntryDetails {
    let isPrivate = try fields.read("private").map(isOn) ?? false
    let redacted = fields.read("redacted")
    if let redacted, !isPrivate { throw redacted.error("only a private entry has redacted content") }
    let expiry = try fields.read("expires").map { (node) throws(YAMLError) in try date(node) }
    return EntryDetails(
      expiry: expiry, sensitivity: isPrivate ? .isPrivate(try redacted.map(content)) : .none,
      link: try fields.read("link")?.value("an absolute URL", EntryLink.init))
  }

  /// Reads content: a mapping with the keys `type`, and `content` or `base64`.
  private func content(_ node: YAMLNode) throws(YAMLError) -> EntryContent {
    var fields = try node.fields("content: a mapping with the keys type, and content or base64")
    let content = try content(&fields)
    try fields.rejectUnreadKeys()
    return content
  }

  private func content(_ fields: inout YAMLFields) throws(YAMLError) -> EntryContent {
    let type = try fields.read("type")?.text("a media type") ?? ""
    let (text, base64) = (fields.read("content"), fields.read("base64"))
    var bytes: [UInt8] = []
    switch (text, base64) {
    case (nil, nil): break
    case (let text?, nil): bytes = Array(try text.text("a text").utf8)
    case (nil, let base64?):
      bytes = Array(try base64.parsed("bytes in base 64") { Data(base64Encoded: $0) })
    default: throw fields.node.error("expected one of the keys content and base64")
    }
    return try fields.node.checked { () throws(RequestError) in try EntryContent(mediaType: type, bytes: bytes) }
  }

  func shortcut(_ node: YAMLNode, of app: AppID) throws(YAMLError) -> RelevantShortcut {
    var fields = try node.fields(
      "a shortcut: a mapping with the keys widget, or kind and intent, activity, role, when and group")
    let (kind, intent) = try kindAndIntent(&fields, of: app)
    let activity = try fields.read("activity").map(userActivity)
    let role = try fields.read("role")?.parsed("action or information") { text in
      RelevantShortcut.Role.allCases.first { "\($0)" == text }
    }
    let providers = try fields.read("when")?.list("a list of windows and other providers", provider) ?? []
    let group = try group(&fields)
    try fields.rejectUnreadKeys()
    return try node.checked { () throws(RequestError) in
      try RelevantShortcut(
        kind: kind, intent: intent, userActivity: activity, role: role ?? .action, providers: providers, group: group)
    }
  }

  func relevantIntent(_ node: YAMLNode, of app: AppID) throws(YAMLError) -> RelevantIntent {
    var fields = try node.fields(
      "a relevant intent: a mapping with the keys widget, or kind and intent, when and group")
    let (kind, intent) = try kindAndIntent(&fields, of: app)
    let window = try window(try fields.require("when"))
    let group = try group(&fields)
    try fields.rejectUnreadKeys()
    guard let kind, let intent else { throw node.error("expected a kind that an intent configures") }
    return RelevantIntent(intent: intent, kind: kind, window: window, group: group)
  }

  private func kindAndIntent(
    _ fields: inout YAMLFields, of app: AppID
  ) throws(YAMLError) -> (KindName?, Intent?) {
    guard let node = fields.read("widget") else {
      let kind = try fields.read("kind")?.value("a kind's name", KindName.init)
      return (kind, try fields.read("intent").map(intent))
    }
    let widget = try node.value("a widget of the app such as Forecast(city=oslo)") { (text) throws(RequestError) in
      try context.widget(text, of: app)
    }
    return (widget.kind.name, widget.configuration)
  }

  /// Reads a window, a routine situation, a region, or `other`.
  private func provider(_ node: YAMLNode) throws(YAMLError) -> RelevanceProvider {
    switch node.kind {
    case .list: return .date(try window(node))
    case .mapping:
      var fields = try node.fields("a region")
      let region = try region(try fields.require("place"), &fields)
      try fields.rejectUnreadKeys()
      return .location(region)
    case .scalar:
      if try node.text("[start, end], a routine, a region or other") == "other" { return .other }
      return .dailyRoutine(try situation(node))
    }
  }

  /// Reads the region around a place with the keys `radius` and `display`.
  private func region(_ center: YAMLNode, _ fields: inout YAMLFields) throws(YAMLError) -> PlaceRegion {
    let place = try place(center, try fields.read("display")?.text("what to show") ?? "")
    let radius = try fields.require("radius")
    let meters = try radius.number()
    return try radius.checked { () throws(RequestError) in try PlaceRegion(center: place, radius: meters) }
  }

  /// Reads the conditions of a pin.
  func pin(_ node: YAMLNode) throws(YAMLError) -> Pin {
    var fields = try node.fields("the conditions of a pin: a mapping with the keys times, place with radius, and focus")
    let times = try fields.read("times")?.parsed("times such as 07:00-09:00 or mon-fri 07:00-09:00") {
      PinTimes(text: $0)
    }
    var place: PlaceRegion?
    if let center = fields.read("place") { place = try region(center, &fields) }
    let focus = try fields.read("focus")?.value("a focus", FocusID.init)
    try fields.rejectUnreadKeys()
    return Pin(times: times, place: place, focus: focus)
  }

  /// Reads `[start]`, or `[start, end]` where the end is a time or a duration.
  func window(_ node: YAMLNode) throws(YAMLError) -> DateWindow {
    let parts = try node.list("[start] or [start, end]")
    guard (1...2).contains(parts.count) else { throw node.error("expected [start] or [start, end]") }
    let start = try date(parts[0])
    var end: Instant?
    if parts.count == 2 {
      let text = try parts[1].text("a time or a duration")
      end = TimeText(text) == nil ? start.advanced(by: try span(parts[1])) : try date(parts[1])
    }
    return try node.checked { () throws(RequestError) in try DateWindow(start: start, end: end) }
  }
}
