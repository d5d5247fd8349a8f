import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeWire

@Suite struct MalformedMessageTests {
  private typealias Proto = ProtoBytes
  private static let register: Proto = [.text(1, "phone"), .text(2, "Europe/Berlin")]

  private func code<Value: WireValue>(_ type: Value.Type, _ message: ProtoBytes) -> StatusCode {
    do throws(RPCStatus) {
      _ = try Value(wireBytes: message.bytes)
      return .ok
    } catch {
      return error.code
    }
  }

  @Test("A truncated message is rejected or lacks its last fields, and never traps")
  func truncated() throws {
    var chance = Sampler(seed: 12)
    let part = TimelinePart(
      publish: try #require(PublishID(9)), widget: try chance.widget(), policy: .atEnd,
      entries: try (0..<4).map { _ in try chance.entry() }, isCommit: true)
    let bytes = ProviderMessage.timeline(part).wireBytes
    for count in 0..<bytes.count {
      #expect(code(ProviderMessage.self, ProtoBytes(Array(bytes[..<count]))) == .invalidArgument)
    }
  }

  @Test(
    "Bytes that are not protobuf are rejected",
    arguments: [
      ProtoBytes.tag(1, 2) + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
      ProtoBytes.tag(1, 2) + [0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
      [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
      ProtoBytes.tag(9, 3) + ProtoBytes.tag(9, 4), ProtoBytes.tag(1, 3) + ProtoBytes.tag(1, 4),
      ProtoBytes.tag(1, 6) + [0], ProtoBytes.tag(1, 7) + [0],
      ProtoBytes.tag(0, 0) + [1], ProtoBytes.tag(0, 2) + [1, 0],
      ProtoBytes.tag(1, 0) + [1], ProtoBytes.tag(1, 5) + [0, 0, 0, 0], ProtoBytes.tag(9, 1) + [0],
    ])
  func malformed(bytes: [UInt8]) {
    #expect(code(RegisterDeviceRequest.self, ProtoBytes(Self.register.bytes + bytes)) == .invalidArgument)
    #expect(code(RegisterDeviceRequest.self, ProtoBytes(bytes + Self.register.bytes)) == .invalidArgument)
  }

  @Test("An overlong varint is rejected")
  func overlongValue() {
    let long = ProtoBytes(ProtoBytes.tag(1, 0) + [UInt8](repeating: 0x80, count: 10) + [1])
    #expect(code(TimelineEntry.self, long) == .invalidArgument)
  }

  @Test("Unknown fields are skipped")
  func unknown() throws {
    let newer: Proto = [.number(100, 7), .text(200, "later"), .double(300, .nan), .message(400, [.number(1, 1)])]
    let request = try RegisterDeviceRequest(wireBytes: newer.bytes + Self.register.bytes + newer.bytes)
    #expect(request == RegisterDeviceRequest(device: try DeviceID("phone"), timeZone: try TimeZoneID("Europe/Berlin")))
  }

  @Test("The last occurrence of a repeated scalar field or of a oneof wins")
  func twice() throws {
    let request = try RegisterDeviceRequest(wireBytes: Self.register.bytes + Proto.text(1, "pad").bytes)
    #expect(request.device.text == "pad")
    let policy: Proto = [.number(1, 1), .number(2, 5), .number(3, 1)]
    #expect(try TimelineReloadPolicy(wireBytes: policy.bytes) == .never)
    let report: Proto = [
      .text(1, "phone"), .message(4, [.text(1, "s")]), .text(2, "t"), .text(3, "u"),
    ]
    #expect(try ReportRequest(wireBytes: report.bytes).report == .hidden(StackID("u")))
  }

  @Test("A submessage that occurs twice is merged and validated")
  func submessageTwice() throws {
    let (app, name) = (Proto.text(1, "com.example"), Proto.text(2, "Forecast"))
    let widget = try Widget(wireBytes: ([.message(1, app), .message(1, name)] as Proto).bytes)
    #expect(widget.description == "com.example/Forecast")
    let type = Proto.text(1, "City")
    let parameter = Proto.message(2, [.text(1, "p"), .message(2, .number(2, 1))])
    let kind = Proto.message(1, [app, name])
    #expect(code(Widget.self, [kind, .message(2, [type, parameter]), .message(2, parameter)]) == .invalidArgument)
    #expect(code(Widget.self, [kind, .message(2, type), .message(2, parameter)]) == .ok)
  }

  @Test(
    "A small message that would use excessive CPU time or memory exceeds the arena's quota", .timeLimit(.minutes(5)))
  func bombs() {
    let parameter = Proto.message(2, [.text(1, "p")])
    let configuration = Proto.message(2, .message(2, [parameter]))
    let merged = [UInt8](repeating: 0, count: 0) + (0..<150_000).flatMap { _ in configuration.bytes }
    let part = ProtoBytes(Proto.number(1, 1).bytes + merged)
    #expect(code(ProviderMessage.self, .message(2, part)) == .resourceExhausted)
    let empty = ProtoBytes((0..<2_000_000).flatMap { _ in [0x22, 0x00] as [UInt8] })
    #expect(code(TimelinePart.self, empty) == .resourceExhausted)
  }

  @Test("Random and corrupted bytes never trap", .timeLimit(.minutes(5)))
  func random() throws {
    var chance = Sampler(seed: 31)
    let whole = try (0..<20).map { _ in try sample(&chance) }
    var readCount = 0
    for round in 0..<3_000 {
      var bytes = round.isMultiple(of: 3) ? chance.bytes(upTo: 80) : chance.one(of: whole)
      for _ in 0...chance.number(in: 0...3) where !bytes.isEmpty {
        bytes[chance.number(in: 0...bytes.count - 1)] = UInt8(truncatingIfNeeded: chance.next())
      }
      readCount += read(bytes)
    }
    #expect(readCount > 500)
  }

  private func sample(_ chance: inout Sampler) throws -> [UInt8] {
    switch chance.number(in: 0...11) {
    case 0:
      let part = TimelinePart(
        publish: try #require(PublishID(1)), widget: try chance.widget(), entries: try chance.array { try $0.entry() })
      return ProviderMessage.timeline(part).wireBytes
    case 1:
      let added = WidgetInstance(try chance.widget(), in: chance.family())
      let changes: [DisplayUpdate.Change] = [.stack(try chance.stack()), .homeWidgetAdded(added)]
      return DisplayUpdate(at: chance.instant(), chance.one(of: changes)).wireBytes
    case 2:
      return EditStackRequest(
        device: try chance.identifier(), stack: try chance.identifier(), edit: chance.one(of: try chance.edits())
      ).wireBytes
    case 3:
      return ExplainResponse(
        explanation: try chance.explanation(), suggestions: try chance.explanation(), timeZone: try chance.identifier()
      ).wireBytes
    case 4: return WhyNotResponse(whyNot: try chance.whyNot(), timeZone: try chance.identifier()).wireBytes
    case 5:
      let app = try chance.identifier(AppID.self)
      return try RegisterIntentTypesRequest(
        device: chance.identifier(), app: app, intentTypes: [chance.intentType(of: app)]
      ).wireBytes
    case 6:
      let request = SetRelevantShortcutsRequest(
        device: try chance.identifier(), app: try chance.identifier(), shortcuts: [try chance.shortcut()])
      return DeviceRecord(at: chance.instant(), .relevantShortcutsSet(request)).wireBytes
    case 7:
      return ListWatchFaceResponse(
        at: chance.instant(), items: try chance.watchFaceItems(), hasMore: false, nextChange: nil,
        timeZone: try chance.identifier()
      ).wireBytes
    case 8: return DonationMessage.donation(1, try chance.donation()).wireBytes
    case 9:
      return ListDonationsResponse(
        at: chance.instant(), donations: [try chance.donationStatus()], hasMore: false, donationCount: 1,
        timeZone: try chance.identifier()
      ).wireBytes
    case 10:
      return PredictResponse(
        at: chance.instant(), timeZone: try chance.identifier(), context: try chance.deviceContext(),
        actions: [try chance.likelyAction()], actionCount: 1, evidenceProbabilityMin: 0.2
      ).wireBytes
    default:
      let report = UserReport.tapped(try chance.identifier(), try chance.widget())
      return ReportRequest(device: try chance.identifier(), report: report).wireBytes
    }
  }

  /// Returns the number of message types that the bytes decode as.
  private func read(_ bytes: [UInt8]) -> Int {
    let types: [any WireValue.Type] = [
      RegisterKindsRequest.self, ProviderMessage.self, ProviderEvent.self, RegisterDeviceRequest.self,
      WatchRequest.self, DisplayUpdate.self, ReportRequest.self, EditStackRequest.self, EditStackResponse.self,
      ListDevicesResponse.self, ListWidgetsResponse.self, InspectStackResponse.self, GetTimelineRequest.self,
      GetTimelineResponse.self, ExplainRequest.self, ExplainResponse.self, ListDecisionsResponse.self,
      HealthCheckRequest.self, HealthListResponse.self, ServerReflectionRequest.self, ServerReflectionResponse.self,
      RegisterIntentTypesRequest.self, SetRelevantShortcutsRequest.self,
      SetRelevantIntentsRequest.self, WhyNotResponse.self, ListShortcutsResponse.self, SetPolicyRequest.self,
      DeviceRecord.self, ListWatchFaceResponse.self, DonateRequest.self, DonationMessage.self, DonationEvent.self,
      DeleteDonationsRequest.self, ListDonationsRequest.self, ListDonationsResponse.self,
      DeleteAllDonationsRequest.self, PredictRequest.self, PredictResponse.self, ListBlockedSuggestionsResponse.self,
      RemoveKindsRequest.self, RemoveIntentTypesRequest.self, RemoveAppRequest.self, RemoveDeviceRequest.self,
    ]
    return types.count { type in
      // An error is as acceptable as a value; only a trap is not.
      (try? type.init(wireBytes: bytes)) != nil
    }
  }
}
