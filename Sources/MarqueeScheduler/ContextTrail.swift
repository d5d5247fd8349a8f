import MarqueeModel

/// What surrounded the person in the recent past, for donations that tell of it late.
struct ContextTrail: Equatable, Sendable {
  /// Changes that are remembered, at most; what was so before them counts as not known.
  static let countMax = 128

  struct Step: Equatable, Sendable {
    let start: Instant
    let context: DeviceContext
  }

  private(set) var steps: [Step] = []

  init() {}

  /// Notes what surrounds the person from `now` on, which is not before the last change.
  mutating func note(_ context: DeviceContext, at now: Instant) {
    if steps.last?.start == now { steps.removeLast() }
    if steps.count == Self.countMax { steps.removeFirst() }
    steps.append(Step(start: now, context: context))
  }

  /// What surrounded the person at `instant`.
  func context(at instant: Instant) -> DeviceContext {
    steps.last { $0.start <= instant }?.context ?? DeviceContext()
  }
}

extension ContextTrail: ByteCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(steps.count)
    for step in steps {
      writer.write(step.start)
      writer.write(step.context)
    }
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    for _ in 0..<(try reader.readCount()) {
      let step = Step(start: try reader.read(), context: try reader.read())
      guard steps.count < Self.countMax, steps.last.map({ $0.start < step.start }) ?? true else {
        throw reader.corrupt("changes of context that are too many or out of order")
      }
      steps.append(step)
    }
  }
}
