import MarqueeModel

/// The form of devices since version 5 and of events of tag 20: the third form, and what came later.
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
    writer.write(shortcutWeight)
    writer.write(pointLength)
    writer.write(suggestionCountMax)
    writer.write(appSuggestionCountMax)
    writer.write(priorGood)
    writer.write(priorBad)
    writer.write(predictionWeight)
    writer.write(predictionMin)
    writer.write(predictionLead)
    writer.write(lockScreenBar)
    writer.write(searchBar)
    writer.write(suggestionsWidgetBar)
    writer.write(watchFaceBar)
    writer.write(shareSheetBar)
    writer.write(nowPlayingBar)
    writer.write(shortcutsGalleryBar)
    writer.write(leaveLead)
  }

  public init(from reader: inout ByteReader) throws(CorruptBytes) {
    try self.init(thirdForm: &reader)
    lockScreenBar = try reader.readDouble()
    searchBar = try reader.readDouble()
    suggestionsWidgetBar = try reader.readDouble()
    watchFaceBar = try reader.readDouble()
    shareSheetBar = try reader.readDouble()
    nowPlayingBar = try reader.readDouble()
    shortcutsGalleryBar = try reader.readDouble()
    leaveLead = try reader.read()
    try check(reader)
  }

  /// Reads the form of devices of version 4 and of events of tag 19, which know nothing of surfaces.
  init(thirdForm reader: inout ByteReader) throws(CorruptBytes) {
    try self.init(secondForm: &reader)
    predictionWeight = try reader.readDouble()
    predictionMin = try reader.readDouble()
    predictionLead = try reader.readDouble()
    try check(reader)
  }

  /// Reads the form of devices of versions 2 and 3 and of events of tag 9, which know nothing of predictions.
  init(secondForm reader: inout ByteReader) throws(CorruptBytes) {
    try self.init(firstForm: &reader)
    shortcutWeight = try reader.readDouble()
    pointLength = try reader.read()
    suggestionCountMax = try reader.readInt()
    appSuggestionCountMax = try reader.readInt()
    priorGood = try reader.readDouble()
    priorBad = try reader.readDouble()
    try check(reader)
  }

  /// Reads the form of devices of version 1 and of events of tag 6, which know nothing of shortcuts.
  init(firstForm reader: inout ByteReader) throws(CorruptBytes) {
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
    try check(reader)
  }

  private func check(_ reader: ByteReader) throws(CorruptBytes) {
    try reader.checked { () throws(Refusal) in try check() }
  }
}

/// Fields are stored by their names, in the order of the table.
extension PolicyChange: ByteCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(set)
    let reset = PolicyField.all.filter(reset.contains)
    writer.write(reset.count)
    for field in reset { writer.write(field.name) }
  }

  public init(from reader: inout ByteReader) throws(CorruptBytes) {
    let set = try reader.readOverrides()
    var reset: Set<PolicyField> = []
    for _ in 0..<(try reader.readCount()) {
      guard let field = PolicyField(try reader.readString()), reset.insert(field).inserted else {
        throw reader.corrupt("no field of the policy, or one that comes twice")
      }
    }
    self = try reader.checked { () throws(Refusal) in try PolicyChange(set: set, reset: reset) }
  }
}

extension ByteWriter {
  mutating func write(_ overrides: [PolicyField: Double]) {
    write(overrides.count)
    for field in PolicyField.all {
      guard let value = overrides[field] else { continue }
      write(field.name)
      write(value)
    }
  }
}

extension ByteReader {
  mutating func readOverrides() throws(CorruptBytes) -> [PolicyField: Double] {
    var overrides: [PolicyField: Double] = [:]
    for _ in 0..<(try readCount()) {
      guard let field = PolicyField(try readString()) else { throw corrupt("no field of the policy") }
      guard overrides.updateValue(try readDouble(), forKey: field) == nil else {
        throw corrupt("a field of the policy that comes twice")
      }
    }
    return overrides
  }
}
