import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@testable import MarqueeClient

@Suite(.timeLimit(.minutes(1)))
struct DeviceRecordsTests {
  /// Returns the records that a client reads if the server sends these, and the error at the end, if any.
  private func read(_ sent: [DeviceRecord]) async throws -> ([DeviceRecord], RPCStatus?) {
    let server = try await FakeServer(others: { router in
      router.serverStreaming(AdminService.exportDevice) { _, responses, _ in
        for record in sent { try await responses.send(record) }
      }
    })
    var (records, status): ([DeviceRecord], RPCStatus?) = ([], nil)
    do {
      for try await record in OperatorClient(server.client()).history(of: Fixture.device) { records.append(record) }
    } catch let error as RPCStatus {
      status = error
    }
    await server.shutDown()
    return (records, status)
  }

  private func origin(_ eventCount: UInt64) throws -> DeviceRecord {
    let origin = DeviceOrigin(
      device: Fixture.device, timeZone: try TimeZoneID("UTC"), policy: [], eventCount: eventCount, until: .max)
    return DeviceRecord(at: .min, .origin(origin))
  }

  private func mode(_ isEnabled: Bool) throws -> DeviceRecord {
    DeviceRecord(
      at: .max, .developerModeChanged(SetDeveloperModeRequest(device: Fixture.device, isEnabled: isEnabled)))
  }

  private func parts(_ number: UInt64) throws -> [TimelinePart] {
    let pieces = TimelinePieces(
      widget: Fixture.forecast, family: .systemLarge, policy: .never, entries: Fixture.entries(600))
    return pieces.parts(try #require(PublishID(number)))
  }

  @Test("The parts of a timeline are joined into one record")
  func joined() async throws {
    let parts = try parts(2)
    #expect(parts.count == 3)
    let pieces = parts.map { DeviceRecord(at: .max, .timelinePublished($0)) }
    let (records, status) = try await read([origin(3), mode(true)] + pieces + [mode(false)])
    var whole = parts[0]
    (whole.entries, whole.isCommit) = (Fixture.entries(600), true)
    #expect(status == nil)
    #expect(try records == [origin(3), mode(true), DeviceRecord(at: .max, .timelinePublished(whole)), mode(false)])
  }

  @Test("A truncated or incomplete record fails with DATA_LOSS after the readable part")
  func broken() async throws {
    let pieces = try parts(2).map { DeviceRecord(at: .max, .timelinePublished($0)) }
    let cases: [(sent: [DeviceRecord], count: Int)] = [
      ([], 0), ([try mode(true)], 0), ([try origin(2), try mode(true)], 2),
      ([try origin(1)] + pieces.dropLast(), 1), ([try origin(2), pieces[0], try mode(true)], 1),
      ([try origin(1), pieces[0], DeviceRecord(at: .max, .timelinePublished(try parts(3)[1]))], 1),
    ]
    for (index, (sent, count)) in cases.enumerated() {
      let (records, status) = try await read(sent)
      #expect(status?.code == .dataLoss && records.count == count, "case \(index): \(status as Any)")
    }
  }
}
