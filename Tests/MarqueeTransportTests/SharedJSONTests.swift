import Testing

@testable import MarqueeTransport

@Suite("Shared JSON")
struct SharedJSONTests {
  @Test("The texts of two messages are kept by the identity of their arrays and their method")
  func entries() {
    var shared = SharedJSON()
    let (whole, redacted, other): ([UInt8], [UInt8], [UInt8]) = ([1, 2, 3], [1, 2, 4], [1, 2, 5])
    #expect(shared.text(of: whole, "a.B/C") == nil && shared.text(of: [], "a.B/C") == nil)
    shared.insert([1], of: whole, "a.B/C")
    shared.insert([2], of: redacted, "a.B/C")
    // Watchers of both kinds alternate.
    for _ in 0..<3 {
      #expect(shared.text(of: whole, "a.B/C") == [1] && shared.text(of: redacted, "a.B/C") == [2])
    }
    #expect(shared.text(of: whole, "a.B/D") == nil)
    #expect(shared.text(of: whole.map { $0 }, "a.B/C") == nil, "an equal array is not the same")
    shared.insert([3], of: other, "a.B/C")
    #expect(shared.text(of: whole, "a.B/C") == nil && shared.text(of: redacted, "a.B/C") == [2])
    #expect(shared.text(of: other, "a.B/C") == [3])
  }
}
