import Testing

@testable import MarqueeSchema

@Suite("Messages to JSON") struct JSONWritingTests {
  /// Converts a message to JSON, or returns the error.
  private func json(_ bytes: [UInt8], as name: String, sizeMax: Int = 1 << 20) -> String {
    guard let type = Schema.marquee.message(named: name) else { return "no message \(name)" }
    do throws(JSONTranscodingError) {
      let json = try JSONTranscoder(.marquee).json(fromMessage: bytes, as: type, sizeMax: sizeMax)
      return String(decoding: json, as: UTF8.self)
    } catch {
      return error.description
    }
  }

  private let health = "grpc.health.v1.HealthListResponse"
  private let reflection = "grpc.reflection.v1.ServerReflectionResponse"
  private let query = "grpc.reflection.v1.ServerReflectionRequest"
  private let watch = "marquee.v1.WatchRequest"

  @Test("Unknown fields are left out, and of a field that occurs twice the last value counts")
  func occurrences() {
    #expect(json([0xC0, 0x3E, 1], as: watch) == "{}")
    #expect(json([10, 1, 97, 10, 1, 98], as: watch) == #"{"device":"b"}"#)
    // The default value of a field without presence is left out, also as the last one.
    #expect(json([10, 1, 97, 10, 0], as: watch) == "{}")
    // Elements of a repeated field around another one.
    #expect(json([18, 1, 97, 10, 1, 112, 18, 1, 98], as: watch) == #"{"device":"p","stacks":["a","b"]}"#)
  }

  @Test("A message that occurs twice is merged, and the last field of a oneof counts")
  func merging() {
    #expect(
      json([58, 2, 8, 5, 58, 3, 18, 1, 97], as: reflection) == #"{"errorResponse":{"errorCode":5,"errorMessage":"a"}}"#)
    #expect(json([26, 1, 97, 34, 1, 98], as: query) == #"{"fileContainingSymbol":"b"}"#)
    #expect(json([34, 1, 98, 26, 1, 97], as: query) == #"{"fileByFilename":"a"}"#)
    // The first error is replaced by the files, and these by the second error.
    #expect(
      json([58, 2, 8, 5, 34, 0, 58, 3, 18, 1, 97], as: reflection) == #"{"errorResponse":{"errorMessage":"a"}}"#)
  }

  @Test("Of equal keys of a map the last one counts, and absent keys and values are the defaults")
  func maps() {
    let first: [UInt8] = [10, 7, 10, 1, 97, 18, 2, 8, 1]
    #expect(json(first + [10, 0], as: health) == #"{"statuses":{"a":{"status":"SERVING"},"":{}}}"#)
    #expect(json(first + [10, 3, 10, 1, 97], as: health) == #"{"statuses":{"a":{}}}"#)
    #expect(json([], as: health) == "{}")
  }

  @Test("Repeated numbers are read packed or not")
  func packed() {
    #expect(
      json([42, 11, 18, 3, 1, 2, 3, 16, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], as: reflection)
        == #"{"allExtensionNumbersResponse":{"extensionNumber":[1,2,3,-1]}}"#)
    #expect(
      json([42, 3, 18, 1, 0x80], as: reflection)
        == "allExtensionNumbersResponse.extensionNumber: malformed message: truncated number")
  }

  @Test("Malformed messages are rejected with the path")
  func malformed() {
    #expect(json([10, 5, 97], as: watch) == "malformed message: truncated field")
    #expect(json([8, 1], as: watch) == "device: malformed message: unexpected wire type")
    #expect(json([10, 1, 0xFF], as: watch) == "device: string that is not UTF-8")
    #expect(json([18, 1, 97, 18, 2, 0xC0, 0x80], as: watch) == "stacks[1]: string that is not UTF-8")
    #expect(json([11, 12], as: watch) == "malformed message: unsupported wire type")
  }

  @Test("A text over its limit is rejected")
  func limit() {
    #expect(json([10, 1, 97], as: watch, sizeMax: 14) == #"{"device":"a"}"#)
    #expect(json([10, 1, 97], as: watch, sizeMax: 13) == "text exceeds the limit of 13 bytes")
    let empty = (0..<1_000).flatMap { _ in [18, 0] as [UInt8] }
    #expect(json(empty, as: watch, sizeMax: 100).hasSuffix("text exceeds the limit of 100 bytes"))
  }
}
