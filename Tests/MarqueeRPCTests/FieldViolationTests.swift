import Testing

@testable import MarqueeRPC

@Suite("Field violations")
struct FieldViolationTests {
  private static let violation = FieldViolation(field: "entries[3].date_ms", "\u{FC}")

  @Test("A violation is encoded as google.rpc.BadRequest, and read again")
  func encoding() {
    let detail = Self.violation.detail
    #expect(detail.typeURL == "type.googleapis.com/google.rpc.BadRequest")
    let text = Array("entries[3].date_ms".utf8)
    #expect(detail.value == [0x0A, 24, 0x0A, 18] + text + [0x12, 2, 0xC3, 0xBC])
    #expect(FieldViolation(detail) == Self.violation)
    let long = FieldViolation(field: "a", String(repeating: "b", count: 100_000))
    #expect(FieldViolation(long.detail) == long)
  }

  @Test("Another detail has no violation: another type, a part, an addition, or text that is not UTF-8")
  func others() {
    let detail = Self.violation.detail
    #expect(FieldViolation(StatusDetail(typeURL: "t", value: detail.value)) == nil)
    for count in 0..<detail.value.count {
      #expect(FieldViolation(StatusDetail(typeURL: detail.typeURL, value: Array(detail.value.prefix(count)))) == nil)
    }
    for value in [
      detail.value + [0], [0x0A] + [UInt8](repeating: 0xFF, count: 9) + [1], [0x0A, 5, 0x0A, 1, 0xFF, 0x12, 0],
    ] {
      #expect(FieldViolation(StatusDetail(typeURL: detail.typeURL, value: value)) == nil)
    }
  }

  @Test("The path has the names of JSON in the message and the detail of a call in JSON, and nothing else changes")
  func json() {
    let status = RPCStatus(.invalidArgument, field: "first_entries[3].date_ms", "must be before end_ms")
    #expect(status.message == "first_entries[3].date_ms: must be before end_ms")
    #expect(
      status.withJSONFields == RPCStatus(.invalidArgument, field: "firstEntries[3].dateMs", "must be before end_ms"))
    #expect(status.withJSONFields.withJSONFields == status.withJSONFields)
    for other in [
      .ok, RPCStatus(.notFound, "at_ms: not a field here"), RPCStatus(.notFound, field: "", "at_ms"),
      RPCStatus(.internalError, "a_b", details: [StatusDetail(typeURL: "t", value: [1])]),
    ] as [RPCStatus] {
      #expect(other.withJSONFields == other)
    }
    for (field, path) in [("report", ""), ("shortcuts[0].providers[2].provider", "shortcuts[0].providers[2]")] {
      let choice = RPCStatus(.invalidArgument, field: field, "required field is missing; set one of stack_shown, app")
      let words = "required field is missing; set one of stackShown, app"
      let json = choice.withJSONFields
      #expect(json.message == (path.isEmpty ? words : "\(path): \(words)"))
      #expect(json.details.map(FieldViolation.init) == [FieldViolation(field: path, words)])
    }
    var renamed = status
    renamed.message = "at_ms"
    #expect(renamed.withJSONFields.message == "at_ms")
    #expect(renamed.withJSONFields.details == status.withJSONFields.details)
  }
}
