// The binary encodings of decisions. An encoding that has been stored never changes: a new version gets a new tag.

extension Decision: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(tag: kind.rawValue)
    writer.write(number)
    writer.write(to)
    writer.write(explanation)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let tag = try reader.readTag()
    guard let kind = Kind(rawValue: tag) else { throw reader.corrupt("unknown decision kind: \(tag)") }
    self.init(
      kind: kind, number: try reader.readUInt64(), to: try reader.read(), explanation: try reader.read())
  }
}

extension Explanation: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(stack)
    writer.write(at)
    writer.write(front)
    writer.write(candidates)
    writer.write(chosen)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    self.init(
      stack: try reader.read(), at: try reader.read(), front: try reader.readOptional(),
      candidates: try reader.readArray(), chosen: try reader.readOptional())
  }
}

extension Candidate: BinaryCodable {
  /// Writes the Boolean ``isInFront``, plus 2 if a pin follows, plus 4 if an expiry does, plus 8 if a representative
  /// does.
  public func write(to writer: inout ByteWriter) {
    writer.write(widget)
    writer.write(position)
    writer.write(
      tag: (isInFront ? 1 : 0) + (pin == nil ? 0 : 2) + (expiry == nil ? 0 : 4) + (representative == nil ? 0 : 8))
    writer.write(evidence)
    writer.write(signals)
    writer.write(episodeStart)
    writer.write(gates)
    if let pin { writer.write(pin) }
    if let expiry { writer.write(expiry) }
    if let representative { writer.write(representative) }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (widget, position, tag) = (try reader.read(Widget.self), try reader.readInt(), try reader.readTag())
    guard tag < 16 else { throw reader.corrupt("unknown candidate tag: \(tag)") }
    self.init(
      widget: widget, position: position, isInFront: tag & 1 > 0, evidence: try reader.readDouble(),
      signals: try reader.readArray(), episodeStart: try reader.readOptional(), gates: try reader.readArray(),
      pin: tag & 2 > 0 ? try reader.read() : nil, expiry: tag & 4 > 0 ? try reader.read() : nil,
      representative: tag & 8 > 0 ? try reader.read() : nil)
  }
}

extension SignalShare: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(tag: signal.rawValue)
    for number in [score, reference, strength, weight, share] { writer.write(number) }
    if signal == .prediction { writer.write(habit) }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let tag = try reader.readTag()
    guard let signal = Signal(rawValue: tag) else { throw reader.corrupt("unknown signal: \(tag)") }
    self.init(
      signal: signal, score: try reader.readDouble(), reference: try reader.readDouble(),
      strength: try reader.readDouble(), weight: try reader.readDouble(), share: try reader.readDouble(),
      habit: signal == .prediction ? try reader.readOptional() : nil)
  }
}

extension GateResult: BinaryCodable {
  /// Writes the Boolean ``isPassed``, or, of a failed gate, 1 more than the value of its ``episodeEnd``, if it has one.
  public func write(to writer: inout ByteWriter) {
    writer.write(tag: gate.rawValue)
    writer.write(tag: isPassed ? 1 : episodeEnd.map { $0.rawValue + 1 } ?? 0)
    writer.write(measured)
    writer.write(required)
    writer.write(clears)
    writer.write(since)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let tag = try reader.readTag()
    guard let gate = Gate(rawValue: tag) else { throw reader.corrupt("unknown gate: \(tag)") }
    let state = try reader.readTag()
    let end = state > 1 ? EpisodeEnd(rawValue: state - 1) : nil
    guard state <= 1 || end != nil else { throw reader.corrupt("unknown gate state: \(state)") }
    self.init(
      gate, isPassed: state == 1, measured: try reader.readDouble(), required: try reader.readDouble(),
      clears: try reader.readOptional(), since: try reader.readOptional(), episodeEnd: end)
  }
}
