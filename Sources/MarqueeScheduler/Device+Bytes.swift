import MarqueeModel
import OrderedCollections

extension Device: BinaryCodable {
  /// The format version that ``write(to:)`` produces.
  private static var formatVersion: UInt8 { 14 }

  /// The format version that ``stored(_:)`` produces: ``formatVersion`` with a ``TimelineStorage``.
  private static var storedFormatVersion: UInt8 { 15 }

  /// The byte before the format version of a device whose encoding ends with counts (rule R17).
  private static var countsMark: UInt8 { 255 }

  /// The byte before the format version of a device whose encoding ends with Focus filters (rule S11), after counts.
  private static var focusFiltersMark: UInt8 { 254 }

  /// The byte before the format version of a device whose encoding ends with dismissals of suggestions and
  /// sizes of widgets (rules S12, W8), after Focus filters.
  private static var additionsMark: UInt8 { 253 }

  /// The mark of a device whose encoding ends with a language other than English (rule X3), after additions.
  private static var languageMark: UInt8 { 252 }

  /// The mark of a device whose encoding ends with a cost of rotations other than the default (rule R16), after a
  /// language.
  private static var rotationCostMark: UInt8 { 251 }

  /// The mark of a device whose encoding ends with identifiers of donations, after a cost of rotations.
  private static var identifiersMark: UInt8 { 250 }

  /// The mark of a device whose encoding ends with counts of removed instances (rule R17), after identifiers.
  private static var formerCountsMark: UInt8 { 249 }

  /// The outermost mark: the first byte of a device whose encoding ends with replaced members (rules R4, R12).
  private static var replacedMark: UInt8 { 248 }

  /// Whether ``stored(_:)`` of this or an earlier release produced the version.
  private static func isStored(_ version: UInt8) -> Bool { [7, 9, 11, 13, storedFormatVersion].contains(version) }

  public func write(to writer: inout ByteWriter) { write(to: &writer, nil) }

  /// Returns the encoding of the device for a store.
  public func stored(_ storage: TimelineStorage) -> [UInt8] {
    var writer = ByteWriter()
    write(to: &writer, storage)
    return writer.bytes
  }

  private func write(to writer: inout ByteWriter, _ storage: TimelineStorage?) {
    let hasCounts = widgets.hasCounts
    let hasAdditions = surfaces.hasDismissals || !widgetSizes.isEmpty
    let hasIdentifiers = donations.hasIdentifiers
    let hasFormerCounts = !widgets.formerCounters.isEmpty
    let hasReplaced = stacks.indices.contains { stacks[$0].hasReplaced }
    if hasReplaced { writer.write(tag: Self.replacedMark) }
    if hasFormerCounts { writer.write(tag: Self.formerCountsMark) }
    if hasIdentifiers { writer.write(tag: Self.identifiersMark) }
    if configuredPolicy.hasRotationCost { writer.write(tag: Self.rotationCostMark) }
    if language != .english { writer.write(tag: Self.languageMark) }
    if hasAdditions { writer.write(tag: Self.additionsMark) }
    if !focusFilterTable.isEmpty { writer.write(tag: Self.focusFiltersMark) }
    if hasCounts { writer.write(tag: Self.countsMark) }
    writer.write(tag: storage == nil ? Self.formatVersion : Self.storedFormatVersion)
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
    widgets.write(to: &writer, storage)
    writer.write(stacks.count)
    for stack in stacks.all { writer.write(stack) }
    for slot in widgets.occupiedSlots { widgets[slot].writeWindows(to: &writer) }
    for stack in stacks.all { stack.writeSuggestion(to: &writer) }
    suggestionState.write(to: &writer)
    writer.write(offsets)
    writer.write(contextHistory)
    writer.write(donations)
    for slot in widgets.occupiedSlots { writer.write(widgets[slot].prediction) }
    suggestionState.writeUse(to: &writer)
    writer.write(surfaces)
    writer.write(lastContextChange)
    writer.write(nextWake)
    for slot in widgets.occupiedSlots { writer.write(widgets[slot].publishedAt) }
    suggestionState.writeSnoozes(to: &writer)
    for slot in widgets.occupiedSlots { widgets[slot].writeFamilies(to: &writer) }
    for stack in stacks.all { stack.writeSettings(to: &writer) }
    if hasCounts { widgets.writeCounters(to: &writer) }
    if !focusFilterTable.isEmpty { writer.write(focusFilterTable) }
    if hasAdditions { writeAdditions(to: &writer) }
    if language != .english { writer.write(language) }
    if configuredPolicy.hasRotationCost { writer.write(configuredPolicy.rotationCost) }
    if hasIdentifiers { donations.writeIdentifiers(to: &writer) }
    if hasFormerCounts { widgets.writeFormerCounters(to: &writer) }
    if hasReplaced { for position in stacks.indices { stacks[position].writeReplaced(to: &writer) } }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) { try self.init(from: &reader, nil) }

