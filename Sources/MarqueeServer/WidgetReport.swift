import MarqueeModel
import MarqueeScheduler

/// The next report of a widget: at each place, the difference between the last report and the present state.
struct WidgetReport {
  /// A place of the widget in a family.
  struct Place: Hashable {
    let family: WidgetFamily
    /// The stack; `nil` outside stacks.
    let stack: StackID?

    init(_ placement: WidgetPlacement) {
      family = placement.instance.family
      stack = placement.stack
    }
  }

  /// The widget, with the value that the device had when it was first observed since it was last placed nowhere.
  var widget: Widget { didSet { size = widget.approximateSize } }
  /// The approximate size of the widget in a message, in bytes.
  private(set) var size: Int
  /// Whether the widget is at any place now.
  private(set) var isPlaced = false
  /// When the difference is to be reported; `nil` if there is none.
  var due: Instant?
  private var lastReport: Instant?
  /// The states of the places, in order of the first placement.
  private var places: [(place: Place, state: PlaceState)] = []
  private var indices: [Place: Int] = [:]

  init(of widget: Widget) {
    self.widget = widget
    size = widget.approximateSize
  }

  /// Whether the widget is at a place now.
  func isPlaced(at place: Place) -> Bool { indices[place].map { places[$0].state.isPlaced } ?? false }

  /// When the widget can be forgotten, after its removal was reported; `nil` if it is not finished.
  var expiry: Instant? { places.isEmpty ? lastReport?.advanced(by: WidgetEventQueue.reportInterval) : nil }

  /// Whether the widget is gone, the stream knows it, and its next report would not have to wait.
  func isFinished(at now: Instant) -> Bool { places.isEmpty && canBeReported(at: now) }

  /// Whether enough time has passed since the last report, or the clock was set back since.
  func canBeReported(at now: Instant) -> Bool {
    lastReport.map { $0 > now || $0.advanced(by: WidgetEventQueue.reportInterval) <= now } ?? true
  }

  mutating func begin(with item: WidgetObservation.Item, at instant: Instant) {
    _ = add(PlaceState(item, at: instant, isInitial: true), at: Place(item.placement))
  }

  /// Notes that the widget is at a place.
  mutating func note(_ item: WidgetObservation.Item, at instant: Instant) {
    let place = Place(item.placement)
    let index: Int
    if let known = indices[place] {
      index = known
      places[index].state.note(item, at: instant)
      isPlaced = true
    } else {
      index = add(PlaceState(item, at: instant), at: place)
    }
    places[index].state.isNoted = true
  }

  /// Notes that the widget is at no other places than those that were noted since the last call.
  mutating func keepOnlyNoted(at instant: Instant) {
    for index in places.indices {
      if !places[index].state.isNoted { places[index].state.noteRemoval(at: instant) }
      places[index].state.isNoted = false
    }
    removePlaces { !$0.state.isPlaced && !$0.state.isKnown && !$0.state.hasChanges }
    isPlaced = places.contains { $0.state.isPlaced }
  }

  /// Adds a place that is not known, and returns its index.
  private mutating func add(_ state: PlaceState, at place: Place) -> Int {
    indices[place] = places.count
    places.append((place, state))
    isPlaced = true
    return places.count - 1
  }

  private mutating func removePlaces(where isRemoved: ((place: Place, state: PlaceState)) -> Bool) {
    guard places.contains(where: isRemoved) else { return }
    places.removeAll(where: isRemoved)
    indices = Dictionary(uniqueKeysWithValues: places.indices.map { (places[$0].place, $0) })
  }

  /// Schedules the report, unless it is scheduled already, or cancels it if there is nothing to report any more.
  mutating func schedule(at now: Instant) {
    guard places.contains(where: { $0.state.hasChanges }) else { return due = nil }
    let gathered = now.advanced(by: WidgetEventQueue.gatheringTime)
    let earliest = lastReport.map { $0.advanced(by: WidgetEventQueue.reportInterval) }
    // The clock may have been set back.
    due = min(due ?? max(gathered, earliest ?? gathered), now.advanced(by: WidgetEventQueue.reportInterval))
  }

  /// Dequeues the events of the report.
  mutating func dequeue(at now: Instant) -> [WidgetEvent] {
    // The initial state does not delay the first report.
    if !places.contains(where: { $0.state.isInitial }) { lastReport = now }
    due = nil
    let resize = takeResize()
    var events: [WidgetEvent] = []
    for index in places.indices {
      let place = places[index].place
      let placement = WidgetPlacement(WidgetInstance(widget, in: place.family), in: place.stack)
      let old = resize.flatMap { $0.new == place ? $0.old.family : nil }
      events += places[index].state.dequeue(resizedFrom: old).map {
        WidgetEvent(at: $0.at, placement, $0.change, isInitial: $0.isInitial)
      }
    }
    removePlaces { !$0.state.isPlaced }
    return events
  }

