import MarqueeModel
import OrderedCollections

/// The intent types that each app has registered.
typealias RegisteredTypes = OrderedDictionary<AppID, [IntentTypeDescriptor]>

/// What was done, as bytes that keep it exactly, also what is shown for values, and by whose app.
struct DonatedContent: Hashable, Sendable {
  let app: AppID
  let deed: [UInt8]

  func decodedDeed() throws(CorruptBytes) -> Donation.Deed { try Donation.Deed(decoding: deed) }
}

/// The donations that a device remembers, in the order of their dates (rule D1).
///
/// The log is the truth: whatever is learned from donations is a function of it and of the registered types. It has one
/// form for what it holds: contents, groups and contexts are numbered in the order in which they first appear among the
/// records, so a log from which donations were deleted equals, bit for bit, one that never had them (rule D5).
struct DonationLog: Sendable {
  private(set) var records = RecordSequence()
  private(set) var contents = InternTable<DonatedContent>()
  private(set) var groups = InternTable<Donation.Group>()
  /// What surrounded the person, as the bytes of a `DeviceContext`.
  private(set) var contexts = InternTable<[UInt8]>()
  /// What the contents count for.
  private(set) var actions = ActionTable()
  /// What the contents say beyond that, at the same indices.
  private(set) var knownDeeds: [KnownDeed?] = []
  private var indices: [AppID: IdentityIndex] = [:]

  /// What a donation does to the log.
  enum Change {
    /// Nothing.
    case none
    /// It is the last record; all others are as they were.
    case appended(DonationRecord)
    /// Records before it, or their numbers, are not what they were.
    case rearranged
  }

  init() {}

  /// Apps that have donations here; in no order.
  var apps: some Collection<AppID> { indices.keys }

  /// How many donations of the app there are, or of all.
  @inline(__always) func count(of app: AppID?) -> Int {
    guard let app else { return records.count }
    return indices[app]?.count ?? 0
  }

  /// Takes in a donation, instead of the earlier one of its name if there is one (rule D6). An equal one changes
  /// nothing.
  ///
  /// - Parameters:
  ///   - context: What surrounded the person at the donation's date.
  ///   - offset: Seconds that the clocks were ahead of UTC then.
  ///   - types: The intent types that apps have registered.
  /// - Returns: What became of the log.
  mutating func add(
    _ donation: Donation, of app: AppID, context: DeviceContext, offset: Int, _ types: RegisteredTypes
  ) -> Change {
    let identity = DonationIdentity(donation.id)
    let content = DonatedContent(app: app, deed: donation.deed.encoded)
    let earlier = position(of: identity, app)
    if let earlier {
      guard
        records[earlier].date != donation.date || contents.values[Int(records[earlier].content)] != content
          || group(of: records[earlier]) != donation.group
      else { return .none }
      records.remove(at: earlier)
    }
    let (index, isNew) = contents.intern(content)
    if isNew { note(donation.deed, of: app, types) }
    let record = DonationRecord(
      date: donation.date, identity: identity, content: index,
      group: donation.group.map { groups.intern($0).index + 1 } ?? 0,
      context: contexts.intern(context.encoded).index, offset: Int16(offset / 60))
    let isLast = records.insert(record)
    indices[app, default: IdentityIndex()][identity] = donation.date
    guard !isLast || earlier != nil else { return .appended(record) }
    renumber(types)
    return .rearranged
  }

  /// Finds anew what the contents count for.
  mutating func recount(_ types: RegisteredTypes) {
    actions = ActionTable()
    knownDeeds = []
    for content in contents.values {
      do {
        note(try content.decodedDeed(), of: content.app, types)
      } catch {
        preconditionFailure("what was written cannot be read: \(error)")
      }
    }
  }

  private mutating func note(_ deed: Donation.Deed, of app: AppID, _ types: RegisteredTypes) {
    actions.append(deed, of: app, types[app] ?? [])
    knownDeeds.append(KnownDeed(deed))
  }

  /// Forgets the donations that `isMeant`, which is asked once for each, the oldest first.
  mutating func remove(_ types: RegisteredTypes, where isMeant: (DonationRecord) -> Bool) {
    var kept: [DonationRecord] = []
    kept.reserveCapacity(records.count)
    for record in records.all {
      if isMeant(record) { indices[app(of: record)]?[record.identity] = nil } else { kept.append(record) }
    }
    guard kept.count < records.count else { return }
    records = RecordSequence(ordered: kept)
    indices = indices.filter { $0.value.count > 0 }
    renumber(types)
  }

  func app(of record: DonationRecord) -> AppID { contents.values[Int(record.content)].app }

  /// What surrounded the person.
  func context(of record: DonationRecord) -> DeviceContext {
    do {
      return try DeviceContext(decoding: contexts.values[Int(record.context)])
    } catch {
      preconditionFailure("what was written cannot be read: \(error)")
    }
  }

