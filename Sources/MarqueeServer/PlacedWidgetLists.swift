import MarqueeModel
import Synchronization

/// The lists of an app's placed widgets that wait to be sent to its provider. A newer list of a stack replaces an older
/// one, so that the waiting lists are never larger than the state of the device.
final class PlacedWidgetLists: Sendable {
  /// The approximate maximum size of a part of a list, in bytes. A single widget can be larger.
  static let partSizeMax = 65_536

  private enum Place: Hashable {
    case stack(StackID)
    case outsideStacks(WidgetInstance)
  }

  /// Yields when there is a list; unread signals coalesce.
  let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  /// The waiting lists, in the order in which their places were first changed.
  private let waiting = Mutex<[(place: Place, widgets: ArraySlice<PlacedWidget>)]>([])

  init() {
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Makes the reader of ``signals`` look, although there may be no list.
  func wake() { signal.yield() }

  /// Enqueues the list of a stack in place of one that waits. An empty list is not sent.
  func replace(_ widgets: [PlacedWidget], in stack: StackID) { set(widgets, at: .stack(stack)) }

  /// Replaces the list of a stack if one waits.
  func replaceUnsent(_ widgets: [PlacedWidget], in stack: StackID) {
    waiting.withLock { waiting in
      guard waiting.contains(where: { $0.place == .stack(stack) }) else { return }
      Self.set(widgets, at: .stack(stack), &waiting)
    }
  }

  /// Enqueues a widget that was placed outside stacks.
  func add(_ instance: WidgetInstance) {
    set([PlacedWidget(widget: instance.widget, family: instance.family)], at: .outsideStacks(instance))
  }

  /// Removes a widget that was removed outside stacks.
  func remove(_ instance: WidgetInstance) { set([], at: .outsideStacks(instance)) }

  private func set(_ widgets: [PlacedWidget], at place: Place) {
    waiting.withLock { Self.set(widgets, at: place, &$0) }
    if !widgets.isEmpty { signal.yield() }
  }

  private static func set(
    _ widgets: [PlacedWidget], at place: Place, _ waiting: inout [(place: Place, widgets: ArraySlice<PlacedWidget>)]
  ) {
    let index = waiting.firstIndex { $0.place == place }
    switch (index, widgets.isEmpty) {
    case (let index?, false): waiting[index].widgets = widgets[...]
    case (let index?, true): waiting.remove(at: index)
    case (nil, false): waiting.append((place, widgets[...]))
    case (nil, true): break
    }
  }

  /// Dequeues the next part of a list; `nil` if nothing waits.
  func dequeue() -> [PlacedWidget]? {
    waiting.withLock { waiting in
      guard let list = waiting.first else { return nil }
      let part = Self.firstPart(of: list.widgets)
      if part.endIndex == list.widgets.endIndex {
        waiting.removeFirst()
      } else {
        waiting[0].widgets = list.widgets[part.endIndex...]
      }
      return Array(part)
    }
  }

  /// Returns the parts of a list that is sent at once.
  static func parts(of widgets: [PlacedWidget]) -> [[PlacedWidget]] {
    var (parts, rest): ([[PlacedWidget]], ArraySlice<PlacedWidget>) = ([], widgets[...])
    while !rest.isEmpty {
      let part = firstPart(of: rest)
      parts.append(Array(part))
      rest = rest[part.endIndex...]
    }
    return parts
  }

  private static func firstPart(of widgets: ArraySlice<PlacedWidget>) -> ArraySlice<PlacedWidget> {
    var size = 0
    let end = widgets.indices.first { index in
      size += widgets[index].widget.approximateSize
      return size > partSizeMax && index > widgets.startIndex
    }
    return widgets[..<(end ?? widgets.endIndex)]
  }
}
