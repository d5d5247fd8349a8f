extension Pin: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(times)
    writer.write(place)
    writer.write(focus)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    self.init(times: try reader.readOptional(), place: try reader.readOptional(), focus: try reader.readOptional())
  }
}

extension PinTimes: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(tag: weekdays.rawValue)
    writer.write(start)
    writer.write(end)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (weekdays, start, end) = (Weekdays(rawValue: try reader.readTag()), try reader.readInt(), try reader.readInt())
    guard end > 0 else { throw reader.corrupt("end of pin times at minute 0") }
    self = try reader.checked { () throws(RequestError) in try PinTimes(weekdays: weekdays, start: start, end: end) }
  }
}

extension RotationRule: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(isToAllowed)
    writer.write(isAwayAllowed)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    self.init(isToAllowed: try reader.readBool(), isAwayAllowed: try reader.readBool())
  }
}

extension MemberSettings: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(pin)
    writer.write(rotationRule)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    self.init(pin: try reader.readOptional(), rotationRule: try reader.read())
  }
}
