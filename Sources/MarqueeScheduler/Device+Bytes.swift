import MarqueeModel
import OrderedCollections

extension Device: ByteCodable {
  /// The version of the form that ``write(to:)`` gives.
  private static var formVersion: UInt8 { 1 }

  public func write(to writer: inout ByteWriter) {
    writer.write(tag: Self.formVersion)
    writer.write(id)
    writer.write(timeZone)
    writer.write(policy)
    writer.write(isDeveloperModeOn)
    writer.write(now)
    writer.write(decisionCount)
    writer.write(foregroundApp)
    writer.write(kinds.count)
    for kind in kinds.values { writer.write(kind) }
    writer.write(widgets)
    writer.write(stacks.count)
    for stack in stacks.values { writer.write(stack) }
  }

  public init(from reader: inout ByteReader) throws(CorruptBytes) {
    let version = try reader.readTag()
    guard version == Self.formVersion else { throw reader.corrupt("a device of form version \(version)") }
    id = try reader.read()
    timeZone = try reader.read()
    policy = try reader.read()
    isDeveloperModeOn = try reader.readBool()
    now = try reader.read()
    decisionCount = try reader.readUInt64()
    foregroundApp = try reader.readOptional()
    for _ in 0..<(try reader.readCount()) {
      let kind = try reader.read(KindState.self)
      kinds[kind.descriptor.kind] = kind
    }
    widgets = try reader.read()
    for _ in 0..<(try reader.readCount()) {
      let stack = try reader.read(StackState.self)
      stacks[stack.id] = stack
    }
    try checkReferences(reader)
    restoreWakes()
  }

  private func checkReferences(_ reader: ByteReader) throws(CorruptBytes) {
    for case let state? in widgets.slots where !kinds.values.indices.contains(state.kind) {
      throw reader.corrupt("a widget of kind \(state.kind), but there are \(kinds.count)")
    }
    for stack in stacks.values {
      for member in stack.members
      where !widgets.slots.indices.contains(member.slot) || widgets.slots[member.slot] == nil {
        throw reader.corrupt("a member in slot \(member.slot), which is vacant")
      }
    }
  }
}

extension Policy: ByteCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(timelineWeight)
    writer.write(threshold)
    writer.write(margin)
    writer.write(dwell)
    writer.write(hold)
    writer.write(rotationCountMax)
    writer.write(scoreMemory)
    writer.write(reloadCountMin)
    writer.write(reloadCountMax)
    writer.write(reloadSpacing)
  }

  public init(from reader: inout ByteReader) throws(CorruptBytes) {
    timelineWeight = try reader.readDouble()
    threshold = try reader.readDouble()
    margin = try reader.readDouble()
    dwell = try reader.read()
    hold = try reader.read()
    rotationCountMax = try reader.readInt()
    scoreMemory = try reader.read()
    reloadCountMin = try reader.readInt()
    reloadCountMax = try reader.readInt()
    reloadSpacing = try reader.read()
    let policy = self
    try reader.checked { () throws(Refusal) in try policy.check() }
  }
}
