/// The header list of the request that is being received.
///
/// Consecutive requests of a client usually differ only in their timeout. As long as the fields of a list are those of
/// the last one, they are compared instead of being collected, and the request then has the meaning of the last one.
struct RequestReader {
  /// The maximum size of a list that is kept for comparison with the next one, in bytes.
  private static let keptSizeMax = 1_024

  /// The fields of the list so far. While they are those of the last list, only the size and the timeout are set.
  private(set) var head: RequestHead
  /// The fields of the last list, or those of this one once it differs, without timeouts.
  private var fields = HeaderList()
  /// The meaning of the last list; `nil` if it is not kept, or once this one differs.
  private var last: Meaning?
  /// The number of fields that are those of the last list.
  private var matchCount = 0

  /// The meaning of a list. A class, because it is passed on for every call.
  final class Meaning {
    let request: HTTP2Request
    /// Whether the client waits for `100 Continue`.
    let expectsContinue: Bool

    init(_ head: RequestHead, _ protocols: HTTP2Protocols) {
      request = HTTP2Request(head, protocols)
      expectsContinue = head.expectsContinue
    }
  }

  /// Creates a reader of header lists with a maximum size.
  init(sizeMax: Int) {
    head = RequestHead(sizeMax: sizeMax)
  }

  /// Prepares for another list.
  mutating func begin() {
    head.reset()
    matchCount = 0
    if last == nil { fields.removeAll() }
  }

  /// Adds a field of the list.
  mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    if last != nil {
      if fields.contains(name, value, at: matchCount) {
        matchCount += 1
        return head.count(name, value)
      }
      if name.equals(RequestHead.timeoutName) { return head.append(name, value) }
      collect()
    }
    head.append(name, value)
    if head.size <= Self.keptSizeMax, !name.equals(RequestHead.timeoutName) { fields.append(name, value) }
  }

  /// Adds the fields that were only compared to the head.
  mutating func collect() {
    guard last != nil else { return }
    last = nil
    fields.truncate(to: matchCount)
    fields.forEach { head.store($0, $1) }
  }

  /// Returns the meaning of the complete list.
  mutating func meaning(_ protocols: HTTP2Protocols) -> Meaning {
    if let last, matchCount == fields.count { return last }
    collect()
    let meaning = Meaning(head, protocols)
    if head.size <= Self.keptSizeMax { last = meaning }
    return meaning
  }
}
