// The binary encodings of the model types. An encoding that has been stored never changes: a new version gets a new
// tag.

extension Instant: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(UInt64(milliseconds))
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let number = try reader.readUInt64()
    guard let milliseconds = Int64(exactly: number), let instant = Instant(milliseconds: milliseconds) else {
      throw reader.corrupt("instant is outside the years 1970 to 9999")
    }
    self = instant
  }
}

extension TimeSpan: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(milliseconds)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    self.init(milliseconds: try reader.readInt64())
  }
}

extension BinaryCodable where Self: Identifier {
  public func write(to writer: inout ByteWriter) {
    writer.write(text)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let text = try reader.readString()
    self = try reader.checked { () throws(RequestError) in try Self(text) }
  }
}

extension DeviceID: BinaryCodable {}
extension StackID: BinaryCodable {}
extension AppID: BinaryCodable {}
extension KindName: BinaryCodable {}
extension IntentType: BinaryCodable {}
extension FocusID: BinaryCodable {}
extension TimeZoneID: BinaryCodable {}
extension IntentParameter.Name: BinaryCodable {}

extension WidgetFamily: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(tag: rawValue)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    guard let family = WidgetFamily(rawValue: try reader.readTag()) else {
      throw reader.corrupt("unknown widget family")
    }
    self = family
  }
}

extension WidgetKind: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(app)
    writer.write(name)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    self.init(app: try reader.read(), name: try reader.read())
  }
}

extension Widget: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(kind)
    writer.write(configuration)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    self.init(kind: try reader.read(), configuration: try reader.readOptional())
  }
}

extension WidgetDescriptor: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(kind)
    writer.write(displayName)
    writer.write(families)
    switch configuration {
    case .static: writer.write(false)
    case .intent(let type):
      writer.write(true)
      writer.write(type)
    }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let kind = try reader.read(WidgetKind.self)
    let displayName = try reader.readString()
    let families = try reader.readArray(WidgetFamily.self)
    let type = try reader.readOptional(IntentType.self)
    self = try reader.checked { () throws(RequestError) in
      try WidgetDescriptor(
        kind: kind, displayName: displayName, families: families, configuration: type.map { .intent($0) } ?? .static)
    }
  }
}

extension TimelineEntryRelevance: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(score)
    writer.write(duration)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (score, duration) = (try reader.readDouble(), try reader.read(TimeSpan.self))
    self = try reader.checked { () throws(RequestError) in try Self(score: score, duration: duration) }
  }
}

extension EntryContent: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(mediaType)
    writer.write(bytes)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (mediaType, bytes) = (try reader.readString(), try reader.readBytes())
    self = try reader.checked { () throws(RequestError) in try Self(mediaType: mediaType, bytes: bytes) }
  }
}

extension TimelineEntry: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(date)
    writer.write(relevance)
    writer.write(content)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    self.init(date: try reader.read(), relevance: try reader.readOptional(), content: try reader.read())
  }
}

extension TimelineReloadPolicy: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    switch self {
    case .atEnd: writer.write(tag: 0)
    case .after(let date):
      writer.write(tag: 1)
      writer.write(date)
    case .never: writer.write(tag: 2)
    }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    switch try reader.readTag() {
    case 0: self = .atEnd
    case 1: self = .after(try reader.read())
    case 2: self = .never
    case let tag: throw reader.corrupt("unknown reload policy: \(tag)")
    }
  }
}

/// The encoding without the family, which events and devices encode separately.
extension Timeline: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(entries)
    writer.write(policy)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    self.init(submitted: try reader.readArray(), policy: try reader.read())
  }
}
