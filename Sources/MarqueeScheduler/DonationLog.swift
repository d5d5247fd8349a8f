import MarqueeModel
import OrderedCollections

/// The intent types that each app has registered.
typealias RegisteredTypes = OrderedDictionary<AppID, [IntentTypeDescriptor]>

/// The encoded content of a donation, including display strings, and the app that donated it.
struct DonatedContent: Hashable, Sendable {
  let app: AppID
  let bytes: [UInt8]

  /// The approximate stored size, in bytes.
  var storedSize: Int { bytes.count + Device.itemSize }

  func decoded() throws(BinaryDecodingError) -> Donation.Content { try Donation.Content(decoding: bytes) }
}

/// The stored donations of a device, ordered by date (rule D1).
///
/// Everything learned from donations is a function of the log and the registered types. The representation is
/// canonical: contents, groups and contexts are numbered in the order in which records first refer to them, so a log
/// from which donations were deleted is bit for bit equal to one that never contained them (rule D5).
struct DonationLog: Sendable {
  private(set) var records = RecordSequence()
  private(set) var contents = InternTable<DonatedContent>()
  private(set) var groups = InternTable<Donation.Group>()
  /// The contexts of the records, each as an encoded `DeviceContext`.
  private(set) var contexts = InternTable<[UInt8]>()
  /// The actions that the contents count as.
  private(set) var actions = ActionTable()
  /// The recognized activities of the contents, at the same indices.
  private(set) var recognizedActivities: [RecognizedActivity?] = []
  /// The contents that are received interactions.
  private var received: Set<UInt32> = []
  /// The numbers of records that are received interactions.
  private var receivedCounts: [AppID: Int] = [:]
  private var indices: [AppID: IdentityIndex] = [:]
  /// The identifiers of the records, as far as their identities do not contain them.
  private var identifiers = DonationIdentifiers()
  /// The stored size of ``contents``, in bytes.
  private var contentSize = 0
  /// Whether the tables may be out of the order of the records, or have unreferenced values.
  private var needsRenumbering = false

  /// The effect of adding a donation.
  enum Change {
    /// The log is unchanged.
    case none
    /// The record counts as actions of the user and follows all others that do. These are unchanged.
    case appended(DonationRecord)
    /// No record that counts as an action of the user changed.
    case uncounted
    /// Earlier records that count as actions changed.
    case rearranged
  }

  init() {}

  /// The apps that have donations, in no particular order.
  var apps: some Collection<AppID> { indices.keys }

  /// Returns the number of donations of the app, or of all apps.
  @inline(__always) func count(of app: AppID?) -> Int {
    guard let app else { return records.count }
    return indices[app]?.count ?? 0
  }

  /// Clamps the dates of later donations to `instant`.
  mutating func setDates(notAfter instant: Instant) {
    guard let last = records.lastDate, last > instant else { return }
    records.update { $0.date = min($0.date, instant) }
    for record in records.all where record.date == instant {
      indices[app(of: record)]?[record.identity] = instant
    }
  }

  /// Whether the app has a donation with this identifier.
  func knows(_ id: Donation.ID, of app: AppID) -> Bool {
    guard let index = indices[app] else { return false }
    return index[identity(of: id, app).identity] != nil
  }

  /// Returns the identity of an identifier of the app and its form: that of the stored donation, if there is one.
  private func identity(
    of id: Donation.ID, _ app: AppID
  ) -> (identity: DonationIdentity, form: DonationIdentity.Form) {
    let made = DonationIdentity.make(id)
    guard made.form != .text, let index = indices[app], index[made.identity] == nil else { return made }
    // An earlier release has stored the hash of a UUID.
    let hash = DonationIdentity(hashing: id)
    return index[hash] == nil ? made : (hash, .text)
  }

  /// Returns the donation's identifier, or `nil` if an earlier release stored only its hash.
  func identifier(of record: DonationRecord) -> Donation.ID? {
    record.identity.identifier(in: record.form) ?? identifiers[record.identity]
  }

  /// The approximate stored size of the log, in bytes.
  var storedSize: Int {
    contentSize + identifiers.storedSize
      + (records.count + groups.values.count + contexts.values.count) * Device.itemSize
  }