  /// Decodes a device from all of `bytes`, which ``stored(_:)``, or ``encoded`` in any version, has returned.
  ///
  /// - Throws: `BinaryDecodingError` if the data is malformed, or if bytes remain after the device.
  public init(stored bytes: [UInt8], _ source: TimelineSource) throws(BinaryDecodingError) {
    var reader = ByteReader(bytes)
    try self.init(from: &reader, source)
    guard reader.isAtEnd else { throw reader.corrupt("unexpected bytes after the device") }
  }

  private init(from reader: inout ByteReader, _ source: TimelineSource?) throws(BinaryDecodingError) {
    let (version, marks) = try Self.readVersion(from: &reader)
    let isStored = Self.isStored(version)
    guard (1...Self.storedFormatVersion).contains(version), !isStored || source != nil else {
      throw reader.corrupt("unsupported device format version \(version)")
    }
    id = try reader.read()
    timeZone = try reader.read()
    configuredPolicy =
      switch version {
      case 1: try Policy(v1: &reader)
      case 2, 3: try Policy(v2: &reader)
      case 4: try Policy(v3: &reader)
      case 5...11: try Policy(v4: &reader)
      case 12, 13: try Policy(v5: &reader)
      default: try reader.read()
      }
    // Version 3 added the device's policy overrides.
    policyOverrides = version < 3 ? [:] : try reader.readOverrides()
    policy = try Self.policy(configuredPolicy, overriddenBy: policyOverrides, reader)
    isDeveloperModeOn = try reader.readBool()
    now = try reader.read()
    lastContextChange = now
    decisionCount = try reader.readUInt64()
    foregroundApp = try reader.readOptional()
    try readKinds(from: &reader)
    widgets = try WidgetTable(from: &reader, isStored ? source : nil)
    for _ in 0..<(try reader.readCount()) {
      let stack = try reader.read(StackState.self)
      guard stacks.position(of: stack.id) == nil else { throw reader.corrupt("duplicate stack") }
      stacks.append(stack)
    }
    // Version 10 added families.
    let hasFamilies = version > 9
    // Version 2 added suggestions.
    if version > 1 { try readSuggestions(from: &reader, version) }
    // Version 3 added donations and the context history.
    if version > 2 {
      try readDonations(from: &reader)
    } else if suggestionState.context != DeviceContext() {
      contextHistory.note(suggestionState.context, at: now)
    }
    // Version 4 added predictions. Without them, the next event or wake computes the current ones.
    if version > 3 { try readPredictions(from: &reader) }
    // Version 5 added surfaces.
    if version > 4 { surfaces = try reader.read() }
    // Version 6 added the last context change; earlier versions looked ahead to the end of the hour.
    if version > 5 { try readLastContextChange(from: &reader) }
    let wake = try reader.readOptional(Instant.self)
    // Version 8 added publication dates and snoozes.
    if version > 7 {
      try readPublications(from: &reader)
      try suggestionState.readSnoozes(from: &reader, at: now)
    }
    if hasFamilies { try readFamilies(from: &reader) }
    // Version 12 added the settings of members.
    if version > 11 {
      for index in stacks.indices { try stacks[index].readSettings(from: &reader, at: now) }
    }
    try readMarkedParts(marks, from: &reader)
    try widgets.linkAll(reader)
    try checkReferences(reader)
    if hasFamilies { try checkFamilies(reader) } else { deriveFamilies() }
    recomputeDerivedState()
    try setWake(wake, version, reader)
  }

