import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing
import Tracing

@Suite("Traces", .timeLimit(.minutes(2)))
struct TraceTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"

  private static var metadata: Metadata {
    var metadata = Metadata()
    metadata.append("traceparent", "00-\(trace)-b7ad6b7169203331-01")
    return metadata
  }

  @Test("The log has the trace ID of a call with its event and decisions, and with a slow call")
  func log() async throws {
    let directory = try TemporaryDirectory()
    let options = ["--log-level", "debug", "--slow-call-threshold", "0"]
    try await Daemon.run(DaemonTests.arguments(directory) + options) { daemon, endpoints in
      let connection = RPCClient(endpoints[0])
      try await Fixture.build(connection)
      let call = try await connection.bidirectional(ProviderService.provide, options: .init(metadata: Self.metadata))
      try await call.send(.attach(Fixture.device, Fixture.sportApp))
      let now = try #require(Instant(milliseconds: Int64(Date().timeIntervalSince1970) * 1_000))
      let part = TimelinePart(
        publish: valid { try ProviderStream.id(1) }, widget: Fixture.score, policy: .never,
        entries: [Fixture.entry(now, "1:0", score: 5)], isCommit: true)
      try await call.send(.timeline(part))
      let line = try await daemon.log.line(with: "event committed")
      let decisions = try await OperatorClient(connection).decisions(on: Fixture.device).decisions
      #expect(decisions.map(\.number) == [1])
      for word in ["trace_id=\(Self.trace)", "device=phone", "decisions=1 "] {
        #expect(line.contains(word), "\(line)")
      }
      call.cancel()
      let list = ListStacksRequest(device: Fixture.device)
      _ = try await connection.unary(AdminService.listStacks, list, options: .init(metadata: Self.metadata))
      _ = try await connection.unary(AdminService.listStacks, list)
      let words = "method=marquee.v1.Admin/ListStacks protocol=native trace_id=\(Self.trace)"
      let slow = try await daemon.log.line(with: words)
      #expect(slow.contains("a slow call"))
      // Neither the setup nor the last call belongs to a trace.
      #expect(daemon.log.text.split(separator: "\n").count { $0.contains("trace_id") } == 2, "\(daemon.log.text)")
    }
  }

  @Test("With a tracer, a call is a span of its client's trace, and a call without a trace begins one")
  func spans() async throws {
    let tracer = RecordingTracer()
    try await InProcessServer.run(tracer: tracer) { server in
      var configuration = ClientConfiguration.eager
      configuration.instrument = tracer
      let admin = OperatorClient(RPCClient(server.endpoint, configuration: configuration))
      _ = try await admin.devices()
      var context = ServiceContext.topLevel
      context.traceParent = "00-\(Self.trace)-b7ad6b7169203331-01"
      try await ServiceContext.withValue(context) {
        _ = try await admin.clock()
        _ = try? await admin.stacks(of: Fixture.device)  // NOT_FOUND is also a result of the span.
      }
      let spans = tracer.spans
      #expect(
        spans.map(\.operationName) == ["ListDevices", "GetClock", "ListStacks"].map { "marquee.v1.Admin/\($0)" })
      #expect(spans[0].parent == nil && spans.dropFirst().allSatisfy { $0.parent == context.traceParent })
      #expect(spans.allSatisfy { !$0.isRecording })
      let codes = spans.map { $0.attributes["rpc.response.status_code"]?.toSpanAttribute() }
      #expect(codes == [.string("OK"), .string("OK"), .string("NOT_FOUND")])
    }
  }
}