  /// Adds a donation, replacing the app's earlier one with the same identifier (rule D6).
  ///
  /// Adding an equal donation has no effect. Call ``endBatch(_:)`` after the last donation of a batch.
  ///
  /// - Parameters:
  ///   - context: The context at the donation's date.
  ///   - offset: The UTC offset at the donation's date, in seconds.
  ///   - types: The intent types that apps have registered.
  /// - Returns: The effect on the log.
  mutating func add(
    _ donation: Donation, of app: AppID, context: DeviceContext, offset: Int, _ types: RegisteredTypes
  ) -> Change {
    let (identity, form) = identity(of: donation.id, app)
    let content = DonatedContent(app: app, bytes: donation.content.encoded)
    var isCountedReplaced = false
    if let earlier = position(of: identity, app) {
      guard
        records[earlier].date != donation.date || contents.values[Int(records[earlier].content)] != content
          || group(of: records[earlier]) != donation.group
      else { return .none }
      isCountedReplaced = isCounted(records[earlier])
      countReceived(records[earlier], -1)
      records.remove(at: earlier)
    }
    let (index, isNew) = contents.intern(content)
    if isNew {
      note(donation.activity, of: app, types)
      contentSize += content.storedSize
    }
    let record = DonationRecord(
      date: donation.date, identity: identity, content: index,
      group: donation.group.map { groups.intern($0).index + 1 } ?? 0,
      context: contexts.intern(context.encoded).index, offset: Int16(offset / 60), form: form)
    if form == .text { identifiers[identity] = donation.id }
    let isCounted = isCounted(record)
    let isLastCounted = !isCounted || !hasCounted(after: record.date)
    let isKnown = indices[app]?[identity] != nil
    let isLast = records.insert(record)
    indices[app, default: IdentityIndex()][identity] = donation.date
    countReceived(record, 1)
    if !isLast || isKnown { needsRenumbering = true }
    guard !isCountedReplaced, isLastCounted else { return .rearranged }
    return isCounted ? .appended(record) : .uncounted
  }

  /// Restores the canonical numbers after donations were added.
  mutating func endBatch(_ types: RegisteredTypes) {
    guard needsRenumbering else { return }
    needsRenumbering = false
    renumber(types)
  }

  /// Whether the record counts as an action of the user.
  func isCounted(_ record: DonationRecord) -> Bool { !actions.entries[Int(record.content)].isEmpty }

  /// Whether a record after `date` counts as an action of the user.
  ///
  /// - Complexity: Proportional to the number of records after `date`, of which there are usually none.
  private func hasCounted(after date: Instant) -> Bool {
    records.newestFirst.lazy.prefix { $0.date > date }.contains(where: isCounted)
  }

  /// Returns the number of interactions that the app's user received, which are among its donations.
  func receivedCount(of app: AppID) -> Int { receivedCounts[app] ?? 0 }

  /// Whether the user received the record's interaction.
  func isReceived(_ record: DonationRecord) -> Bool { received.contains(record.content) }

  /// Adds `change` to the number of the app's received interactions if the record is one.
  private mutating func countReceived(_ record: DonationRecord, _ change: Int) {
    guard isReceived(record) else { return }
    let app = app(of: record)
    let count = receivedCount(of: app) + change
    receivedCounts[app] = count == 0 ? nil : count
  }

  /// Recomputes what the contents count as, after a change of the registered types.
  mutating func recount(_ types: RegisteredTypes) {
    actions = ActionTable()
    recognizedActivities = []
    received = []
    contentSize = 0
    for content in contents.values {
      contentSize += content.storedSize
      do {
        note(try content.decoded().activity, of: content.app, types)
      } catch {
        preconditionFailure("cannot decode a stored activity: \(error)")
      }
    }
  }

  private mutating func note(_ activity: Donation.Activity, of app: AppID, _ types: RegisteredTypes) {
    actions.append(activity, of: app, types[app] ?? [])
    if activity.isReceived { received.insert(UInt32(recognizedActivities.count)) }
    recognizedActivities.append(RecognizedActivity(activity))
  }

