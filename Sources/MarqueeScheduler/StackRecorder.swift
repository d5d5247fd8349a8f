package import MarqueeModel

/// Records the fronts and the evidence of a device's stacks over time.
package struct StackRecorder: Sendable {
  /// The approximate size of a point or front in a message, in bytes.
  private static let pointSize = 24

  /// The stacks in the order of their creation. A stack that no longer exists has no front.
  package private(set) var stacks: [ForeseenStack] = []
  /// The approximate size of ``stacks`` in a message, in bytes.
  package private(set) var size = 0
  /// The index of each stack in ``stacks``.
  private var positions: [StackID: Int] = [:]
  /// The index in ``ForeseenStack/curves`` of each widget, for each stack.
  private var indices: [[Widget: Int]] = []

  /// Creates a recorder without stacks.
  package init() {}

  /// Appends the fronts and the evidence that differ from those recorded last.
  package mutating func record(_ device: Device) {
    var exists = Array(repeating: false, count: stacks.count + device.stacks.count)
    for index in device.stacks.indices {
      let stack = device.stacks[index]
      let position = position(of: stack.id)
      exists[position] = true
      let slots = (0..<stack.shownCount).map(stack.slot(at:))
      note(front: stack.shownFront.map { device.widgets[slots[$0]].widget }, at: position, device.now)
      var isShown = Array(repeating: false, count: stacks[position].curves.count + slots.count)
      for slot in slots {
        let widget = device.widgets[slot].widget
        isShown[note(device.evidence(slot), of: widget, at: position, device.now)] = true
      }
      end(curvesAt: position, except: isShown, device.now)
    }
    for position in stacks.indices where !exists[position] {
      note(front: nil, at: position, device.now)
      end(curvesAt: position, except: [], device.now)
    }
  }

  private mutating func position(of stack: StackID) -> Int {
    if let position = positions[stack] { return position }
    positions[stack] = stacks.count
    stacks.append(ForeseenStack(stack: stack, fronts: [], curves: []))
    indices.append([:])
    return stacks.count - 1
  }

  private mutating func note(front widget: Widget?, at position: Int, _ now: Instant) {
    guard stacks[position].fronts.last.map({ $0.widget != widget }) ?? true else { return }
    stacks[position].fronts.append(ForeseenStack.Front(at: now, widget: widget))
    size += Self.pointSize + (widget?.storedSize ?? 0)
  }

  /// Notes a widget's evidence, and returns the index of its curve.
  private mutating func note(_ evidence: Double, of widget: Widget, at position: Int, _ now: Instant) -> Int {
    let index = indices[position][widget] ?? stacks[position].curves.count
    if index == stacks[position].curves.count {
      indices[position][widget] = index
      stacks[position].curves.append(EvidenceCurve(widget: widget, points: []))
      size += Self.pointSize + widget.storedSize
    }
    note(evidence, ofCurve: index, at: position, now)
    return index
  }

  private mutating func end(curvesAt position: Int, except isShown: [Bool], _ now: Instant) {
    for index in stacks[position].curves.indices where index >= isShown.count || !isShown[index] {
      note(0, ofCurve: index, at: position, now)
    }
  }

  private mutating func note(_ evidence: Double, ofCurve index: Int, at position: Int, _ now: Instant) {
    guard stacks[position].curves[index].points.last?.evidence != evidence else { return }
    stacks[position].curves[index].points.append(EvidenceCurve.Point(at: now, evidence: evidence))
    size += Self.pointSize
  }
}
