import MarqueeCards
import MarqueeModel

/// The cards of feeds: a heading, and labeled values.
enum FeedCard {
  /// Returns a card as content.
  ///
  /// - Throws: ``CardError`` if the texts are too long or too many, or cannot be in a card.
  static func content(title: String, facts: [Card.Fact]) throws(CardError) -> EntryContent {
    let shown = facts.filter { !$0.value.isEmpty }
    let heading = Card.TextBlock(title, style: .init(size: .large, weight: .bolder), wraps: true, lineCountMax: 2)
    let json = Card(body: (title.isEmpty ? [] : [.text(heading)]) + (shown.isEmpty ? [] : [.facts(shown)])).json
    _ = try CardReading(json)
    return content(json)
  }

  /// A card that says that there is no event.
  static var noEvent: EntryContent {
    content(Card(body: [.text(Card.TextBlock("No event", style: .init(isSubtle: true)))]).json)
  }

  /// Returns the JSON of a card as content.
  static func content(_ json: [UInt8]) -> EntryContent {
    do { return try EntryContent(mediaType: Card.mediaType, bytes: json) } catch {
      preconditionFailure("the media type of cards is invalid: \(error)")
    }
  }
}

extension CalendarTimeline {
  /// Returns a card with the summary, the date and the time of an occurrence.
  func card(_ occurrence: CalendarOccurrence?) -> EntryContent {
    guard let occurrence else { return FeedCard.noEvent }
    let facts = facts(of: occurrence)
    do { return try FeedCard.content(title: shortened(occurrence.summary), facts: facts) } catch {
      // Only the summary can be invalid: by too many combining marks in a row.
      return (try? FeedCard.content(title: "", facts: facts)) ?? FeedCard.noEvent
    }
  }

  private func facts(of occurrence: CalendarOccurrence) -> [Card.Fact] {
    guard !occurrence.start.isDate else {
      let last = occurrence.end.advanced(by: -CivilDate.secondsPerDay)
      let until = last.isAfter(occurrence.start) ? last.description : ""
      return [.init(title: "Date", value: occurrence.start.description), .init(title: "Until", value: until)]
    }
    let times = occurrence.shown(in: zone)
    let (start, end) = (Self.parts(times.start), Self.parts(times.end))
    let isOneDay = start.date == end.date
    let time = isOneDay && start.time != end.time ? "\(start.time)–\(end.time)" : start.time
    return [
      .init(title: "Date", value: start.date), .init(title: "Time", value: time),
      .init(title: "Until", value: isOneDay ? "" : "\(end.date) \(end.time)"),
    ]
  }

  /// Returns the date, and the time in hours and minutes.
  private static func parts(_ time: CalendarTime) -> (date: String, time: String) {
    let text = time.description
    return (String(text.prefix(10)), String(text.dropFirst(11).prefix(5)))
  }
}
