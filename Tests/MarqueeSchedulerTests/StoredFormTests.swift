import Foundation
import MarqueeModel
import MarqueeScheduler
import Testing

/// Forms that have been stored stay readable.
@Suite struct StoredFormTests {
  /// A device of form version 1, as it was stored before devices knew of shortcuts.
  private static let first = """
    AQVwaG9uZQNVVEOamZmZmZnpP3sUrkfheoQ/exSuR+F6hD/AzyTA7m0wgJDkwAQKRsDPJACAzpe2ni8DAAQRY29tLmV4YW1wbGUu\
    bm90ZXMFbm90ZXMFbm90ZXMBAQAAEWNvbS5leGFtcGxlLmNhcmRzBWNhcmRzBWNhcmRzAQEAAQAAAAAAABRAgNqor54vE2NvbS5l\
    eGFtcGxlLndlYXRoZXIHd2VhdGhlcgd3ZWF0aGVyAQEAAQAAAAAAABxAwKnNr54vEGNvbS5leGFtcGxlLm1haWwEbWFpbARtYWls\
    AQEAAAQAARFjb20uZXhhbXBsZS5jYXJkcwVjYXJkcwABAQKA/cytni8BAAAAAAAAFECAurcDAACAlOCyni8BAAAAAAAAHEAAAAAC\
    AgEAAAAAAAAcQICU4LKeLwCAlOCyni8AAQRob21lAAAAAYCU4LKeLwHChDfAzyQBE2NvbS5leGFtcGxlLndlYXRoZXIHd2VhdGhl\
    cgACAQLAzPGtni8BAAAAAAAAHECAurcDAACA8bu0ni8BAAAAAAAAIkAAAAAAAgEAAAAAAAAiQIDxu7SeLwCA8bu0ni8AAAADgPG7\
    tJ4vAQGA8bu0ni8AA8KEN4D8pALEhDeAurcDxoQ3gLq3AwEQY29tLmV4YW1wbGUubWFpbARtYWlsAAMAAAAAAAABwoQ3wO5tAQAB\
    BGhvbWUBAwECAwEBAQEB4KTfrZ4vA4D9zK2eL4Cclq6eL4CU4LKeLwGA4trPoC8=
    """

  @Test("R8 A device stored in form version 1 is the device that its events make, and is stored in version 3")
  func firstForm() throws {
    let bytes = [UInt8](try #require(Data(base64Encoded: Self.first)))
    var scene = try Scene()
    for line in [
      "0:00 stack home notes cards weather mail", "0:00 publish cards 9:00=5/1h 12:00=7",
      "0:00 publish weather 9:10=7/1h 13:00=9 reload=end", "9:05 scroll home mail", "14:00 remove home notes",
    ] { try scene.play(Script.Line(line)) }
    let device = try Device(decoding: bytes)
    #expect(bytes.first == 1 && device.encoded.first == 3)
    #expect(device.allStacks == scene.device.allStacks)
    #expect(device.nextWake == scene.device.nextWake)
    #expect(device.explanation(of: try StackID("home")) == scene.device.explanation(of: try StackID("home")))
    #expect(try Device(decoding: device.encoded) == device)
  }

  @Test("R8 A device stored in form version 2 has no donations and no numbers of its own, and knows its surroundings")
  func secondForm() throws {
    var scene = try Scene()
    for line in ["0:00 stack home notes cards", "0:00 publish cards 9:00=5/1h 12:00=7"] {
      try scene.play(Script.Line(line))
    }
    // The third form has one byte more after the policy, the count of the device's own numbers, and six before the next
    // wake: no offsets, no changes of context, and no contents, groups, contexts and donations.
    var (start, wake) = (ByteWriter(), ByteWriter())
    start.write(scene.device.id)
    start.write(scene.device.timeZone)
    start.write(scene.device.configuredPolicy)
    wake.write(scene.device.nextWake)
    let third = scene.device.encoded
    let (own, added) = (third[start.bytes.count + 1], third.dropLast(wake.bytes.count).suffix(6))
    #expect(own == 0 && added.allSatisfy { $0 == 0 } && wake.bytes.count > 1)
    let rest = third.dropFirst(start.bytes.count + 2).dropLast(6 + wake.bytes.count)
    let second = [2] + start.bytes + rest + wake.bytes
    #expect(try Device(decoding: Array(second)) == scene.device)
  }

  @Test("R8 A policy stored in an event of tag 6 has the standard numbers for shortcuts")
  func firstPolicy() throws {
    var policy = Policy()
    policy.rotationCountMax = 7
    let bytes = Event.policyChanged(policy).encoded
    // The first form is the second without its last bytes: three doubles, a span and two counts.
    var writer = ByteWriter()
    writer.write(policy.pointLength)
    let added = 3 * 8 + writer.bytes.count + 2
    let old = [6] + bytes.dropFirst().dropLast(added)
    #expect(try Event(decoding: Array(old)) == .policyChanged(policy))
    #expect(bytes.first == 9)
  }
}
