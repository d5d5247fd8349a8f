import Testing

@testable import MarqueeSchema

@Suite("Messages from JSON") struct JSONReadingTests {
  private static let transcoder = JSONTranscoder(.marquee)

  /// Reads a message and returns it as JSON in its canonical form, or the error.
  private func read(_ text: String, as name: String, sizeMax: Int = 1 << 20) -> String {
    read(Array(text.utf8), as: name, sizeMax: sizeMax)
  }

  private func read(_ text: [UInt8], as name: String, sizeMax: Int = 1 << 20) -> String {
    guard let type = Schema.marquee.message(named: name) else { return "no message \(name)" }
    do throws(JSONTranscodingError) {
      let message = try Self.transcoder.message(fromJSON: text, as: type, sizeMax: sizeMax)
      let json = try Self.transcoder.json(fromMessage: message, as: type, sizeMax: .max)
      return String(decoding: json, as: UTF8.self)
    } catch {
      return error.description
    }
  }

  private let entry = "marquee.v1.TimelineEntry"
  private let watch = "marquee.v1.WatchRequest"
  private let health = "grpc.health.v1.HealthListResponse"
  private let reflection = "grpc.reflection.v1.ServerReflectionResponse"
  private let query = "grpc.reflection.v1.ServerReflectionRequest"

