import MarqueeModel
import OrderedCollections

extension Device: ByteCodable {
  /// The version of the form that ``write(to:)`` gives.
  private static var formVersion: UInt8 { 6 }

  public func write(to writer: inout ByteWriter) {
    writer.write(tag: Self.formVersion)
    writer.write(id)
    writer.write(timeZone)
    writer.write(configuredPolicy)
    writer.write(policyOverrides)
    writer.write(isDeveloperModeOn)
    writer.write(now)
    writer.write(decisionCount)
    writer.write(foregroundApp)
    writer.write(kinds.count)
    for (descriptor, scores) in zip(kinds.values, scores) {
      writer.write(descriptor)
      writer.write(scores)
    }
    writer.write(widgets)
    writer.write(stacks.count)
    for stack in stacks.all { writer.write(stack) }
    for slot in widgets.taken { widgets[slot].writeWindows(to: &writer) }
    for stack in stacks.all { stack.writeSuggestion(to: &writer) }
    writer.write(book)
    writer.write(offsets)
    writer.write(trail)
    writer.write(donations)
    for slot in widgets.taken { writer.write(widgets[slot].prediction) }
    book.writeUse(to: &writer)
    writer.write(surfaces)
    writer.write(quietSince)
    writer.write(nextWake)
  }

  public init(from reader: inout ByteReader) throws(CorruptBytes) {
    let version = try reader.readTag()
    guard (1...Self.formVersion).contains(version) else { throw reader.corrupt("a device of form version \(version)") }
    id = try reader.read()
    timeZone = try reader.read()
    configuredPolicy =
      switch version {
      case 1: try Policy(firstForm: &reader)
      case 2, 3: try Policy(secondForm: &reader)
      case 4: try Policy(thirdForm: &reader)
      default: try reader.read()
      }
    // Before version 3 no device had numbers of its own.
    policyOverrides = version < 3 ? [:] : try reader.readOverrides()
    let (configured, overrides) = (configuredPolicy, policyOverrides)
    policy = try reader.checked { () throws(Refusal) in try configured.overridden(by: overrides) }
    isDeveloperModeOn = try reader.readBool()
    now = try reader.read()
    quietSince = now
    decisionCount = try reader.readUInt64()
    foregroundApp = try reader.readOptional()
    for _ in 0..<(try reader.readCount()) {
      let descriptor = try reader.read(WidgetDescriptor.self)
      guard kinds.updateValue(descriptor, forKey: descriptor.kind) == nil else {
        throw reader.corrupt("a kind that comes twice")
      }
      scores.append(try reader.read())
    }
    widgets = try reader.read()
    for _ in 0..<(try reader.readCount()) {
      let stack = try reader.read(StackState.self)
      guard stacks.position(of: stack.id) == nil else { throw reader.corrupt("a stack that comes twice") }
      stacks.append(stack)
    }
    // Version 1 knows nothing of suggestions.
    if version > 1 { try readSuggestions(from: &reader) }
    // Version 2 knows nothing of donations, nor since when it is as it is around the person.
    if version > 2 {
      try readDonations(from: &reader)
    } else if book.context != DeviceContext() {
      trail.note(book.context, at: now)
    }
    // Version 3 knows nothing of predictions: those of now come with the next event or wake.
    if version > 3 { try readPredictions(from: &reader) }
    // Version 4 knows nothing of surfaces.
    if version > 4 { surfaces = try reader.read() }
    // Before version 6 the device looked ahead to the end of the hour.
    if version > 5 { try readQuiet(from: &reader) }
    try checkReferences(reader)
    restoreConclusions()
    try takeWake(from: &reader, version)
  }

  private mutating func readQuiet(from reader: inout ByteReader) throws(CorruptBytes) {
    quietSince = try reader.read()
    guard quietSince <= now else { throw reader.corrupt("a last event that is yet to come") }
  }

  /// Reads the next wake. It is not found anew, since a request that waits for budget may be looked at earlier than the
  /// budget, as it is by now, would say; but it is never later than anything that is due.
  private mutating func takeWake(from reader: inout ByteReader, _ version: UInt8) throws(CorruptBytes) {
    var wake = try reader.readOptional(Instant.self)
    if version < 6 { wake = [wake, nextWake].compactMap(\.self).min() }
    guard wake ?? .max <= nextWake ?? .max, wake.map({ $0 > now && $0 < .max }) ?? true else {
      throw reader.corrupt("a wake that is over, or later than what is due")
    }
    nextWake = wake
  }

  private mutating func readSuggestions(from reader: inout ByteReader) throws(CorruptBytes) {
    for slot in widgets.taken {
      // The table's accessor does not carry typed errors.
      var state = widgets[slot]
      try state.readWindows(from: &reader)
      widgets[slot] = state
    }
    for index in stacks.indices { try stacks[index].readSuggestion(from: &reader) }
    book = try reader.read()
    for app in Set(book.shortcuts.keys).union(book.intents.keys) {
      for widget in book.spans(of: app, pointLength: policy.pointLength).keys where kinds[widget.kind] == nil {
        throw reader.corrupt("a shortcut of a kind that is not registered")
      }
    }
  }

  private mutating func readPredictions(from reader: inout ByteReader) throws(CorruptBytes) {
    for slot in widgets.taken {
      let prediction = try reader.readOptional(Prediction.self)
      guard prediction == nil || widgets[slot].widget.configuration != nil else {
        throw reader.corrupt("a prediction of a widget that has no configuration")
      }
      widgets[slot].prediction = prediction
    }
    try book.readUse(from: &reader)
  }

  private mutating func readDonations(from reader: inout ByteReader) throws(CorruptBytes) {
    offsets = try reader.readOptional()
    trail = try reader.read()
    donations = try reader.read()
    guard offsets.map({ $0.zone == timeZone }) ?? true, trail.steps.last.map({ $0.start <= now }) ?? true else {
      throw reader.corrupt("offsets of another zone, or surroundings of later")
    }
    donations.recount(book.intentTypes)
  }

  private func checkReferences(_ reader: ByteReader) throws(CorruptBytes) {
    for state in widgets.taken.lazy.map({ widgets[$0] })
    where !scores.indices.contains(state.kind) || kinds.keys[state.kind] != state.widget.kind {
      throw reader.corrupt("a widget of kind \(state.kind), which is another")
    }
    for stack in stacks.all {
      for slot in stack.members + [stack.suggestion?.slot].compactMap(\.self)
      where !widgets.isTaken(slot) {
        throw reader.corrupt("a member in slot \(slot), which is vacant")
      }
      guard Set((0..<stack.shownCount).map(stack.slot)).count == stack.shownCount else {
        throw reader.corrupt("a member that comes twice")
      }
    }
  }
}

extension ByteReader {
  /// Reads instants in rising order, of which some may be equal.
  mutating func readRisingInstants(countMax: Int) throws(CorruptBytes) -> [Instant] {
    let instants = try readArray(Instant.self)
    guard instants.count <= countMax, zip(instants, instants.dropFirst()).allSatisfy({ $0 <= $1 }) else {
      throw corrupt("\(instants.count) instants, at most \(countMax), or out of order")
    }
    return instants
  }
}
