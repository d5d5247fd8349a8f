import MarqueeModel
import MarqueeScheduler

/// An app whose names and contents contain the mark of a number.
package struct MarkedApp {
  package let id: AppID
  package let widget: Widget
  private let mark: String

  package init(_ number: Int) throws {
    id = try AppID("com.example.app-\(number)-x")
    mark = Mark.text(number)
    widget = Widget(kind: WidgetKind(app: id, name: try KindName(mark)))
  }

  /// Returns the events of a kind with a timeline, an intent type and a donation.
  ///
  /// - Parameters:
  ///   - now: The date of the timeline's entry and of the donation.
  ///   - size: The number of bytes of the contents, in addition to the mark.
  package func events(at now: Instant, size: Int) throws -> [Event] {
    let content = mark + String(repeating: "-", count: size)
    let entry = TimelineEntry(
      date: now, relevance: try TimelineEntryRelevance(score: 9),
      content: try EntryContent(mediaType: "", bytes: Array(content.utf8)))
    let type = try IntentType(mark)
    let note = IntentParameter(name: try .init("note"), value: .single(.string(String(content.prefix(4_000)))))
    let donation = Donation(
      id: try .init(mark), date: now, activity: .intent(try Intent(type: type, parameters: [note])))
    let descriptor = try WidgetDescriptor(kind: widget.kind, displayName: mark, families: [.systemSmall])
    let intentType = try IntentTypeDescriptor(
      app: id, type: type, parameters: [.init(name: .init("note"), type: .string)],
      combinations: [.init(parameters: [.init("note")])])
    return [
      .kindsRegistered(id, [descriptor]), .intentTypesRegistered(id, [intentType]),
      .timelinePublished(widget, Timeline(submitted: [entry], policy: .never)), .donated(id, [donation]),
    ]
  }
}