  @Test("A field has its JSON name or its own, null is absent, and unknown fields are skipped")
  func names() {
    #expect(read(#" {"dateMs" : "7"}"#, as: entry) == #"{"dateMs":"7"}"#)
    #expect(read("{\"date_ms\":7}\r\n\t ", as: entry) == #"{"dateMs":"7"}"#)
    #expect(read(#"{"date\u004ds":7}"#, as: entry) == #"{"dateMs":"7"}"#)
    #expect(read(#"{"dateMs":null,"relevance":null}"#, as: entry) == "{}")
    #expect(read(#"{"device":"a","stacks":null}"#, as: watch) == #"{"device":"a"}"#)
    #expect(
      read(#"{"newer":{"a":[{},[1,-2.5e+3,null,true,"\n"]]},"dateMs":1,"x":false}"#, as: entry) == #"{"dateMs":"1"}"#)
    #expect(read("{}", as: entry) == "{}")
    // The Kelvin sign is equivalent to a K, but another byte sequence.
    #expect(read("{\"stac\u{212A}s\":[\"a\"]}", as: watch) == "{}")
  }

  /// Returns the unknown fields of a text.
  private func ignored(_ text: String, as name: String) throws -> IgnoredFields {
    let type = try #require(Schema.marquee.message(named: name))
    var ignored = IgnoredFields()
    _ = try Self.transcoder.message(fromJSON: Array(text.utf8), as: type, sizeMax: 1 << 20, ignoring: &ignored)
    return ignored
  }

  @Test("Unknown fields are reported with their paths, in safe characters and in a limited number")
  func unknownFields() throws {
    let publish = "marquee.v1.PublishTimelineRequest"
    #expect(try ignored(#"{"device":"a","entries":[]}"#, as: publish).text == "")
    let text = #"""
      {"devise":1,"entries":[{"dateMs":1},{"dateMS":1,"relevance":{"skore":{"dateMs":[]}}}],"widget":null,"Widget":{}}
      """#
    let paths = ["devise", "entries[1].dateMS", "entries[1].relevance.skore", "Widget"]
    #expect(try ignored(text, as: publish).paths == paths)
    #expect(try ignored(#"{"statuses":{"a":{},"b":{"x":1}}}"#, as: health).text == "statuses[1].x")
    #expect(try ignored(#"{"a\r\nb, \u0000\"é":1,"$x-Y_9":1}"#, as: entry).text == "a??b??????, $x-Y_9")
    let many = (0..<20).map { #""a\#($0)":1"# }.joined(separator: ",")
    let reported = try ignored("{\(many)}", as: entry)
    #expect(reported.paths == (0..<8).map { "a\($0)" } && reported.isIncomplete)
    #expect(reported.text.hasSuffix("a7, ..."))
    let long = String(repeating: "b", count: 100)
    #expect(try ignored(#"{"\#(long)":1}"#, as: entry).paths == [String(repeating: "b", count: 64)])
    let nested = try ignored(#"{"entries":[{"\#(long)":1}]}"#, as: publish).text
    #expect(nested == String(repeating: "b", count: 64))
  }

  @Test("A duplicate key is rejected, also as the other name of a field, after null, and in unknown fields")
  func duplicates() {
    #expect(read(#"{"dateMs":1,"dateMs":1}"#, as: entry) == "dateMs: duplicate key")
    #expect(read(#"{"dateMs":1,"date_ms":1}"#, as: entry) == "dateMs: duplicate key")
    #expect(read(#"{"dateMs":null,"date_ms":1}"#, as: entry) == "dateMs: duplicate key")
    #expect(read(#"{"x":1,"\u0078":1}"#, as: entry) == "duplicate key")
    #expect(read(#"{"x":{"y":1,"y":2}}"#, as: entry) == "duplicate key")
    #expect(read(#"{"statuses":{"a":{},"\u0061":{}}}"#, as: health) == "statuses[1]: duplicate key")
  }

  @Test("Only one field of a oneof may be set, and an empty one is present")
  func oneofs() {
    #expect(read(#"{"listServices":"","fileByFilename":null}"#, as: query) == #"{"listServices":""}"#)
    #expect(
      read(#"{"listServices":"","fileByFilename":"a"}"#, as: query)
        == "fileByFilename: another field of message_request is set")
    #expect(read(#"{"fileDescriptorResponse":{}}"#, as: reflection) == #"{"fileDescriptorResponse":{}}"#)
  }

  @Test("Integers are numbers or strings, with a fraction of zeros or an exponent, and never overflow")
  func integers() {
    for (text, value) in [
      ("0", nil), ("-0", nil), ("0.0e5", nil), ("7", "7"), (#""7""#, "7"), ("3.0", "3"), ("1.5e1", "15"),
      ("120E-1", "12"), (#""1e3""#, "1000"), ("9223372036854775807", "9223372036854775807"),
      ("-9223372036854775808", "-9223372036854775808"), ("922337203685477580.70e1", "9223372036854775807"),
      ("0e999999999999999999999", nil), ("1.\(String(repeating: "0", count: 900))", "1"),
    ] {
      let expected = value.map { #"{"dateMs":"\#($0)"}"# } ?? "{}"
      #expect(read(#"{"dateMs":\#(text)}"#, as: entry) == expected, "\(text)")
    }
    let range = "dateMs: not an integer, or out of the range of int64"
    for text in [
      "0.5", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e999999999999999999999",
      "1e-999999999999999999999", "18446744073709551617", "100000000000000000000000",
    ] {
      #expect(read(#"{"dateMs":\#(text)}"#, as: entry) == range, "\(text)")
      #expect(read(#"{"dateMs":"\#(text)"}"#, as: entry) == range, "\(text)")
    }
    for text in [#""""#, #"" 1""#, #""+1""#, #""1 ""#, #""0x1""#, #""1_0""#, #""NaN""#, #""01""#, #""1.""#, #""-""#] {
      #expect(read(#"{"dateMs":\#(text)}"#, as: entry) == "dateMs: not a number", "\(text)")
    }
    for text in ["true", "{}", "[1]"] {
      #expect(read(#"{"dateMs":\#(text)}"#, as: entry) == "dateMs: expected a number", "\(text)")
    }
    func code(_ text: String) -> String { read(#"{"errorResponse":{"errorCode":\#(text)}}"#, as: reflection) }
    #expect(code("-2147483648") == #"{"errorResponse":{"errorCode":-2147483648}}"#)
    #expect(code("2147483648") == "errorResponse.errorCode: not an integer, or out of the range of int32")
  }

  @Test("Doubles are numbers or strings; NaN and infinities are strings, and no other number is out of range")
  func doubles() {
    let place = "marquee.v1.Place"
    for (text, value) in [
      ("1", "1.0"), ("1.5", "1.5"), (#""-2.5e-3""#, "-0.0025"), ("-0", "-0.0"), ("5e-324", "5e-324"),
      ("1e-999", nil), (#""NaN""#, #""NaN""#), (#""Infinity""#, #""Infinity""#), (#""-Infinity""#, #""-Infinity""#),
      ("0", nil), ("1e16", "1e+16"),
    ] {
      let expected = value.map { #"{"latitude":\#($0)}"# } ?? "{}"
      #expect(read(#"{"latitude":\#(text)}"#, as: place) == expected, "\(text)")
    }
    #expect(read(#"{"latitude":1e999}"#, as: place) == "latitude: number out of range")
    #expect(read(#"{"latitude":"-1e999"}"#, as: place) == "latitude: number out of range")
    for text in [#""nan""#, #""inf""#, #""+Infinity""#, #""0x1p3""#, #"".5""#] {
      #expect(read(#"{"latitude":\#(text)}"#, as: place) == "latitude: not a number", "\(text)")
    }
    let long = String(repeating: "1", count: 1_025)
    #expect(
      read(#"{"latitude":\#(long)}"#, as: place)
        == "latitude: number of 1025 bytes exceeds the limit (json-number-size-max: 1024)")
    #expect(read(#"{"latitude":"\#(long)"}"#, as: place) == "latitude: not a number")
  }

  @Test("Enumerations are names or numbers; an unknown number is kept, an unknown name rejected")
  func enumerations() {
    let response = "grpc.health.v1.HealthCheckResponse"
    for (text, value) in [
      (#""SERVING""#, #""SERVING""#), ("1", #""SERVING""#), ("2.0", #""NOT_SERVING""#), ("-7", "-7"),
    ] {
      #expect(read(#"{"status":\#(text)}"#, as: response) == #"{"status":\#(value)}"#, "\(text)")
    }
    #expect(read(#"{"status":"UNKNOWN"}"#, as: response) == "{}")
    let unknown =
      "status: unknown name of a value of grpc.health.v1.HealthCheckResponse.ServingStatus; "
      + "expected UNKNOWN, SERVING, NOT_SERVING, SERVICE_UNKNOWN"
    for text in [#""serving""#, #""1""#, #""""#] { #expect(read(#"{"status":\#(text)}"#, as: response) == unknown) }
    #expect(read(#"{"status":2147483648}"#, as: response) == "status: not an integer, or out of the range of int32")
    #expect(read(#"{"status":true}"#, as: response) == "status: expected a name or a number")
  }

  @Test("Bytes are base64 in both alphabets, with or without padding")
  func bytes() {
    func read(_ text: String) -> String {
      self.read(#"{"fileDescriptorResponse":{"fileDescriptorProto":["\#(text)"]}}"#, as: reflection)
    }
    for (text, value) in [
      ("", ""), ("AA==", "AA=="), ("AA", "AA=="), ("AAE=", "AAE="), ("AAE", "AAE="), ("+/+/", "+/+/"),
      ("-_-_", "+/+/"), (#"\u0041A"#, "AA=="),
    ] {
      #expect(read(text) == #"{"fileDescriptorResponse":{"fileDescriptorProto":["\#(value)"]}}"#, "\(text)")
    }
    let path = "fileDescriptorResponse.fileDescriptorProto[0]"
    for text in ["A", "AA=", "A===", "====", "AAAAA", "A A=", "AB", "AAF", "AA==AA==", "AA*=", "é="] {
      #expect(read(text) == "\(path): not valid base64", "\(text)")
    }
  }

  @Test("Strings are UTF-8 with paired surrogates; a NUL is left to the message's own checks")
  func strings() {
    func read(_ text: String) -> String { self.read(#"{"device":"\#(text)"}"#, as: watch) }
    #expect(read(#"\"\\\/\b\f\n\r\t\u00e9\ud83c\udfad"#) == #"{"device":"\"\\/\u0008\u000c\n\r\té🎭"}"#)
    #expect(read(#"\u0000"#) == #"{"device":"\u0000"}"#)
    #expect(read("\u{7F}\u{2028}\u{10FFFF}") == "{\"device\":\"\u{7F}\u{2028}\u{10FFFF}\"}")
    for text in [#"\ud83c"#, #"\udfad"#, #"\ud83cx"#, #"\ud83c\n"#, #"\ud83c\u0041"#, #"\udfad\ud83c"#] {
      #expect(read(text).hasSuffix(": lone surrogate"), "\(text)")
    }
    for text in [#"\x"#, #"\u12"#, #"\u12g4"#, #"\"#, "a\u{1F}", "\n", #"\n"# + "\n"] {
      #expect(read(text).hasPrefix("device: malformed JSON at byte "), "\(text)")
    }
    for bytes: [UInt8] in [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80], [0x5C, 0x6E, 0xC3],
    ] {
      let text = Array(#"{"device":""#.utf8) + bytes + Array(#""}"#.utf8)
      #expect(self.read(text, as: watch).hasSuffix("string that is not UTF-8"), "\(bytes)")
    }
  }

  @Test("Malformed JSON is rejected with the position")
  func syntax() {
    for text in [
      "", " ", "{", "}", "[]", "{]", "{}{}", "{} x", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}",
      "{\"a\":1 \"b\":2}", "{\"a\":[1,]}", "{\"a\":[1 2]}", "{\"a\":tru}", "{\"a\":nul", "{\"a\":01}", "{\"a\":1.}",
      "{\"a\":.5}", "{\"a\":+1}", "{\"a\":-}", "{\"a\":1e}", "{\"a\":1e+}", "{\"a\":NaN}", "{\"a\":\"", "{/**/}",
      "\u{FEFF}{}", "{\"a\":1}\0", "\"a\"", "null", "1",
    ] {
      let result = read(text, as: entry)
      #expect(result.hasPrefix("malformed JSON at byte ") || result == "expected an object", "\(text): \(result)")
    }
    for word in ["true", "false", "null"] {
      #expect(read(#"{"dateMs":\#(word)x}"#, as: entry).contains("expected"))
    }
  }

  @Test("An error has the path of the value, without values of the message")
  func paths() {
    let timeline = "marquee.v1.TimelinePart"
    #expect(
      read(#"{"entries":[{},{"content":{"mediaType":7}}]}"#, as: timeline)
        == "entries[1].content.mediaType: expected a string")
    #expect(read(#"{"entries":{}}"#, as: timeline) == "entries: expected an array")
    #expect(read(#"{"entries":[null]}"#, as: timeline) == "entries[0]: expected an object")
    #expect(read(#"{"entries":[[]]}"#, as: timeline) == "entries[0]: expected an object")
    #expect(read(#"{"commit":"true"}"#, as: timeline) == "commit: expected true or false")
    #expect(read(#"{"stacks":["a",null]}"#, as: watch) == "stacks[1]: expected a string")
    #expect(read(#"{"statuses":{"secret":{"status":"X"}}}"#, as: health).hasPrefix("statuses[0].status: unknown"))
    #expect(read(#"{"statuses":{"a":null}}"#, as: health) == "statuses[0]: expected an object")
    #expect(read(#"{"statuses":[]}"#, as: health) == "statuses: expected an object")
  }

  @Test("Depth, unknown keys, text and message are limited by name")
  func limits() {
    func nested(_ count: Int) -> String {
      #"{"x":\#(String(repeating: "[", count: count))\#(String(repeating: "]", count: count))}"#
    }
    #expect(read(nested(31), as: entry) == "{}")
    #expect(read(nested(32), as: entry) == "nested too deeply (json-depth-max: 32)")
    #expect(read(nested(100_000), as: entry) == "nested too deeply (json-depth-max: 32)")
    let objects = String(repeating: #"{"x":"#, count: 40) + "1" + String(repeating: "}", count: 40)
    #expect(read(objects, as: entry) == "nested too deeply (json-depth-max: 32)")
    func unknown(_ count: Int) -> String { "{" + (0..<count).map { #""k\#($0)":0"# }.joined(separator: ",") + "}" }
    #expect(read(unknown(256), as: entry) == "{}")
    #expect(read(unknown(257), as: entry) == "too many unknown keys (json-unknown-key-count-max: 256)")
    #expect(read(#"{"x":\#(unknown(257))}"#, as: entry) == "too many unknown keys (json-unknown-key-count-max: 256)")
    #expect(read(#"{"device":"abcdef"}"#, as: watch, sizeMax: 8) == #"{"device":"abcdef"}"#)
    #expect(read(#"{"device":"abcdef"}"#, as: watch, sizeMax: 7) == "device: message exceeds message-size-max (7)")
    #expect(
      read(#"{"stacks":["a","b","c"]}"#, as: watch, sizeMax: 8) == "stacks[2]: message exceeds message-size-max (8)")
    let long = [UInt8](repeating: 0x20, count: JSONTranscoder.textSizeMax + 1)
    #expect(read(long, as: entry) == "text of 16777217 bytes exceeds the limit (json-text-size-max: 16777216)")
  }
}
