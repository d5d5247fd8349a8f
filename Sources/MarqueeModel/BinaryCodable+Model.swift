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
extension GroupName: BinaryCodable {}
extension IntentType: BinaryCodable {}
extension FocusID: BinaryCodable {}
extension TimeZoneID: BinaryCodable {}
extension LanguageTag: BinaryCodable {}
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
    // Without a description and an app's name, the encoding is that of earlier releases.
    if !descriptionText.isEmpty {
      writer.write(tag: Self.descriptionTag)
      writer.write(descriptionText)
    }
    if let appName {
      writer.write(tag: Self.appNameTag)
      writer.write(appName)
    }
    switch configuration {
    case .static: writer.write(false)
    case .intent(let type):
      writer.write(true)
      writer.write(type)
    }
  }

  /// The tag before a description, in place of which a kind without one has 0 or 1: whether it is configurable.
  private static var descriptionTag: UInt8 { 2 }

  /// The tag before the name of the kind's app, after the description.
  private static var appNameTag: UInt8 { 3 }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let kind = try reader.read(WidgetKind.self)
    let displayName = try reader.readString()
    let families = try reader.readArray(WidgetFamily.self)
    var tag = try reader.readTag()
    let description = tag == Self.descriptionTag ? try reader.readString() : ""
    if tag == Self.descriptionTag {
      guard !description.isEmpty else { throw reader.corrupt("empty description") }
      tag = try reader.readTag()
    }
    let appName = tag == Self.appNameTag ? try reader.readString() : nil
    if appName != nil { tag = try reader.readTag() }
    guard tag < 2 else { throw reader.corrupt("unknown configuration: \(tag)") }
    let type = tag == 1 ? try reader.read(IntentType.self) : nil
    self = try reader.checked { () throws(RequestError) in
      try WidgetDescriptor(
        kind: kind, displayName: displayName, descriptionText: description, families: families,
        configuration: type.map { .intent($0) } ?? .static
      ).named(appName)
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
  /// Writes the flags of the parts, of which the first one was the only one before entries had details, and the parts.
  public func write(to writer: inout ByteWriter) {
    writer.write(date)
    let details = details
    var parts = EntryParts()
    if relevance != nil { parts.insert(.relevance) }
    if details.expiry != nil { parts.insert(.expiry) }
    if details.isPrivate { parts.insert(.isPrivate) }
    if details.redacted != nil { parts.insert(.redacted) }
    if details.link != nil { parts.insert(.link) }
    writer.write(tag: parts.rawValue)
    if let relevance { writer.write(relevance) }
    writer.write(content)
    if let expiry = details.expiry { writer.write(expiry) }
    if let redacted = details.redacted { writer.write(redacted) }
    if let link = details.link { writer.write(link.text) }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let date = try reader.read(Instant.self)
    let parts = EntryParts(rawValue: try reader.readTag())
    guard parts.isSubset(of: .all), parts.contains(.isPrivate) || !parts.contains(.redacted) else {
      throw reader.corrupt("unknown entry flags: \(parts.rawValue)")
    }
    let relevance = parts.contains(.relevance) ? try reader.read(TimelineEntryRelevance.self) : nil
    let content = try reader.read(EntryContent.self)
    guard parts.isSubset(of: .relevance) else {
      let details = try EntryDetails(parts, from: &reader)
      self = try reader.checked { () throws(RequestError) in
        try TimelineEntry(date: date, relevance: relevance, content: content, details: details)
      }
      return
    }
    self.init(date: date, relevance: relevance, content: content)
  }
}

/// The parts of an encoded entry. Flags are never reused.
private struct EntryParts: OptionSet {
  let rawValue: UInt8

  static let relevance = EntryParts(rawValue: 1)
  static let expiry = EntryParts(rawValue: 2)
  static let isPrivate = EntryParts(rawValue: 4)
  static let redacted = EntryParts(rawValue: 8)
  static let link = EntryParts(rawValue: 16)
  static let all: EntryParts = [.relevance, .expiry, .isPrivate, .redacted, .link]
}

extension EntryDetails {
  fileprivate init(_ parts: EntryParts, from reader: inout ByteReader) throws(BinaryDecodingError) {
    let expiry = parts.contains(.expiry) ? try reader.read(Instant.self) : nil
    let redacted = parts.contains(.redacted) ? try reader.read(EntryContent.self) : nil
    let text = parts.contains(.link) ? try reader.readString() : nil
    self.init(
      expiry: expiry, sensitivity: parts.contains(.isPrivate) ? .isPrivate(redacted) : .none,
      link: try reader.checked { () throws(RequestError) in
        try text.map { (text) throws(RequestError) in try EntryLink(text) }
      })
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
    let tag = try reader.readTag()
    try self.init(tag, from: &reader)
  }

  fileprivate init(_ tag: UInt8, from reader: inout ByteReader) throws(BinaryDecodingError) {
    switch tag {
    case 0: self = .atEnd
    case 1: self = .after(try reader.read())
    case 2: self = .never
    default: throw reader.corrupt("unknown reload policy: \(tag)")
    }
  }
}

/// The encoding without the family, which events and devices encode separately. Before the reload policy, a fallback
/// and a group have tags that no policy has.
extension Timeline: BinaryCodable {
  private static var fallbackTag: UInt8 { 3 }
  private static var groupTag: UInt8 { 4 }

  public func write(to writer: inout ByteWriter) {
    writer.write(entries)
    if let fallback {
      writer.write(tag: Self.fallbackTag)
      writer.write(fallback)
    }
    if let group {
      writer.write(tag: Self.groupTag)
      writer.write(group)
    }
    writer.write(policy)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let entries = try reader.readArray(TimelineEntry.self)
    var tag = try reader.readTag()
    var (fallback, group): (EntryContent?, GroupName?)
    if tag == Self.fallbackTag {
      fallback = try reader.read()
      tag = try reader.readTag()
    }
    if tag == Self.groupTag {
      group = try reader.read()
      tag = try reader.readTag()
    }
    self.init(
      submitted: entries, policy: try TimelineReloadPolicy(tag, from: &reader), fallback: fallback, group: group)
  }
}