  /// Removes the donations for which `shouldRemove` returns `true`. It is called once per record, oldest first.
  mutating func remove(_ types: RegisteredTypes, where shouldRemove: (DonationRecord) -> Bool) {
    var kept: [DonationRecord] = []
    kept.reserveCapacity(records.count)
    for record in records.all {
      guard shouldRemove(record) else {
        kept.append(record)
        continue
      }
      indices[app(of: record)]?[record.identity] = nil
      countReceived(record, -1)
    }
    guard kept.count < records.count else { return }
    records = RecordSequence(ordered: kept)
    identifiers.keep(of: kept)
    indices = indices.filter { $0.value.count > 0 }
    renumber(types)
  }

  /// Returns the indices of the app's contents whose activity satisfies `isIncluded`.
  func contents(of app: AppID, where isIncluded: (Donation.Activity) -> Bool) -> Set<UInt32> {
    Set(
      contents.values.indices.filter { index in
        guard contents.values[index].app == app else { return false }
        do {
          return isIncluded(try contents.values[index].decoded().activity)
        } catch {
          preconditionFailure("cannot decode a stored activity: \(error)")
        }
      }.map(UInt32.init))
  }

  /// Returns the donated activity with its representation.
  func content(of record: DonationRecord) -> Donation.Content { content(at: record.content) }

  /// Returns the content with an index.
  func content(at index: UInt32) -> Donation.Content {
    do {
      return try contents.values[Int(index)].decoded()
    } catch {
      preconditionFailure("cannot decode a stored donation: \(error)")
    }
  }

  /// Returns the content of the latest donation that counts as each of the actions.
  ///
  /// - Complexity: Proportional to the number of donations since the earliest of the returned ones.
  func latestContents(of actions: Set<UInt32>) -> [UInt32: UInt32] {
    var (found, visited) = ([UInt32: UInt32](), Set<UInt32>())
    for record in records.newestFirst where found.count < actions.count {
      guard visited.insert(record.content).inserted else { continue }
      for entry in self.actions.entries[Int(record.content)]
      where actions.contains(entry.action) && found[entry.action] == nil {
        found[entry.action] = record.content
      }
    }
    return found
  }

  func app(of record: DonationRecord) -> AppID { contents.values[Int(record.content)].app }

  /// Returns the context in which the donation was made.
  func context(of record: DonationRecord) -> DeviceContext {
    do {
      return try DeviceContext(decoding: contexts.values[Int(record.context)])
    } catch {
      preconditionFailure("cannot decode a stored context: \(error)")
    }
  }

  func group(of record: DonationRecord) -> Donation.Group? {
    record.group == 0 ? nil : groups.values[Int(record.group) - 1]
  }

  private func position(of identity: DonationIdentity, _ app: AppID) -> RecordSequence.Position? {
    guard let date = indices[app]?[identity] else { return nil }
    return records.position(at: date) { $0.identity == identity && self.app(of: $0) == app }
  }

  /// Renumbers the tables in the order of the records, and removes unreferenced values.
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
      contents.visit(record.content)
      if record.group > 0 { groups.visit(record.group - 1) }
      contexts.visit(record.context)
    }
    return (contents, groups, contexts)
  }
}

extension DonationLog: Equatable {
  static func == (left: DonationLog, right: DonationLog) -> Bool {
    left.records == right.records && left.contents == right.contents && left.groups == right.groups
      && left.contexts == right.contexts && left.identifiers == right.identifiers
  }
}

extension DonationLog {
  /// Whether the log equals another one, except that it has hashes of some of the other's identifiers.
  func lacksOnlyIdentifiers(of other: DonationLog) -> Bool {
    guard contents == other.contents, groups == other.groups, contexts == other.contexts else { return false }
    return records.count == other.records.count
      && zip(records.all, other.records.all).allSatisfy { record, complete in
        var completed = record
        if let id = other.identifier(of: complete), record.identity == DonationIdentity(hashing: id) {
          (completed.identity, completed.form) = (complete.identity, complete.form)
        }
        return completed == complete
      }
  }

