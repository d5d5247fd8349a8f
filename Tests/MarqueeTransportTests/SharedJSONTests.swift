import MarqueeRPC
import NIOEmbedded
import Testing

@testable import MarqueeTransport

@Suite("Shared JSON")
struct SharedJSONTests {
  private func text(_ shared: SharedJSON, _ message: [UInt8], _ method: String) -> [UInt8]? {
    guard case .complete(let text)? = shared.text(of: message, method) else { return nil }
    return text
  }

  @Test("The texts of two messages are kept by the identity of their arrays and their method")
  func entries() {
    var shared = SharedJSON()
    let (whole, redacted, other): ([UInt8], [UInt8], [UInt8]) = ([1, 2, 3], [1, 2, 4], [1, 2, 5])
    #expect(text(shared, whole, "a.B/C") == nil && text(shared, [], "a.B/C") == nil)
    shared.insert(.complete([1]), of: whole, "a.B/C")
    shared.insert(.complete([2]), of: redacted, "a.B/C")
    // Watchers of both kinds alternate.
    for _ in 0..<3 {
      #expect(text(shared, whole, "a.B/C") == [1] && text(shared, redacted, "a.B/C") == [2])
    }
    #expect(text(shared, whole, "a.B/D") == nil)
    #expect(text(shared, whole.map { $0 }, "a.B/C") == nil, "an equal array is not the same")
    shared.insert(.complete([3]), of: other, "a.B/C")
    #expect(text(shared, whole, "a.B/C") == nil && text(shared, redacted, "a.B/C") == [2])
    #expect(text(shared, other, "a.B/C") == [3])
  }

  @Test("A message that is being converted is completed, or forgotten if it has no JSON")
  func pending() throws {
    let promise = EmbeddedEventLoop().makePromise(of: Result<[UInt8], RPCStatus>.self)
    defer { promise.succeed(.success([])) }
    var shared = SharedJSON()
    let (whole, other): ([UInt8], [UInt8]) = ([1, 2, 3], [1, 2, 4])
    for message in [whole, other] { shared.insert(.pending(promise.futureResult), of: message, "a.B/C") }
    guard case .pending? = shared.text(of: whole, "a.B/C") else {
      Issue.record("not pending")
      return
    }
    shared.complete(.success([1]), of: whole, "a.B/C")
    shared.complete(.failure(RPCStatus(.dataLoss, "")), of: other, "a.B/C")
    shared.complete(.success([2]), of: [1, 2, 5], "a.B/C")
    #expect(text(shared, whole, "a.B/C") == [1] && shared.text(of: other, "a.B/C") == nil)
  }
}
