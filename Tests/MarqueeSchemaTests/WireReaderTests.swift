import Testing

@testable import MarqueeSchema

@Suite("Wire reader") struct WireReaderTests {
  private func reason(_ bytes: [UInt8]) -> String? {
    var reader = WireReader(bytes, in: bytes.indices)
    do throws(WireFormatError) {
      while try reader.next() != nil {}
      return nil
    } catch {
      return error.reason
    }
  }

  @Test("Every wire type of proto3 is read")
  func types() throws {
    let bytes: [UInt8] = [8, 0xAC, 2, 17, 1, 0, 0, 0, 0, 0, 0, 0x80, 26, 2, 65, 66, 37, 1, 2, 3, 0x84]
    var reader = WireReader(bytes, in: bytes.indices)
    guard case (1, .varint(300))? = try reader.next(), case (2, .fixed64(0x8000_0000_0000_0001))? = try reader.next(),
      case (3, .range(14..<16))? = try reader.next(), case (4, .fixed32(0x8403_0201))? = try reader.next()
    else {
      Issue.record("other values")
      return
    }
    #expect(reader.isAtEnd)
  }

  @Test("Malformed fields are rejected")
  func malformed() {
    let most = [UInt8](repeating: 0xFF, count: 9)
    #expect(reason([8] + most + [1]) == nil)
    #expect(reason([8] + most + [2]) == "number of more than 64 bits")
    #expect(reason([8] + most + [0x80, 0]) == "number of more than 64 bits")
    #expect(reason([8]) == "truncated number" && reason([0x80]) == "truncated number")
    #expect(reason([9, 0, 0]) == "truncated number" && reason([13, 0]) == "truncated number")
    #expect(reason([10, 2, 0]) == "truncated field" && reason([10] + most + [1]) == "truncated field")
    #expect(reason([11]) == "unsupported wire type" && reason([15]) == "unsupported wire type")
    #expect(reason([0]) == "field number out of range")
    #expect(reason([0xF8, 0xFF, 0xFF, 0xFF, 0x0F, 1]) == nil)
    #expect(reason([0x80, 0x80, 0x80, 0x80, 0x10, 1]) == "field number out of range")
  }
}