  /// Reads the parts that follow a device whose encoding begins with their marks, the innermost first.
  private mutating func readMarkedParts(
    _ marks: [UInt8], from reader: inout ByteReader
  ) throws(BinaryDecodingError) {
    if marks.contains(Self.countsMark) { try widgets.readCounters(from: &reader, at: now) }
    if marks.contains(Self.focusFiltersMark) { try readFocusFilters(from: &reader) }
    if marks.contains(Self.additionsMark) { try readAdditions(from: &reader) }
    if marks.contains(Self.languageMark) { try readLanguage(from: &reader) }
    if marks.contains(Self.rotationCostMark) {
      try configuredPolicy.readRotationCost(from: &reader)
      policy = try Self.policy(configuredPolicy, overriddenBy: policyOverrides, reader)
    }
    if marks.contains(Self.identifiersMark) { try donations.readIdentifiers(from: &reader) }
    if marks.contains(Self.formerCountsMark) { try widgets.readFormerCounters(from: &reader, at: now) }
    if marks.contains(Self.replacedMark) { try readReplaced(from: &reader) }
  }

  /// Reads the marks before the format version, in ascending order, and the version.
  private static func readVersion(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> (version: UInt8, marks: [UInt8]) {
    var marks: [UInt8] = []
    var tag = try reader.readTag()
    while (replacedMark...countsMark).contains(tag) {
      guard marks.last ?? 0 < tag else { throw reader.corrupt("duplicate or unordered mark \(tag)") }
      marks.append(tag)
      tag = try reader.readTag()
    }
    return (tag, marks)
  }

  private static func policy(
    _ configured: Policy, overriddenBy overrides: [PolicyField: Double], _ reader: ByteReader
  ) throws(BinaryDecodingError) -> Policy {
    try reader.checked { () throws(RequestError) in try configured.overridden(by: overrides) }
  }

  private func writeAdditions(to writer: inout ByteWriter) {
    surfaces.writeDismissals(to: &writer)
    writer.write(widgetSizes.count)
    for family in WidgetFamily.allCases {
      guard let size = widgetSizes[family] else { continue }
      writer.write(family)
      writer.write(size)
    }
  }

  private mutating func readAdditions(from reader: inout ByteReader) throws(BinaryDecodingError) {
    try surfaces.readDismissals(from: &reader, at: now)
    var last: UInt8 = 0
    for _ in 0..<(try reader.readCount()) {
      let (family, size) = (try reader.read(WidgetFamily.self), try reader.read(WidgetSize.self))
      guard family.rawValue > last else { throw reader.corrupt("duplicate or unordered size of a family") }
      widgetSizes[family] = size
      last = family.rawValue
    }
    guard surfaces.hasDismissals || !widgetSizes.isEmpty else { throw reader.corrupt("a mark without additions") }
  }

  private mutating func readReplaced(from reader: inout ByteReader) throws(BinaryDecodingError) {
    for index in stacks.indices { try stacks[index].readReplaced(from: &reader) }
    guard stacks.indices.contains(where: { stacks[$0].hasReplaced }) else {
      throw reader.corrupt("a mark of replaced members without any")
    }
  }

  private mutating func readLanguage(from reader: inout ByteReader) throws(BinaryDecodingError) {
    language = try reader.read()
    guard language != .english else { throw reader.corrupt("a mark of a language with the default") }
  }

  private mutating func readFocusFilters(from reader: inout ByteReader) throws(BinaryDecodingError) {
    focusFilterTable = try reader.read()
    guard !focusFilterTable.isEmpty else { throw reader.corrupt("a mark of Focus filters without any") }
    try checkFocusFilters(reader)
  }

  private mutating func readKinds(from reader: inout ByteReader) throws(BinaryDecodingError) {
    for _ in 0..<(try reader.readCount()) {
      let descriptor = try reader.read(WidgetDescriptor.self)
      guard kinds.updateValue(descriptor, forKey: descriptor.kind) == nil else {
        throw reader.corrupt("duplicate widget kind")
      }
      scores.append(try reader.read())
    }
  }

  private mutating func readPublications(from reader: inout ByteReader) throws(BinaryDecodingError) {
    for slot in widgets.occupiedSlots {
      var state = widgets[slot]
      try state.readPublication(from: &reader, at: now)
      widgets[slot] = state
    }
  }

  private mutating func readLastContextChange(from reader: inout ByteReader) throws(BinaryDecodingError) {
    lastContextChange = try reader.read()
    guard lastContextChange <= now else { throw reader.corrupt("last context change is in the future") }
  }

  /// Sets the next wake to the stored value.
  ///
  /// The stored value is used instead of a recomputed one: a reload request that waits for budget may have been
  /// scheduled for an earlier check than the present budget implies. It must not be later than any boundary that is
  /// due, unless an earlier release stored it, by whose rules a boundary may have been later.
  private mutating func setWake(
    _ stored: Instant?, _ version: UInt8, _ reader: ByteReader
  ) throws(BinaryDecodingError) {
    guard widgets.summaries.allSatisfy({ $0.nextBoundary ?? .max > now }) else {
      throw reader.corrupt("timeline entry, relevance end or window that should have been reached")
    }
    let soonest = now.advanced(by: TimeSpan(milliseconds: 1))
    let wake = version < 10 ? [stored, nextWake].compactMap(\.self).min().map { max($0, soonest) } : stored
    guard wake ?? .max <= max(nextWake ?? .max, soonest), wake.map({ $0 > now && $0 < .max }) ?? true else {
      throw reader.corrupt("next wake is in the past, or later than the next due boundary")
    }
    nextWake = wake
  }

  private mutating func readSuggestions(
    from reader: inout ByteReader, _ version: UInt8
  ) throws(BinaryDecodingError) {
    for slot in widgets.occupiedSlots {
      // Copies the state because the table's `_modify` accessor does not propagate typed errors.
      var state = widgets[slot]
      try state.readWindows(from: &reader)
      widgets[slot] = state
    }
    for index in stacks.indices { try stacks[index].readSuggestion(from: &reader) }
    // Version 14 added the texts of intent types.
    suggestionState = try SuggestionState(from: &reader, hasFamilies: version > 9, hasTexts: version > 13)
    for app in Set(suggestionState.shortcuts.keys).union(suggestionState.intents.keys) {
      for widget in suggestionState.spans(of: app, pointLength: policy.pointLength).keys where kinds[widget.kind] == nil
      {
        throw reader.corrupt("shortcut names a widget kind that is not registered")
      }
    }
  }

  private mutating func readPredictions(from reader: inout ByteReader) throws(BinaryDecodingError) {
    for slot in widgets.occupiedSlots {
      let prediction = try reader.readOptional(Prediction.self)
      guard prediction == nil || widgets[slot].widget.configuration != nil else {
        throw reader.corrupt("prediction for a widget without a configuration")
      }
      widgets[slot].prediction = prediction
    }
    try suggestionState.readUse(from: &reader)
  }

  private mutating func readDonations(from reader: inout ByteReader) throws(BinaryDecodingError) {
    offsets = try reader.readOptional()
    contextHistory = try reader.read()
    donations = try reader.read()
    guard offsets.map({ $0.zone == timeZone }) ?? true, contextHistory.steps.last.map({ $0.start <= now }) ?? true
    else {
      throw reader.corrupt("UTC offsets of another time zone, or context changes in the future")
    }
    donations.recount(suggestionState.intentTypes)
  }

  private func checkReferences(_ reader: ByteReader) throws(BinaryDecodingError) {
    for state in widgets.occupiedSlots.lazy.map({ widgets[$0] })
    where !scores.indices.contains(state.kind) || kinds.keys[state.kind] != state.widget.kind {
      throw reader.corrupt("widget refers to the wrong kind (index \(state.kind))")
    }
    for instance in suggestionState.homeWidgets where kinds[instance.widget.kind] == nil {
      throw reader.corrupt("widget on the Home Screen of a kind that is not registered")
    }
    for stack in stacks.all {
      for slot in stack.members + [stack.suggestion?.slot].compactMap(\.self)
      where !widgets.isOccupied(slot) {
        throw reader.corrupt("member refers to vacant slot \(slot)")
      }
      guard Set((0..<stack.shownCount).map(stack.slot)).count == stack.shownCount else {
        throw reader.corrupt("duplicate stack member")
      }
    }
  }
}

// MARK: Families

extension Device {
  private mutating func readFamilies(from reader: inout ByteReader) throws(BinaryDecodingError) {
    for slot in widgets.occupiedSlots {
      var state = widgets[slot]
      try state.readFamilies(from: &reader)
      widgets[slot] = state
    }
  }

