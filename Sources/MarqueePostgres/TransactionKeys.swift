import MarqueeJournal

/// The data keys of devices as one transaction sees them.
final class TransactionKeys {
  private let cache: DataKeyCache
  private let directory: KeyDirectory
  private let epoch: UInt64
  /// The committed keys that the transaction has used.
  private var committed: [Int64: DataKey] = [:]
  /// The keys that the transaction introduces; `nil` for the devices that it removes.
  private(set) var changes: [Int64: DataKey?] = [:]

  /// Creates the keys of a transaction that has not begun.
  init(_ cache: DataKeyCache, _ directory: KeyDirectory) {
    self.cache = cache
    self.directory = directory
    epoch = cache.epoch
  }

  /// The devices whose rows are sealed again, in order.
  var replaced: [Int64] {
    changes.filter { ($0.value?.generation ?? 0) > 1 }.keys.sorted()
  }

  /// The columns of the table `seal` that ``insert(_:_:from:)`` reads.
  static let columns = "seal.generation, seal.kek, seal.wrapped"

  /// Reads the key of a device from the columns ``columns`` of a row, of which the first is `column`.
  ///
  /// - Throws: `JournalError` `corrupt` if there is none, or its key-encryption key is missing.
  func insert(of device: Int64, _ rows: PostgresRows, _ row: Int, from column: Int) throws {
    guard !rows.isNull(row, column) else { throw Self.missing(device, "the row with its data key is missing") }
    let generation = try rows.integer(row, column)
    if committed[device]?.generation == generation { return }
    if let cached = cache.key(of: device), cached.generation == generation {
      committed[device] = cached
      return
    }
    let name = try rows.text(row, column + 1)
    guard let wrapping = try directory.key(name) else {
      throw Self.missing(device, "the key-encryption key \(name) is missing")
    }
    guard let key = wrapping.unwrap(try rows.bytes(row, column + 2), of: device, generation: generation) else {
      throw Self.missing(device, "the key-encryption key \(name) does not open its data key")
    }
    committed[device] = key
    cache.insert(key, of: device, since: epoch)
  }

  /// Reads the keys of those of the devices that are not known.
  func prepare(_ devices: some Sequence<Int64>, _ transaction: PostgresTransaction) throws {
    let unknown = Set(devices).filter { known($0) == nil }.sorted()
    guard !unknown.isEmpty else { return }
    let rows = try transaction.run(
      PostgresCall(
        prepared: "data_keys",
        """
        SELECT wanted, \(Self.columns) FROM unnest($1::bigint[]) AS wanted LEFT JOIN seal ON seal.device = wanted
        """, [.integers(unknown)]))
    for row in 0..<rows.count { try insert(of: rows.integer(row, 0), rows, row, from: 1) }
  }

  /// Returns the key under which rows of a device are sealed, which must be known.
  func sealing(_ device: Int64) throws(JournalError) -> DataKey {
    guard let key = known(device) else { throw Self.missing(device, "the row with its data key is missing") }
    return key
  }

  /// Returns the key of a generation, or `nil` if the transaction sees another one: the row is not one of the device's.
  func opening(_ device: Int64, generation: Int64, _ transaction: PostgresTransaction) throws -> DataKey? {
    if case let change?? = changes[device], change.generation == generation { return change }
    if let key = committed[device] { return key.generation == generation ? key : nil }
    if let key = cache.key(of: device), key.generation == generation {
      committed[device] = key
      return key
    }
    try read(device, transaction)
    return committed[device].flatMap { $0.generation == generation ? $0 : nil }
  }

  /// Returns the key with which the rows that the transaction sees are sealed.
  func seen(_ device: Int64, _ transaction: PostgresTransaction) throws -> DataKey? {
    if let change = changes[device] { return change }
    // Not from the cache, whose key may be later than the transaction's view.
    if committed[device] == nil { try read(device, transaction) }
    return committed[device]
  }

  private func read(_ device: Int64, _ transaction: PostgresTransaction) throws {
    let rows = try transaction.run(
      PostgresCall(
        prepared: "data_key", "SELECT \(Self.columns) FROM seal WHERE device = $1", [.integer(device)]))
    guard rows.count == 1 else { throw Self.missing(device, "the row with its data key is missing") }
    try insert(of: device, rows, 0, from: 0)
  }

  /// Returns the key of a device for the only writer, which makes all keys.
  private func known(_ device: Int64) -> DataKey? {
    if let change = changes[device] { return change }
    if let key = committed[device] { return key }
    return cache.key(of: device)
  }

  private static func missing(_ device: Int64, _ finding: String) -> JournalError {
    JournalError(.corrupt, "device number \(device) cannot be read: \(finding)")
  }
}

/// Changes of keys, by the writer.
extension TransactionKeys {
  /// Makes the first key of a new device.
  func create(_ device: Int64) { changes[device] = DataKey(generation: 1) }

  /// Makes the next key of a device, under which the rest of the transaction seals, unless it has made one.
  func replace(_ device: Int64, _ transaction: PostgresTransaction) throws {
    if case .some(.some(let key)) = changes[device], key.generation > 1 { return }
    try prepare([device], transaction)
    let generation = try sealing(device).generation
    changes[device] = DataKey(generation: generation + 1)
  }

  /// Forgets the key of a removed device.
  func remove(_ device: Int64) { changes[device] = .some(nil) }

  /// Returns the statement that stores the key that the transaction has made for a device.
  func storing(_ devices: [Int64]) throws -> PostgresCall {
    guard let newest = try directory.newest() else { throw KeyDirectory.refused("it has no key") }
    let keys = try devices.map { try sealing($0) }
    return PostgresCall(
      prepared: "store_data_keys",
      """
      INSERT INTO seal (device, generation, kek, wrapped)
      SELECT device, generation, $4, wrapped
      FROM unnest($1::bigint[], $2::bigint[], $3::bytea[]) AS added(device, generation, wrapped)
      ON CONFLICT (device) DO UPDATE
        SET generation = excluded.generation, kek = excluded.kek, wrapped = excluded.wrapped
      """,
      [
        .integers(devices), .integers(keys.map(\.generation)),
        .byteArrays(try zip(keys, devices).map { try newest.wrap($0, of: $1) }), .text(newest.name),
      ])
  }
}