  func group(of record: DonationRecord) -> Donation.Group? {
    record.group == 0 ? nil : groups.values[Int(record.group) - 1]
  }

  private func position(of identity: DonationIdentity, _ app: AppID) -> RecordSequence.Position? {
    guard let date = indices[app]?[identity] else { return nil }
    return records.position(at: date) { $0.identity == identity && self.app(of: $0) == app }
  }

  /// Brings the tables into the order of the records, without what none refers to.
  private mutating func renumber(_ types: RegisteredTypes) {
    let (contents, groups, contexts) = renumberings()
    guard !contents.isIdentity || !groups.isIdentity || !contexts.isIdentity else { return }
    records.update { record in
      record.content = contents[record.content]
      if record.group > 0 { record.group = groups[record.group - 1] + 1 }
      record.context = contexts[record.context]
    }
    self.groups.rearrange(groups.order)
    self.contexts.rearrange(contexts.order)
    guard !contents.isIdentity else { return }
    self.contents.rearrange(contents.order)
    recount(types)
  }

  private func renumberings() -> (contents: Renumbering, groups: Renumbering, contexts: Renumbering) {
    var contents = Renumbering(count: contents.values.count)
    var groups = Renumbering(count: groups.values.count)
    var contexts = Renumbering(count: contexts.values.count)
    for record in records.all {
      contents.meet(record.content)
      if record.group > 0 { groups.meet(record.group - 1) }
      contexts.meet(record.context)
    }
    return (contents, groups, contexts)
  }
}

extension DonationLog: Equatable {
  static func == (left: DonationLog, right: DonationLog) -> Bool {
    left.records == right.records && left.contents == right.contents && left.groups == right.groups
      && left.contexts == right.contexts
  }
}

/// The form does not say what contents count for: ``recount(_:)`` finds that anew.
extension DonationLog: ByteCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(contents.values.count)
    for content in contents.values {
      writer.write(content.app)
      writer.write(content.deed)
    }
    writer.write(groups.values)
    writer.write(contexts.values.count)
    for context in contexts.values { writer.write(context) }
    writer.write(records.count)
    var last = Instant.min
    for record in records.all {
      writer.write(UInt64(last.span(to: record.date).milliseconds))
      last = record.date
      writer.write(bits: record.identity.high)
      writer.write(bits: record.identity.low)
      writer.write(UInt64(record.content))
      writer.write(UInt64(record.group))
      writer.write(UInt64(record.context))
      writer.write(Int64(record.offset))
    }
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    for _ in 0..<(try reader.readCount()) {
      let content = DonatedContent(app: try reader.read(), deed: try reader.readBytes())
      let deed = try content.decodedDeed()
      guard deed.encoded == content.deed, contents.intern(content).isNew else { throw reader.corrupt("no content") }
    }
    for group in try reader.readArray(Donation.Group.self) where !groups.intern(group).isNew {
      throw reader.corrupt("a group that comes twice")
    }
    for _ in 0..<(try reader.readCount()) {
      let context = try reader.readBytes()
      guard try DeviceContext(decoding: context).encoded == context, contexts.intern(context).isNew else {
        throw reader.corrupt("no context")
      }
    }
    var last = Instant.min
    for _ in 0..<(try reader.readCount()) {
      let record = try readRecord(from: &reader, after: last)
      last = record.date
      records.insert(record)
      let app = app(of: record)
      guard indices[app]?[record.identity] == nil else { throw reader.corrupt("a donation that comes twice") }
      indices[app, default: IdentityIndex()][record.identity] = record.date
    }
    let (contents, groups, contexts) = renumberings()
    guard contents.isIdentity, groups.isIdentity, contexts.isIdentity else {
      throw reader.corrupt("tables that are not in the order of the donations")
    }
  }

  private func readRecord(
    from reader: inout ByteReader, after last: Instant
  ) throws(CorruptBytes) -> DonationRecord {
    let span = try reader.readUInt64()
    guard span <= UInt64(last.span(to: .max).milliseconds) else { throw reader.corrupt("a donation after all time") }
    let identity = DonationIdentity(high: try reader.readBits(), low: try reader.readBits())
    let (content, group, context) = (try reader.readInt(), try reader.readInt(), try reader.readInt())
    guard contents.values.indices.contains(content), group <= groups.values.count,
      contexts.values.indices.contains(context)
    else { throw reader.corrupt("a donation of something unknown") }
    let offset = try reader.readInt64()
    guard offset.magnitude <= UInt64(UTCOffsets.offsetMax / 60) else { throw reader.corrupt("an offset of no clock") }
    return DonationRecord(
      date: last.advanced(by: TimeSpan(milliseconds: Int64(span))), identity: identity, content: UInt32(content),
      group: UInt32(group), context: UInt32(context), offset: Int16(offset))
  }
}