  /// Returns the old and new place of a widget outside stacks that was removed in one family and added in another, and
  /// forgets the old one.
  private mutating func takeResize() -> (old: Place, new: Place)? {
    let outside = places.filter { $0.place.stack == nil }
    guard let old = outside.first(where: { $0.state.isKnown && !$0.state.isPlaced }),
      let new = outside.first(where: { !$0.state.isKnown && $0.state.isPlaced })
    else { return nil }
    removePlaces { $0.place == old.place }
    return (old.place, new.place)
  }
}

/// The part of a report about one place.
private struct PlaceState {
  /// An event without its placement.
  struct Event {
    let at: Instant
    let change: WidgetEvent.Change
    var isInitial = false
  }

  private struct Condition: Equatable {
    var isSuggested: Bool
    var isVisible: Bool
  }

  /// The state that was reported last; `nil` if the stream does not know the widget here.
  private var reported: Condition?
  /// The present state; `nil` if the widget is not here.
  private var present: Condition?
  /// Whether the widget is here according to the observation that is being noted.
  var isNoted = false
  /// Whether the state is that with which the stream starts, which has not been reported.
  private(set) var isInitial: Bool
  /// Whether the present or last state is that of a suggestion.
  private var isSuggestion: Bool
  /// When the widget was placed or suggested, or its suggestion was kept.
  private var placedAt: Instant
  private var removedAt = Instant.min
  /// When the widget was last shown or hidden.
  private var visibilityChangedAt = Instant.min
  /// The number and the length of the impressions that ended since the last report.
  private var impressionCount = 0
  private var visibleTime = TimeSpan.zero
  /// When the last impression ended.
  private var lastImpressionEnd = Instant.max

  init(_ item: WidgetObservation.Item, at instant: Instant, isInitial: Bool = false) {
    present = Condition(isSuggested: item.isSuggested, isVisible: item.visibleSince != nil)
    isSuggestion = item.isSuggested
    placedAt = instant
    self.isInitial = isInitial
    // Of the initial state, the impression counts from its start: a stream before has not reported it.
    if let start = item.visibleSince { visibilityChangedAt = isInitial ? min(start, instant) : instant }
  }

  var isPlaced: Bool { present != nil }

  /// Whether the stream knows that the widget is here.
  var isKnown: Bool { reported != nil }

  var hasChanges: Bool { reported != present || impressionCount > 0 || visibleTime > .zero }

  mutating func note(_ item: WidgetObservation.Item, at instant: Instant) {
    noteVisibility(item.visibleSince != nil, at: instant)
    if present?.isSuggested != item.isSuggested { placedAt = instant }
    present = Condition(isSuggested: item.isSuggested, isVisible: item.visibleSince != nil)
    isSuggestion = item.isSuggested
  }

  mutating func noteRemoval(at instant: Instant) {
    guard present != nil else { return }
    noteVisibility(false, at: instant)
    removedAt = instant
    present = nil
  }

  private mutating func noteVisibility(_ isVisible: Bool, at instant: Instant) {
    let wasVisible = present?.isVisible ?? false
    guard isVisible != wasVisible else { return }
    // The device's clock may have been set back.
    let start = min(visibilityChangedAt, instant)
    visibilityChangedAt = instant
    guard wasVisible, start < instant else { return }
    // An impression that begins when the last one ended continues it.
    if start != lastImpressionEnd { impressionCount += 1 }
    visibleTime = TimeSpan(milliseconds: visibleTime.milliseconds + start.span(to: instant).milliseconds)
    lastImpressionEnd = instant
  }

  /// Dequeues the events, in the order in which they make sense: placed, impressions, visible or hidden, removed.
  mutating func dequeue(resizedFrom old: WidgetFamily?) -> [Event] {
    var events: [Event] = []
    if let change = placement(old) { events.append(Event(at: placedAt, change: change, isInitial: isInitial)) }
    if impressionCount > 0 || visibleTime > .zero {
      let change = WidgetEvent.Change.impressions(count: impressionCount, visibleTime: visibleTime)
      events.append(Event(at: lastImpressionEnd, change: change))
    }
    if let present, present.isVisible != (reported?.isVisible ?? false) {
      let change = present.isVisible ? WidgetEvent.Change.visible : .hidden
      events.append(Event(at: visibilityChangedAt, change: change, isInitial: isInitial))
    }
    if present == nil { events.append(Event(at: removedAt, change: .removed)) }
    reported = present
    (impressionCount, visibleTime, isInitial) = (0, .zero, false)
    return events
  }

  /// Returns the event of the widget's placement, if the stream does not know it.
  private func placement(_ old: WidgetFamily?) -> WidgetEvent.Change? {
    if let old { return .resized(from: old) }
    if let reported, reported.isSuggested == isSuggestion || present == nil { return nil }
    return isSuggestion ? .suggested : .placed
  }
}
