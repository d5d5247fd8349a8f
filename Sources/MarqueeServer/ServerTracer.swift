import MarqueeRPC
import MarqueeRuntime
import MarqueeTransport
import Tracing

/// A call tracer that continues the traces of clients, and starts spans if the process has a tracer.
struct ServerTracer: CallTracer {
  /// The tracer that records spans; `nil` to only propagate the trace IDs of clients.
  private let tracer: (any Tracer)?

  /// Creates a call tracer that records spans with `tracer`, or else with the process's bootstrapped tracer.
  init(_ tracer: (any Tracer)?) {
    let tracer = tracer ?? InstrumentationSystem.tracer
    self.tracer = tracer is NoOpTracer ? nil : tracer
  }

  func span(of call: CallContext) -> (any CallSpan)? {
    guard let tracer else {
      if call.metadata.isEmpty { return nil }
      return call.metadata[TraceParent.key].flatMap(TraceParent.init).map(PropagatedTrace.init)
    }
    return begin(call, tracer)
  }

  private func begin(_ call: CallContext, _ tracer: some Tracer) -> any CallSpan {
    var context = ServiceContext.topLevel
    tracer.extract(call.metadata, into: &context, using: MetadataExtractor())
    let span = tracer.startSpan(call.method, context: context, ofKind: .server)
    span.updateAttributes { $0["rpc.system"] = call.callProtocol.systemName }
    var injected: [String: String] = [:]
    tracer.inject(span.context, into: &injected, using: DictionaryInjector())
    return RecordedSpan(span: span, parent: injected[TraceParent.key].flatMap(TraceParent.init))
  }
}

/// A call of a client's trace without a span of its own.
private struct PropagatedTrace: CallSpan {
  let parent: TraceParent?

  init(_ parent: TraceParent) {
    self.parent = parent
  }

  func run(_ body: @Sendable () async throws -> Void) async throws {
    try await Trace.$current.withValue(parent?.traceText, operation: body)
  }

  func end(_ code: StatusCode) {}
}

/// A call with a recorded span.
private struct RecordedSpan<Span: Tracing.Span>: CallSpan {
  let span: Span
  let parent: TraceParent?

  func run(_ body: @Sendable () async throws -> Void) async throws {
    try await ServiceContext.withValue(span.context) {
      try await Trace.$current.withValue(parent?.traceText, operation: body)
    }
  }

  func end(_ code: StatusCode) {
    span.updateAttributes { $0["rpc.response.status_code"] = "\(code)" }
    if [.internalError, .dataLoss, .unknown, .unimplemented].contains(code) { span.setStatus(.init(code: .error)) }
    span.end()
  }
}

private struct MetadataExtractor: Extractor {
  func extract(key: String, from metadata: Metadata) -> String? { metadata[key] }
}

private struct DictionaryInjector: Injector {
  func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
}

extension CallProtocol {
  /// The value of the span attribute `rpc.system`.
  fileprivate var systemName: String {
    switch self {
    case .native: "marquee"
    case .grpc: "grpc"
    case .connect: "connect_rpc"
    }
  }
}