  /// Whether there is any identifier to encode.
  var hasIdentifiers: Bool { records.all.contains { $0.form != .hash } }

  /// Writes the identifiers of all records in their order.
  func writeIdentifiers(to writer: inout ByteWriter) {
    for record in records.all {
      writer.write(tag: record.form.rawValue)
      if record.form == .text, let id = identifiers[record.identity] { writer.write(id) }
    }
  }

  /// Reads the identifiers of the records, which were read before.
  mutating func readIdentifiers(from reader: inout ByteReader) throws(BinaryDecodingError) {
    var forms: [DonationIdentity.Form] = []
    for record in records.all {
      let tag = try reader.readTag()
      guard let form = DonationIdentity.Form(rawValue: tag) else {
        throw reader.corrupt("unknown form of a donation's identifier: \(tag)")
      }
      forms.append(form)
      guard form == .text else { continue }
      let id = try reader.read(Donation.ID.self)
      guard DonationIdentity(hashing: id) == record.identity else {
        throw reader.corrupt("a donation's identifier does not match its hash")
      }
      identifiers[record.identity] = id
    }
    var position = 0
    records.update { record in
      record.form = forms[position]
      position += 1
    }
    guard hasIdentifiers else { throw reader.corrupt("a mark of identifiers without any") }
  }
}

/// The encoding omits the identifiers, which ``writeIdentifiers(to:)`` writes, and ``actions``,
/// ``recognizedActivities`` and ``received``; ``recount(_:)`` recomputes them.
extension DonationLog: BinaryCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(contents.values.count)
    for content in contents.values {
      writer.write(content.app)
      writer.write(content.bytes)
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

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    for _ in 0..<(try reader.readCount()) {
      let content = DonatedContent(app: try reader.read(), bytes: try reader.readBytes())
      let decoded = try content.decoded()
      let (index, isNew) = contents.intern(content)
      guard decoded.encoded == content.bytes, isNew else {
        throw reader.corrupt("duplicate or non-canonical donation content")
      }
      if decoded.activity.isReceived { received.insert(index) }
    }
    for group in try reader.readArray(Donation.Group.self) where !groups.intern(group).isNew {
      throw reader.corrupt("duplicate donation group")
    }
    for _ in 0..<(try reader.readCount()) {
      let context = try reader.readBytes()
      guard try DeviceContext(decoding: context).encoded == context, contexts.intern(context).isNew else {
        throw reader.corrupt("duplicate or non-canonical donation context")
      }
    }
    var last = Instant.min
    for _ in 0..<(try reader.readCount()) {
      let record = try readRecord(from: &reader, after: last)
      last = record.date
      records.insert(record)
      let app = app(of: record)
      guard indices[app]?[record.identity] == nil else { throw reader.corrupt("duplicate donation") }
      indices[app, default: IdentityIndex()][record.identity] = record.date
      countReceived(record, 1)
    }
    let (contents, groups, contexts) = renumberings()
    guard contents.isIdentity, groups.isIdentity, contexts.isIdentity else {
      throw reader.corrupt("donation tables are not in the order of the records")
    }
  }

  private func readRecord(
    from reader: inout ByteReader, after last: Instant
  ) throws(BinaryDecodingError) -> DonationRecord {
    let span = try reader.readUInt64()
    guard span <= UInt64(last.span(to: .max).milliseconds) else { throw reader.corrupt("donation date out of range") }
    let identity = DonationIdentity(high: try reader.readBits(), low: try reader.readBits())
    let (content, group, context) = (try reader.readInt(), try reader.readInt(), try reader.readInt())
    guard contents.values.indices.contains(content), group <= groups.values.count,
      contexts.values.indices.contains(context)
    else { throw reader.corrupt("donation refers to a missing table entry") }
    let offset = try reader.readInt64()
    guard offset.magnitude <= UInt64(UTCOffsets.offsetMax / 60) else { throw reader.corrupt("UTC offset out of range") }
    return DonationRecord(
      date: last.advanced(by: TimeSpan(milliseconds: Int64(span))), identity: identity, content: UInt32(content),
      group: UInt32(group), context: UInt32(context), offset: Int16(offset))
  }
}
