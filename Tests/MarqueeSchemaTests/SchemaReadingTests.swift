import Testing

@testable import MarqueeSchema

@Suite("Schema") struct SchemaReadingTests {
  private let schema = Schema.marquee

  @Test("The embedded descriptors contain the files, services, messages and enumerations")
  func content() throws {
    let file = try #require(schema.file(named: "marquee/v1/display.proto"))
    #expect(file.package == "marquee.v1" && file.imports.contains("marquee/v1/widget.proto"))
    let display = try #require(schema.services.first { $0.name == "marquee.v1.Display" })
    let watch = try #require(display.methods.first { $0.path == "marquee.v1.Display/Watch" })
    #expect(watch.request == "marquee.v1.WatchRequest" && watch.response == "marquee.v1.DisplayUpdate")
    #expect(!watch.isClientStreaming && watch.isServerStreaming)
    let entry = try #require(schema.message(named: "marquee.v1.TimelineEntry"))
    #expect(entry.fields.first { $0.name == "date_ms" }?.jsonName == "dateMs")
    #expect(entry.fields.first { $0.name == "date_ms" }?.kind == .int64)
    let status = try #require(
      schema.enumerations.first { $0.name == "grpc.health.v1.HealthCheckResponse.ServingStatus" })
    #expect(status.values.map(\.name) == ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"])
    let statuses = try #require(schema.message(named: "grpc.health.v1.HealthListResponse.StatusesEntry"))
    #expect(statuses.isMapEntry && statuses.fields.map(\.kind).first == .string)
    let request = try #require(schema.message(named: "grpc.reflection.v1.ServerReflectionRequest"))
    #expect(request.oneofs == ["message_request"])
    #expect(request.fields.map(\.oneof) == [nil, 0, 0, 0, 0, 0])
  }

  @Test("The file of a symbol is found by the full name of every kind of symbol, and by no other name")
  func symbols() {
    for symbol in [
      "grpc.health.v1.Health", "grpc.health.v1.Health.Check", "grpc.health.v1.HealthCheckResponse",
      "grpc.health.v1.HealthCheckResponse.status", "grpc.health.v1.HealthCheckResponse.ServingStatus",
      "grpc.health.v1.HealthCheckResponse.SERVING", "grpc.health.v1.HealthListResponse.StatusesEntry.key",
    ] {
      #expect(schema.file(declaring: symbol)?.name == "grpc/health/v1/health.proto", "\(symbol)")
    }
    #expect(schema.file(declaring: "grpc.reflection.v1.ServerReflectionRequest.message_request") != nil)
    for other in [
      "", ".", ".grpc.health.v1.Health", "grpc.health.v1", "grpc.health.v1.Health/Check", "Health",
      // Equal to a name as a string, since the Kelvin sign is equivalent to a K.
      "grpc.health.v1.HealthCheckResponse.UN\u{212A}NOWN",
    ] {
      #expect(schema.file(declaring: other) == nil, "\(other)")
      #expect(schema.file(named: other) == nil && schema.message(named: other) == nil)
    }
  }

  @Test("The closure of a file is the file and everything that it imports, each once")
  func closure() throws {
    for file in schema.files {
      let names = schema.closure(of: file).map(\.name)
      #expect(names.first == file.name && Set(names).count == names.count)
      for imported in schema.closure(of: file).flatMap(\.imports) { #expect(names.contains(imported)) }
    }
    let admin = try #require(schema.file(named: "marquee/v1/admin.proto"))
    #expect(schema.closure(of: admin).count == schema.files.count { $0.package == "marquee.v1" })
  }

  @Test("The files of the set, and of no other bytes, are read again")
  func readAgain() throws {
    let set = schema.files.flatMap { Self.field(1, $0.descriptor) }
    let again = try Schema(descriptorSet: set)
    #expect(again.files == schema.files && again.messages == schema.messages)
    #expect(again.services == schema.services && again.enumerations == schema.enumerations)
    let reversed = schema.files.reversed().flatMap { Self.field(1, $0.descriptor) }
    #expect(throws: DescriptorError.self) { try Schema(descriptorSet: reversed) }
    #expect(throws: DescriptorError.self) { try Schema(descriptorSet: set + Self.field(1, schema.files[0].descriptor)) }
  }

  @Test("Damaged descriptors are rejected, or read without a trap")
  func damaged() {
    let set = schema.files.prefix(1).flatMap { Self.field(1, $0.descriptor) }
    var acceptedCount = 0
    for index in stride(from: 0, to: set.count, by: 5) {
      for bit in [0, 7] {
        var damaged = set
        damaged[index] ^= UInt8(1 << bit)
        // An error is as acceptable as a schema; only a trap is not.
        if (try? Schema(descriptorSet: damaged)) != nil { acceptedCount += 1 }
      }
    }
    #expect(acceptedCount > 0)
  }

  @Test("Malformed descriptors are rejected with the reason")
  func malformed() {
    func reason(_ file: [UInt8]) -> String? {
      do throws(DescriptorError) {
        let header = Self.field(1, Array("f".utf8)) + Self.field(12, Array("proto3".utf8))
        _ = try Schema(descriptorSet: Self.field(1, header + file))
        return nil
      } catch {
        return error.reason
      }
    }
    func text(_ number: UInt8, _ text: String) -> [UInt8] { Self.field(number, Array(text.utf8)) }
    func message(_ content: [UInt8]) -> [UInt8] { Self.field(4, text(1, "M") + content) }
    func field(_ number: UInt8, type: UInt8) -> [UInt8] {
      Self.field(2, text(1, "f\(number)") + [3 << 3, number, 5 << 3, type])
    }
    #expect(reason([]) == nil)
    #expect(reason(message(field(1, type: 9))) == nil)
    #expect(reason(message([]) + message([])) == "M is declared twice")
    #expect(reason(message(field(1, type: 10))) == "M.f1 has an unknown or unsupported type")
    #expect(reason(message(field(0, type: 9))) == "M.f0 has no valid number")
    #expect(
      reason(message(Self.field(2, text(1, "f") + [3 << 3, 1, 5 << 3, 9, 9 << 3, 0])))
        == "M.f has an unknown oneof")
    #expect(
      reason(message(Self.field(2, text(1, "f") + [3 << 3, 1, 5 << 3, 11] + text(6, ".N"))))
        == "M.f has an unknown or unsupported type")
    #expect(
      reason(message(Self.field(2, text(1, "f") + [3 << 3, 1, 5 << 3, 11] + text(6, "M")))) == "M is not a full name")
    #expect(
      reason(message(field(1, type: 9) + Self.field(2, text(1, "g") + [3 << 3, 1, 5 << 3, 9])))
        == "M has two fields with number 1")
    #expect(reason(message(Self.field(7, [7 << 3, 1]))) == "M is not the entry of a map")
    #expect(reason(text(3, "other")) == "f precedes its import other")
    #expect(reason(Self.field(5, text(1, "E"))) == "E does not begin with 0")
    #expect(reason(text(12, "proto2")) == "f is not a proto3 file")
    #expect(reason([4 << 3, 1]) == "field 4 is not a string")
    #expect(reason(Self.field(4, [0xFF])) == "malformed descriptor: truncated number")
    var deep: [UInt8] = []
    for _ in 0..<20 { deep = Self.field(3, text(1, "M") + deep) }
    #expect(reason(message(deep)) == "messages are nested too deeply")
  }

  /// An encoded string, bytes or message field.
  private static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    var (size, rest) = ([UInt8](), bytes.count)
    while rest >= 0x80 {
      size.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return [number << 3 | 2] + size + [UInt8(rest)] + bytes
  }
}
