import MarqueeModel

/// The recent changes of the device context, used to look up the context of late donations.
struct ContextHistory: Equatable, Sendable {
  /// The maximum number of changes kept. The context before the oldest one is unknown (empty).
  static let countMax = 128

  struct Step: Equatable, Sendable {
    let start: Instant
    let context: DeviceContext
  }

  private(set) var steps: [Step] = []

  init() {}

  /// Appends the context in effect from `now` on. `now` must not precede the last change.
  mutating func note(_ context: DeviceContext, at now: Instant) {
    if steps.last?.start == now { steps.removeLast() }
    if steps.count == Self.countMax { steps.removeFirst() }
    steps.append(Step(start: now, context: context))
  }

  /// Returns the context in effect at `instant`, or an empty context if the history does not reach back that far.
  func context(at instant: Instant) -> DeviceContext {
    steps.last { $0.start <= instant }?.context ?? DeviceContext()
  }
}

extension ContextHistory: BinaryCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(steps.count)
    for step in steps {
      writer.write(step.start)
      writer.write(step.context)
    }
  }

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    for _ in 0..<(try reader.readCount()) {
      let step = Step(start: try reader.read(), context: try reader.read())
      guard steps.count < Self.countMax, steps.last.map({ $0.start < step.start }) ?? true else {
        throw reader.corrupt("too many context changes, or not in ascending order")
      }
      steps.append(step)
    }
  }
}
