extension Donation.ID: BinaryCodable {}
extension Donation.Group: BinaryCodable {}
extension UserActivity.ActivityType: BinaryCodable {}
extension UserActivity.PersistentID: BinaryCodable {}
extension SearchableItemID: BinaryCodable {}

extension Donation: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(id)
    writer.write(group)
    writer.write(date)
    writer.write(content)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (id, group) = (try reader.read(ID.self), try reader.readOptional(Group.self))
    let (date, content) = (try reader.read(Instant.self), try reader.read(Content.self))
    self.init(id: id, group: group, date: date, activity: content.activity, display: content.display)
  }
}

/// The encoding is that of the activity, after a tag and the representation if there is one.
extension Donation.Content: BinaryCodable {
  private static let displayTag: UInt8 = 4

  public func write(to writer: inout ByteWriter) {
    if let display {
      writer.write(tag: Self.displayTag)
      writer.write(display)
    }
    writer.write(activity)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    var tag = try reader.readTag()
    let display = tag == Self.displayTag ? try reader.read(DonationDisplay.self) : nil
    if display != nil { tag = try reader.readTag() }
    self.init(activity: try Donation.Activity(tag: tag, from: &reader), display: display)
  }
}

extension Donation.Activity: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    switch self {
    case .intent(let intent):
      writer.write(tag: 1)
      writer.write(intent)
    case .userActivity(let activity):
      writer.write(tag: 2)
      writer.write(activity)
    case .reservations(let intent, let reservations):
      writer.write(tag: 3)
      writer.write(intent)
      writer.write(reservations)
    case .received(let intent):
      // Tag 4 precedes the representation of a content.
      writer.write(tag: 5)
      writer.write(intent)
    }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    try self.init(tag: try reader.readTag(), from: &reader)
  }

  fileprivate init(tag: UInt8, from reader: inout ByteReader) throws(BinaryDecodingError) {
    switch tag {
    case 1: self = .intent(try reader.read())
    case 2: self = .userActivity(try reader.read())
    case 3: self = .reservations(try reader.read(), try reader.readArray())
    case 5: self = .received(try reader.read())
    default: throw reader.corrupt("unknown activity: \(tag)")
    }
  }
}

extension UserActivity: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(type)
    writer.write(title != nil)
    if let title { writer.write(title) }
    writer.write(userInfo)
    writer.write(requiredUserInfoKeys)
    writer.write(isEligibleForSearch)
    writer.write(isEligibleForPrediction)
    writer.write(persistentID)
    writer.write(relatedItem)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let type = try reader.read(ActivityType.self)
    let title = try reader.readBool() ? reader.readString() : nil
    let userInfo = try reader.readArray(IntentParameter.self)
    let keys = try reader.readArray(IntentParameter.Name.self)
    let flags = (try reader.readBool(), try reader.readBool())
    let persistentID = try reader.readOptional(PersistentID.self)
    let relatedItem = try reader.readOptional(SearchableItemID.self)
    self = try reader.checked { () throws(RequestError) in
      try UserActivity(
        type: type, title: title, userInfo: userInfo, requiredUserInfoKeys: keys, isEligibleForSearch: flags.0,
        isEligibleForPrediction: flags.1, persistentID: persistentID, relatedItem: relatedItem)
    }
  }
}

extension DonationSelection: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    switch self {
    case .identifiers(let names):
      writer.write(tag: 1)
      writer.write(names)
    case .group(let group):
      writer.write(tag: 2)
      writer.write(group)
    case .persistentIDs(let names):
      writer.write(tag: 3)
      writer.write(names)
    case .relatedItem(let item):
      writer.write(tag: 4)
      writer.write(item)
    case .userActivities: writer.write(tag: 5)
    case .intents: writer.write(tag: 6)
    case .everything: writer.write(tag: 7)
    case .relatedItems(let items):
      writer.write(tag: 8)
      writer.write(items)
    case .allRelatedItems: writer.write(tag: 9)
    case .intentType(let type):
      writer.write(tag: 10)
      writer.write(type)
    }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    switch try reader.readTag() {
    case 1: self = .identifiers(try reader.readArray())
    case 2: self = .group(try reader.read())
    case 3: self = .persistentIDs(try reader.readArray())
    case 4: self = .relatedItem(try reader.read())
    case 5: self = .userActivities
    case 6: self = .intents
    case 7: self = .everything
    case 8: self = .relatedItems(try reader.readArray())
    case 9: self = .allRelatedItems
    case 10: self = .intentType(try reader.read())
    case let tag: throw reader.corrupt("unknown donation selection: \(tag)")
    }
  }
}

extension UTCOffsets: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(zone)
    writer.write(steps)
    writer.write(end)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (zone, steps) = (try reader.read(TimeZoneID.self), try reader.readArray(Step.self))
    let end = try reader.read(Instant.self)
    self = try reader.checked { () throws(RequestError) in try UTCOffsets(zone: zone, steps: steps, end: end) }
  }
}

extension UTCOffsets.Step: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(start)
    writer.write(Int64(seconds))
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (start, number) = (try reader.read(Instant.self), try reader.readInt64())
    guard let seconds = Int(exactly: number), (-UTCOffsets.offsetMax...UTCOffsets.offsetMax).contains(seconds) else {
      throw reader.corrupt("UTC offset out of range: \(number) s")
    }
    self.init(start: start, seconds: seconds)
  }
}
