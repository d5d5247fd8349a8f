public import Foundation
import MarqueeClient
import MarqueeModel

/// Something that happened to a widget of the app where the user has it.
public struct WidgetEvent: Hashable, Sendable {
  /// A place of a widget.
  public enum Place: Hashable, Sendable {
    /// In the stack with this name.
    case stack(String)
    /// On the Home Screen, outside stacks.
    case homeScreen
  }

  /// The kinds of events.
  public enum Change: Hashable, Sendable {
    /// The user placed the widget, or kept its suggestion.
    case placed
    /// The stack suggests the widget.
    case suggested
    /// The widget is no longer there, and no longer visible.
    case removed
    /// The user resized the widget on the Home Screen, from this family.
    case resized(from: WidgetFamily)
    /// The widget came to the front of the visible stack.
    case visible
    /// The widget is no longer in front, or its stack was hidden.
    case hidden
    /// The number of impressions that ended since the last report, and their total length in seconds.
    case impressions(count: Int, visibleTime: TimeInterval)
    /// The user tapped the widget. It showed the entry of this date, if any, which has this link, if any.
    case tapped(entry: Date?, link: String?)
  }

  /// When it happened; for impressions, when the last one ended.
  public let date: Date
  /// The widget, in its present family.
  public let widget: WidgetInfo
  /// The place of the widget.
  public let place: Place
  /// The event.
  public let change: Change
  /// Whether it is part of the state that the sequence of events started with, or started again with after the
  /// connection was lost.
  public let isInitial: Bool

  init(_ event: MarqueeModel.WidgetEvent) {
    date = Date(event.at)
    let instance = event.placement.instance
    widget = WidgetInfo(PlacedWidget(widget: instance.widget, family: instance.family))
    place = event.placement.stack.map { .stack($0.text) } ?? .homeScreen
    change = Change(event.change)
    isInitial = event.isInitial
  }
}

extension WidgetEvent.Change {
  fileprivate init(_ change: MarqueeModel.WidgetEvent.Change) {
    switch change {
    case .placed: self = .placed
    case .suggested: self = .suggested
    case .removed: self = .removed
    case .resized(let family): self = .resized(from: WidgetFamily(family))
    case .visible: self = .visible
    case .hidden: self = .hidden
    case .impressions(let count, let visibleTime):
      self = .impressions(count: count, visibleTime: visibleTime.seconds)
    case .tapped(let entry, let link): self = .tapped(entry: entry.map { Date($0) }, link: link?.text)
    }
  }
}

/// The events of an app's widgets, in order. See ``WidgetCenter/events(ofKinds:)``.
public struct WidgetEvents: AsyncSequence, Sendable {
  fileprivate let updates: MarqueeClient.WidgetEvents

  /// Returns an iterator that starts watching with the first ``AsyncIterator/next()``.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(updates: updates.makeAsyncIterator()) }

  /// The iterator of events.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    fileprivate var updates: MarqueeClient.WidgetEvents.AsyncIterator

    /// Returns the next event, or `nil` once the task is cancelled.
    public mutating func next() async throws -> WidgetEvent? {
      while let update = try await updates.next() {
        if case .event(let event) = update { return WidgetEvent(event) }
      }
      return nil
    }
  }
}

extension WidgetCenter {
  /// Returns the events of the app's widgets on the device: the widgets that are placed now, and then every change of
  /// them. WidgetKit has no such method.
  ///
  /// Taps arrive at once. Everything else that happens to a widget is reported at most once a minute, and only what
  /// differs from the last report: a widget that was hidden and shown again meanwhile is reported with its impressions
  /// alone. An impression begins when the widget comes to the front of a visible stack, and is reported once it has
  /// ended. Of widgets outside stacks, it is unknown whether they are visible.
  ///
  /// The sequence survives the loss of its connection, and then starts with the placed widgets again. It throws an
  /// error if the app or the device was removed.
  ///
  /// - Parameter kinds: The names of the kinds whose widgets are watched; none for all.
  /// - Throws: An error if a name is not valid or is contained twice, or ``AppConnection/Unconfigured``.
  public func events(ofKinds kinds: [String] = []) throws -> WidgetEvents {
    let names = try kinds.map { try KindName($0) }
    return WidgetEvents(updates: try AppConnection.current.provider.widgetEvents(ofKinds: names))
  }
}
