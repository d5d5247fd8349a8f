/// A shortcut with a user activity or a group has ``activityFlag`` or ``groupFlag`` in the byte of its role; the
/// activity and the group follow. The encoding of other shortcuts is that of releases without them.
extension RelevantShortcut: BinaryCodable {
  private static var activityFlag: UInt8 { 0x80 }
  private static var groupFlag: UInt8 { 0x40 }

  public func write(to writer: inout ByteWriter) {
    writer.write(kind)
    writer.write(intent)
    writer.write(
      tag: role.rawValue | (userActivity == nil ? 0 : Self.activityFlag) | (group == nil ? 0 : Self.groupFlag))
    if let userActivity { writer.write(userActivity) }
    if let group { writer.write(group) }
    writer.write(providers)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let kind = try reader.readOptional(KindName.self)
    let intent = try reader.readOptional(Intent.self)
    let tag = try reader.readTag()
    guard let role = Role(rawValue: tag & ~(Self.activityFlag | Self.groupFlag)) else {
      throw reader.corrupt("unknown shortcut role")
    }
    let activity = tag & Self.activityFlag == 0 ? nil : try reader.read(UserActivity.self)
    let group = tag & Self.groupFlag == 0 ? nil : try reader.read(GroupName.self)
    let providers = try reader.readArray(RelevanceProvider.self)
    self = try reader.checked { () throws(RequestError) in
      try RelevantShortcut(
        kind: kind, intent: intent, userActivity: activity, role: role, providers: providers, group: group)
    }
  }
}

/// The Boolean that states whether the window has an end has ``groupFlag`` added to it if the intent has a group, which
/// follows the window. The encoding of other intents is that of releases without groups.
extension RelevantIntent: BinaryCodable {
  private static var endFlag: UInt8 { 1 }
  private static var groupFlag: UInt8 { 2 }

  public func write(to writer: inout ByteWriter) {
    writer.write(intent)
    writer.write(kind)
    writer.write(window.start)
    writer.write(tag: (window.end == nil ? 0 : Self.endFlag) | (group == nil ? 0 : Self.groupFlag))
    if let end = window.end { writer.write(end) }
    if let group { writer.write(group) }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (intent, kind) = (try reader.read(Intent.self), try reader.read(KindName.self))
    let (start, tag) = (try reader.read(Instant.self), try reader.readTag())
    guard tag <= Self.endFlag | Self.groupFlag else { throw reader.corrupt("unknown flags of a window: \(tag)") }
    let end = tag & Self.endFlag == 0 ? nil : try reader.read(Instant.self)
    let window = try reader.checked { () throws(RequestError) in try DateWindow(start: start, end: end) }
    let group = tag & Self.groupFlag == 0 ? nil : try reader.read(GroupName.self)
    self.init(intent: intent, kind: kind, window: window, group: group)
  }
}

extension RelevanceProvider: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    switch self {
    case .date(let window):
      writer.write(tag: 1)
      writer.write(window)
    case .location(let region):
      writer.write(tag: 2)
      writer.write(region)
    case .dailyRoutine(let situation):
      writer.write(tag: 3)
      writer.write(situation)
    case .other: writer.write(tag: 4)
    }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    switch try reader.readTag() {
    case 1: self = .date(try reader.read())
    case 2: self = .location(try reader.read())
    case 3: self = .dailyRoutine(try reader.read())
    case 4: self = .other
    case let tag: throw reader.corrupt("unknown relevance provider: \(tag)")
    }
  }
}

extension DateWindow: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(start)
    writer.write(end)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (start, end) = (try reader.read(Instant.self), try reader.readOptional(Instant.self))
    self = try reader.checked { () throws(RequestError) in try DateWindow(start: start, end: end) }
  }
}

extension PlaceRegion: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(center)
    writer.write(radius)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (center, radius) = (try reader.read(Place.self), try reader.readDouble())
    self = try reader.checked { () throws(RequestError) in try PlaceRegion(center: center, radius: radius) }
  }
}

extension RoutineSituation: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(tag: rawValue)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    guard let situation = RoutineSituation(rawValue: try reader.readTag()) else {
      throw reader.corrupt("unknown routine situation")
    }
    self = situation
  }
}

extension ContextChange: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    switch self {
    case .place(let place):
      writer.write(tag: 1)
      writer.write(place)
    case .focus(let focus):
      writer.write(tag: 2)
      writer.write(focus)
    case .routine(let situation):
      writer.write(tag: 3)
      writer.write(situation)
    }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    switch try reader.readTag() {
    case 1: self = .place(try reader.readOptional())
    case 2: self = .focus(try reader.readOptional())
    case 3: self = .routine(try reader.read())
    case let tag: throw reader.corrupt("unknown context change: \(tag)")
    }
  }
}

extension DeviceContext: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(place)
    writer.write(focus)
    // Bit 0: whether there is a routine event. Bit 1: whether the instants of arrival and Focus follow, which contexts
    // stored by earlier versions lack.
    let hasInstants = placeSince != nil || focusSince != nil
    writer.write(tag: (routine == nil ? 0 : 1) + (hasInstants ? 2 : 0))
    if let routine { writer.write(routine) }
    guard hasInstants else { return }
    writer.write(placeSince)
    writer.write(focusSince)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    self.init()
    place = try reader.readOptional()
    focus = try reader.readOptional()
    let parts = try reader.readTag()
    guard parts < 4 else { throw reader.corrupt("a context has unknown parts (\(parts))") }
    if parts & 1 != 0 { routine = try reader.read() }
    guard parts & 2 != 0 else { return }
    placeSince = try reader.readOptional()
    focusSince = try reader.readOptional()
    guard placeSince != nil || focusSince != nil else { throw reader.corrupt("a context has no instants") }
  }
}

extension RoutineEvent: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(situation)
    writer.write(at)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    self.init(try reader.read(), at: try reader.read())
  }
}