  private func checkFamilies(_ reader: ByteReader) throws(BinaryDecodingError) {
    for stack in stacks.all {
      for slot in stack.members + [stack.suggestion?.slot].compactMap(\.self)
      where widgets[slot].family != stack.family {
        throw reader.corrupt("member of another family than its stack")
      }
    }
  }

  /// Determines the families of a device of an earlier format, which had one state for all families of a widget.
  ///
  /// The state belongs to the family of the first stack that shows the widget or, if there is none, to the kind's first
  /// family. Stacks of other families receive new instances, which take over the timeline and prediction.
  private mutating func deriveFamilies() {
    let old = widgets.occupiedSlots
    for slot in old { widgets.move(slot, to: kinds.values[widgets[slot].kind].families[0]) }
    var (shown, changed): (Set<Int>, Set<Int>) = ([], [])
    for position in stacks.indices {
      let family = stacks[position].family
      for slot in stacks[position].members + [stacks[position].suggestion?.slot].compactMap(\.self) {
        if shown.insert(slot).inserted {
          widgets.move(slot, to: family)
        } else if widgets[slot].family != family {
          let new = slotForDerived(family, like: slot)
          stacks[position].replaceSlot(slot, with: new)
          changed.formUnion([slot, new])
        }
      }
    }
    for slot in changed.sorted() { updateVisibleDuration(slot) }
    for slot in old { deriveEvidence(slot, isShown: shown.contains(slot)) }
    let families = Dictionary(uniqueKeysWithValues: old.map { (widgets[$0].widget, widgets[$0].family) })
    let kinds = kinds
    suggestionState.setFamilies { families[$0] ?? kinds[$0.kind]?.families[0] ?? .systemSmall }
  }

