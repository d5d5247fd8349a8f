import MarqueeModel

/// The decisions that a device makes if no event occurs, with the fronts and the evidence of its stacks.
///
/// Timelines, windows and habits continue, but no app publishes anything, and the user does nothing. The device is
/// copied. Call ``advance()`` until it returns `false`; each call computes one wake of the device.
public struct Foresight: Sendable {
  /// The maximum period.
  public static let durationMax = TimeSpan.hours(48)
  /// The maximum number of wakes.
  public static let wakeCountMax = 2_000
  /// The approximate size of a point or front in a message, in bytes.
  private static let pointSize = 24

  /// The instant at which the foresight begins.
  public let start: Instant
  /// The instant until which everything is known so far.
  public private(set) var end: Instant
  /// The decisions, oldest first.
  public private(set) var decisions: [Decision] = []
  /// The device's stacks, in the order of their creation.
  public private(set) var stacks: [ForeseenStack]
  /// The device at ``end``.
  public private(set) var device: Device
  private let until: Instant
  private let sizeMax: Int
  private var wakeCount = 0
  private var size = 0
  /// The index in ``ForeseenStack/curves`` of each widget, for each stack.
  private var indices: [[Widget: Int]]

  /// Creates a foresight that begins at the device's time.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - until: The end of the period.
  ///   - sizeMax: The maximum approximate size of everything that is foreseen, in bytes. The wake that exceeds it is
  ///     the last one.
  /// - Throws: ``RequestError`` with the field `until_ms` if the end is in the device's past, or further ahead than
  ///   ``durationMax``.
  public init(of device: Device, until: Instant, sizeMax: Int) throws(RequestError) {
    guard until >= device.now else {
      throw RequestError(.invalidArgument, field: "until_ms", "is before the device's time")
    }
    guard until <= device.now.advanced(by: Self.durationMax) else {
      throw RequestError(
        .invalidArgument, field: "until_ms",
        "is more than \(Self.durationMax.milliseconds / TimeSpan.hours(1).milliseconds) hours after the device's time")
    }
    (start, end) = (device.now, device.now)
    self.device = device
    self.until = until
    self.sizeMax = sizeMax
    stacks = device.stacks.indices.map { ForeseenStack(stack: device.stacks[$0].id, fronts: [], curves: []) }
    indices = Array(repeating: [:], count: device.stacks.count)
    noteStacks()
  }

  /// Whether everything until the end of the period is known.
  public var isComplete: Bool { end == until }

  /// Computes the next wake of the device.
  ///
  /// - Returns: Whether there may be another one.
  public mutating func advance() -> Bool {
    guard let wake = device.nextWake, wake <= until else {
      end = until
      return false
    }
    guard wakeCount < Self.wakeCountMax, size <= sizeMax else { return false }
    wakeCount += 1
    for action in device.advance(to: wake) {
      switch action.order {
      case .rotate(let decision, _), .suggest(let decision, _):
        decisions.append(decision)
        size += decision.encoded.count
      case .withdraw, .scroll, .updateStack, .removeStack, .addHomeWidget, .removeHomeWidget, .refresh, .requestReload,
        .performFocusFilter:
        break
      }
    }
    end = wake
    noteStacks()
    return true
  }

  /// Appends the fronts and the evidence that have changed.
  private mutating func noteStacks() {
    for position in stacks.indices {
      let stack = device.stacks[position]
      let slots = (0..<stack.shownCount).map(stack.slot(at:))
      note(front: stack.shownFront.map { device.widgets[slots[$0]].widget }, at: position)
      var isShown = Array(repeating: false, count: stacks[position].curves.count + slots.count)
      for slot in slots { isShown[note(device.evidence(slot), of: device.widgets[slot].widget, at: position)] = true }
      for index in stacks[position].curves.indices where !isShown[index] { note(0, ofCurve: index, at: position) }
    }
  }

  private mutating func note(front widget: Widget?, at position: Int) {
    guard stacks[position].fronts.last.map({ $0.widget != widget }) ?? true else { return }
    stacks[position].fronts.append(ForeseenStack.Front(at: device.now, widget: widget))
    size += Self.pointSize + (widget?.storedSize ?? 0)
  }

  /// Notes a widget's evidence, and returns the index of its curve.
  private mutating func note(_ evidence: Double, of widget: Widget, at position: Int) -> Int {
    let index = indices[position][widget] ?? stacks[position].curves.count
    if index == stacks[position].curves.count {
      indices[position][widget] = index
      stacks[position].curves.append(EvidenceCurve(widget: widget, points: []))
      size += Self.pointSize + widget.storedSize
    }
    note(evidence, ofCurve: index, at: position)
    return index
  }

  private mutating func note(_ evidence: Double, ofCurve index: Int, at position: Int) {
    guard stacks[position].curves[index].points.last?.evidence != evidence else { return }
    stacks[position].curves[index].points.append(EvidenceCurve.Point(at: device.now, evidence: evidence))
    size += Self.pointSize
  }
}
