import MarqueeRPC
import Testing

@testable import MarqueeHTTP

@Suite("Request reader")
struct RequestReaderTests {
  private typealias Fields = [(String, String)]

  private static let base: Fields = [
    (":method", "POST"), (":path", "/a.B/C"), ("content-type", "application/grpc"), ("te", "trailers"), ("k", "v"),
  ]

  private static func append(_ fields: Fields, to reader: inout RequestReader) {
    reader.begin()
    for (name, value) in fields {
      Array(name.utf8).withUnsafeBytes { name in Array(value.utf8).withUnsafeBytes { reader.append(name, $0) } }
    }
  }

  /// Returns a description of the meaning of a list and its timeout.
  private static func meaning(_ fields: Fields, _ reader: inout RequestReader) -> String {
    append(fields, to: &reader)
    let meaning = reader.meaning(HTTP2Protocols())
    return "\(meaning.request), \(meaning.expectsContinue), \(reader.head.timeout), \(reader.head.size)"
  }

  /// Returns lists that differ from ``base`` in one way each.
  private static var lists: [Fields] {
    var lists = [base, base, base + [("grpc-timeout", "1S")], base + [("grpc-timeout", "2S")], base, []]
    for index in base.indices {
      var changed = base
      changed[index].1 = "other"
      lists += [changed, Array(base[..<index]), base]
      changed.remove(at: index)
      lists += [changed, changed, [base[index]] + changed, base]
    }
    lists.append([("grpc-timeout", "1S")] + base + [("grpc-timeout", "1S")])
    lists.append(base + [("grpc-encoding", "gzip")])
    lists.append(base + [("large", String(repeating: "a", count: 2_000))])
    lists.append(base + [("large", String(repeating: "a", count: 2_000)), ("k", "w")])
    lists.append(base + [("expect", "100-continue")])
    return lists
  }

  @Test("A list has the same meaning after any other list as after none")
  func repetition() {
    for first in Self.lists {
      for second in Self.lists {
        var (reader, fresh) = (RequestReader(sizeMax: 16_384), RequestReader(sizeMax: 16_384))
        _ = Self.meaning(first, &reader)
        let expected = Self.meaning(second, &fresh)
        #expect(Self.meaning(second, &reader) == expected)
        // A third list is compared with the second one.
        #expect(Self.meaning(second, &reader) == expected)
      }
    }
  }

  @Test("Trailers, whose meaning is not asked for, do not change that of the next list")
  func trailers() {
    var (reader, fresh) = (RequestReader(sizeMax: 16_384), RequestReader(sizeMax: 16_384))
    let expected = Self.meaning(Self.base, &fresh)
    for trailers in Self.lists {
      _ = Self.meaning(Self.base, &reader)
      Self.append(trailers, to: &reader)
      #expect(Self.meaning(Self.base, &reader) == expected)
    }
  }

  @Test("The fields of a list that is too large are collected after they were compared")
  func tooLarge() {
    var reader = RequestReader(sizeMax: 1_024)
    _ = Self.meaning(Self.base, &reader)
    Self.append(Self.base + (0..<50).map { _ in ("grpc-timeout", "1S") }, to: &reader)
    #expect(reader.head.isTooLarge && reader.head.variant == nil)
    reader.collect()
    #expect(reader.head.variant == .grpc)
  }
}