  /// Applies shortcuts, intents and the prediction of a widget to its instances in the families of stacks.
  private mutating func deriveEvidence(_ slot: Int, isShown: Bool) {
    let state = widgets[slot]
    guard state.isNamed || state.prediction != nil else { return }
    let isOutside = suggestionState.homeWidgets.contains { $0.widget == state.widget }
    let families = evidenceFamilies(of: state.kind, stackFamilies)
    if !isShown, !isOutside, !families.contains(state.family) { widgets.move(slot, to: families[0]) }
    for family in families where state.isNamed || !isShown && !isOutside {
      let new = slotForDerived(family, like: slot)
      if state.isNamed { widgets[new].adoptWindows(of: state) }
    }
    if state.isNamed, !families.contains(widgets[slot].family) {
      widgets[slot].isNamed = false
      widgets[slot].setWindows([], at: now)
    }
  }

  /// Returns the slot of the instance in a family of the widget in a slot, creating the instance if it does not exist.
  private mutating func slotForDerived(_ family: WidgetFamily, like slot: Int) -> Int {
    let state = widgets[slot]
    if let known = widgets.slot(of: state.widget, in: family) { return known }
    let new = insert(WidgetInstance(state.widget, in: family), adoptingFrom: slot)
    widgets[new].prediction = state.prediction
    return new
  }
}

extension ByteReader {
  /// Reads instants in non-descending order.
  mutating func readRisingInstants(countMax: Int) throws(BinaryDecodingError) -> [Instant] {
    let instants = try readArray(Instant.self)
    guard instants.count <= countMax, zip(instants, instants.dropFirst()).allSatisfy({ $0 <= $1 }) else {
      throw corrupt("more than \(countMax) instants (\(instants.count)), or not in ascending order")
    }
    return instants
  }
}
