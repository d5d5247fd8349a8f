import MarqueeModel
import OrderedCollections

/// The Focus filters of a device, in the order of their first setting (rule S11).
struct FocusFilterTable: Equatable, Sendable {
  private(set) var intents: OrderedDictionary<FocusFilter.Key, Intent> = [:]
  /// The approximate stored size, in bytes.
  private(set) var storedSize = 0

  init() {}

  var isEmpty: Bool { intents.isEmpty }
  var count: Int { intents.count }

  subscript(key: FocusFilter.Key) -> Intent? { intents[key] }

  /// Sets or, with `nil`, removes the intent of a filter.
  mutating func set(_ intent: Intent?, of key: FocusFilter.Key) {
    storedSize += Self.storedSize(of: intent, key) - Self.storedSize(of: intents[key], key)
    intents[key] = intent
  }

  /// Removes the filters for which `isRemoved` returns `true`.
  mutating func removeAll(where isRemoved: (FocusFilter.Key) -> Bool) {
    for key in intents.keys.filter(isRemoved) { set(nil, of: key) }
  }

  /// Returns the approximate stored size of a filter with an intent, in bytes; 0 without one.
  static func storedSize(of intent: Intent?, _ key: FocusFilter.Key) -> Int {
    guard let intent else { return 0 }
    return intent.weight + key.app.text.utf8.count + key.focus.text.utf8.count + Device.itemSize
  }
}

extension FocusFilterTable: BinaryCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(intents.count)
    for (key, intent) in intents {
      writer.write(key.app)
      writer.write(key.focus)
      writer.write(intent)
    }
  }

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    for _ in 0..<(try reader.readCount()) {
      let (app, focus) = (try reader.read(AppID.self), try reader.read(FocusID.self))
      let intent = try reader.read(Intent.self)
      let key = FocusFilter.Key(app: app, intentType: intent.type, focus: focus)
      guard intents[key] == nil else { throw reader.corrupt("duplicate Focus filter") }
      set(intent, of: key)
    }
  }
}
