import MarqueeModel

/// Format version 6 of the policy, used in devices since format version 14 and in events with tag 30. The cost of
/// rotations follows separately where it is not the default: at the end of devices, and in events with tag 37.
extension Policy: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writeVersion4(to: &writer)
    writer.write(restingFront)
    writer.write(backgroundConfidenceFraction)
  }

  /// The bytes that identify the policy in stored checksums: without the fields of later format versions that have
  /// their default, so that a new field changes the checksums of those policies only that use it.
  public var identifyingBytes: [UInt8] {
    var writer = ByteWriter()
    writeVersion4(to: &writer)
    let hasFraction = backgroundConfidenceFraction != Policy.default.backgroundConfidenceFraction
    if hasFraction || hasRotationCost || restingFront != Policy.default.restingFront { writer.write(restingFront) }
    if hasFraction || hasRotationCost { writer.write(backgroundConfidenceFraction) }
    if hasRotationCost { writer.write(rotationCost) }
    return writer.bytes
  }

  /// Whether the encoding needs the cost of rotations.
  var hasRotationCost: Bool { rotationCost != Policy.default.rotationCost }

  /// Decodes the cost of rotations, which only follows if it is not the default.
  mutating func readRotationCost(from reader: inout ByteReader) throws(BinaryDecodingError) {
    rotationCost = try reader.readDouble()
    guard hasRotationCost else { throw reader.corrupt("a default cost of rotations") }
    try check(reader)
  }

  private func writeVersion4(to writer: inout ByteWriter) {
    writer.write(timelineWeight)
    writer.write(threshold)
    writer.write(margin)
    writer.write(dwell)
    writer.write(hold)
    writer.write(rotationCountMax)
    writer.write(scoreRetention)
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
    writer.write(lockScreenConfidenceMin)
    writer.write(searchConfidenceMin)
    writer.write(suggestionsWidgetConfidenceMin)
    writer.write(watchFaceConfidenceMin)
    writer.write(shareSheetConfidenceMin)
    writer.write(nowPlayingConfidenceMin)
    writer.write(shortcutsGalleryConfidenceMin)
    writer.write(leaveLead)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    try self.init(v5: &reader)
    backgroundConfidenceFraction = try reader.readDouble()
    try check(reader)
  }

  /// Decodes format version 5, without a fraction for actions that run in the background: devices of versions 12 to 13
  /// and events with tag 27.
  init(v5 reader: inout ByteReader) throws(BinaryDecodingError) {
    try self.init(v4: &reader)
    restingFront = try reader.read()
    try check(reader)
  }

  /// Decodes format version 4, without resting fronts: devices of versions 5 to 11 and events with tag 20.
  init(v4 reader: inout ByteReader) throws(BinaryDecodingError) {
    try self.init(v3: &reader)
    lockScreenConfidenceMin = try reader.readDouble()
    searchConfidenceMin = try reader.readDouble()
    suggestionsWidgetConfidenceMin = try reader.readDouble()
    watchFaceConfidenceMin = try reader.readDouble()
    shareSheetConfidenceMin = try reader.readDouble()
    nowPlayingConfidenceMin = try reader.readDouble()
    shortcutsGalleryConfidenceMin = try reader.readDouble()
    leaveLead = try reader.read()
    try check(reader)
  }

  /// Decodes format version 3, without surfaces: devices of version 4 and events with tag 19.
  init(v3 reader: inout ByteReader) throws(BinaryDecodingError) {
    try self.init(v2: &reader)
    predictionWeight = try reader.readDouble()
    predictionMin = try reader.readDouble()
    predictionLead = try reader.readDouble()
    try check(reader)
  }

  /// Decodes format version 2, without predictions: devices of versions 2 and 3 and events with tag 9.
  init(v2 reader: inout ByteReader) throws(BinaryDecodingError) {
    try self.init(v1: &reader)
    shortcutWeight = try reader.readDouble()
    pointLength = try reader.read()
    suggestionCountMax = try reader.readInt()
    appSuggestionCountMax = try reader.readInt()
    priorGood = try reader.readDouble()
    priorBad = try reader.readDouble()
    try check(reader)
  }

  /// Decodes format version 1, without shortcuts: devices of version 1 and events with tag 6.
  init(v1 reader: inout ByteReader) throws(BinaryDecodingError) {
    timelineWeight = try reader.readDouble()
    threshold = try reader.readDouble()
    margin = try reader.readDouble()
    dwell = try reader.read()
    hold = try reader.read()
    rotationCountMax = try reader.readInt()
    scoreRetention = try reader.read()
    reloadCountMin = try reader.readInt()
    reloadCountMax = try reader.readInt()
    reloadSpacing = try reader.read()
    try check(reader)
  }

  private func check(_ reader: ByteReader) throws(BinaryDecodingError) {
    try reader.checked { () throws(RequestError) in try check() }
  }
}

/// Fields are encoded by name, in the order of ``PolicyField/all``.
extension PolicyChange: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(set)
    let reset = PolicyField.all.filter(reset.contains)
    writer.write(reset.count)
    for field in reset { writer.write(field.name) }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let set = try reader.readOverrides()
    var reset: Set<PolicyField> = []
    for _ in 0..<(try reader.readCount()) {
      guard let field = PolicyField(try reader.readString()), reset.insert(field).inserted else {
        throw reader.corrupt("unknown or duplicate policy field")
      }
    }
    self = try reader.checked { () throws(RequestError) in try PolicyChange(set: set, reset: reset) }
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
  mutating func readOverrides() throws(BinaryDecodingError) -> [PolicyField: Double] {
    var overrides: [PolicyField: Double] = [:]
    for _ in 0..<(try readCount()) {
      guard let field = PolicyField(try readString()) else { throw corrupt("unknown policy field") }
      guard overrides.updateValue(try readDouble(), forKey: field) == nil else {
        throw corrupt("duplicate policy field")
      }
    }
    return overrides
  }
}
