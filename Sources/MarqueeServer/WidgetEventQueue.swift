import MarqueeModel
import MarqueeScheduler

/// The events of an app's widgets that a stream has not sent (rule W7).
///
/// Taps wait in order. Of everything else, only the difference between the last report and the present state is kept,
/// by widget, so that what happens while events wait is merged: impressions are added, and a widget that was hidden and
/// shown again is not mentioned. A widget is reported at most once in ``reportInterval``.
struct WidgetEventQueue {
  /// The minimum time between two reports of a widget.
  static let reportInterval = TimeSpan.minutes(1)
  /// The time from a change to its report, if the widget was not reported in the last ``reportInterval``.
  ///
  /// Displays report that the user resized a widget as its removal in one family and its addition in another. Changes
  /// within this time are one report, so that both become one event.
  static let gatheringTime = TimeSpan.seconds(1)

  private let app: AppID
  private let kinds: Set<KindName>
  /// The widgets that are placed, have something to report, or were reported in the last ``reportInterval``, in order
  /// of their first placement.
  private var reports: [WidgetReport] = []
  private var indices: [Widget: Int] = [:]
  private var taps: [WidgetEvent] = []

  /// Creates a queue for the widgets of some kinds, or of all kinds if there are none.
  init(of app: AppID, _ kinds: [KindName] = []) {
    self.app = app
    self.kinds = Set(kinds)
  }

  /// When the next report can be sent, or a removed widget can be forgotten; `nil` if there is neither.
  var nextReport: Instant? { reports.lazy.compactMap { $0.due ?? $0.expiry }.min() }

  /// Whether taps wait.
  var hasTaps: Bool { !taps.isEmpty }

  /// The approximate size of the waiting taps, in bytes; 0 for a single one.
  var tapSize: Int { taps.count > 1 ? taps.reduce(0) { $0 + $1.approximateSize } : 0 }

  /// The approximate size of the widgets that are no longer placed but still to be reported, or were reported in the
  /// last ``reportInterval``, in bytes. The limits of a device bound the others.
  var removedSize: Int { reports.reduce(0) { $0 + ($1.isPlaced ? 0 : $1.size) } }

  /// Notes the state that the stream starts with.
  mutating func begin(with state: WidgetObservation, at now: Instant) {
    for item in state.items where isWatched(item.placement) {
      reports[index(of: item.placement.instance.widget)].begin(with: item, at: state.at)
    }
    for index in reports.indices { reports[index].due = now }
  }

  /// Notes a change of the placed or visible widgets, or a tap.
  ///
  /// - Parameters:
  ///   - observation: The state after the change.
  ///   - now: The time of the server, which can differ from that of the device.
  mutating func note(_ observation: WidgetObservation, at now: Instant) {
    removeFinished(at: now)
    for item in observation.items where isWatched(item.placement) {
      reports[index(of: item.placement.instance.widget)].note(item, at: observation.at)
    }
    for index in reports.indices {
      reports[index].keepOnlyNoted(at: observation.at)
      reports[index].schedule(at: now)
    }
    // Also if the widget has moved since.
    taps = taps.filter { isPlaced($0.placement.instance.widget) }
    if let tap = observation.tap, isWatched(tap.placement), isPlaced(tap.placement) { taps.append(tap) }
    removeFinished(at: now)
  }

  /// Notes a tap without a change.
  mutating func note(_ tap: WidgetEvent) {
    if isWatched(tap.placement), isPlaced(tap.placement) { taps.append(tap) }
  }

  /// Dequeues the next events: a tap, after the report of its widget if one waits and the time between reports allows
  /// it, or else the report of a widget; none if there is nothing to send now.
  mutating func dequeue(at now: Instant) -> [WidgetEvent] {
    defer { removeFinished(at: now) }
    if !taps.isEmpty {
      let tap = taps.removeFirst()
      guard let index = indices[tap.placement.instance.widget], reports[index].due != nil,
        reports[index].canBeReported(at: now)
      else { return [tap] }
      return reports[index].dequeue(at: now) + [tap]
    }
    var next: (index: Int, due: Instant)?
    for index in reports.indices {
      guard let due = reports[index].due, due <= now, next.map({ due < $0.due }) ?? true else { continue }
      next = (index, due)
    }
    return next.map { reports[$0.index].dequeue(at: now) } ?? []
  }

  private func isWatched(_ placement: WidgetPlacement) -> Bool {
    let kind = placement.instance.widget.kind
    return kind.app == app && (kinds.isEmpty || kinds.contains(kind.name))
  }

  private func isPlaced(_ placement: WidgetPlacement) -> Bool {
    indices[placement.instance.widget].map { reports[$0].isPlaced(at: WidgetReport.Place(placement)) } ?? false
  }

  private func isPlaced(_ widget: Widget) -> Bool { indices[widget].map { reports[$0].isPlaced } ?? false }

  /// Returns the index of a widget's report, which is added if there is none.
  ///
  /// A widget that is placed again takes the place of the equal one that was removed, whose texts can be different, and
  /// erased from the device.
  private mutating func index(of widget: Widget) -> Int {
    let known = indices[widget]
    if let known, reports[known].isPlaced { return known }
    let index = known ?? reports.count
    indices.removeValue(forKey: widget)
    indices[widget] = index
    if known == nil { reports.append(WidgetReport(of: widget)) } else { reports[index].widget = widget }
    return index
  }

  private mutating func removeFinished(at now: Instant) {
    guard reports.contains(where: { $0.isFinished(at: now) }) else { return }
    reports.removeAll { $0.isFinished(at: now) }
    indices = Dictionary(uniqueKeysWithValues: reports.indices.map { (reports[$0].widget, $0) })
  }
}

extension WidgetEvent {
  /// The approximate size in a message, in bytes.
  fileprivate var approximateSize: Int {
    guard case .tapped(_, let link) = change else { return placement.instance.widget.approximateSize }
    return placement.instance.widget.approximateSize + (link?.text.utf8.count ?? 0)
  }
}

extension Widget {
  /// The approximate size in a message, in bytes.
  var approximateSize: Int { (configuration?.encoded.count ?? 0) + kind.description.utf8.count + 64 }
}
