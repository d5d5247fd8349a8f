import MarqueeModel
import MarqueeWire
import Synchronization

/// The open streams that unary calls name by key.
final class KeyedStreams<Stream: Sendable>: Sendable {
  private struct Entry {
    let stream: Stream
    let principal: Principal.Identity
    let scope: CallScope
  }

  /// The name of the field with the key.
  private let field: String
  private let open = Mutex<[StreamKey: Entry]>([:])

  init(_ field: String) { self.field = field }

  /// Adds a stream of a principal for a device and an app.
  func add(_ stream: Stream, _ key: StreamKey, of principal: Principal.Identity, _ scope: CallScope) {
    open.withLock { $0[key] = Entry(stream: stream, principal: principal, scope: scope) }
  }

  func remove(_ key: StreamKey) {
    open.withLock { _ = $0.removeValue(forKey: key) }
  }

  /// Returns a principal's stream for a device and an app.
  ///
  /// - Throws: ``RequestError`` (`notFound`), the same for an unknown key and for a stream of another principal, device
  ///   or app.
  func stream(
    _ key: StreamKey, of principal: Principal.Identity, _ scope: CallScope
  ) throws(RequestError) -> Stream {
    guard let entry = open.withLock({ $0[key] }), entry.principal == principal, entry.scope == scope else {
      throw RequestError(
        .notFound, field: field, "no open stream of the caller has this key on the device; it may have ended")
    }
    return entry.stream
  }
}

extension StreamKey {
  /// Returns a key of 128 bits from the system's generator, which cannot be guessed.
  static func random() -> StreamKey {
    var generator = SystemRandomNumberGenerator()
    let digits = [generator.next(), generator.next()].map { number in
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    do { return try StreamKey(digits.joined()) } catch { preconditionFailure("\(error)") }
  }
}
