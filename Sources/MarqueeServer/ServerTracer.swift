import MarqueeRPC
import MarqueeRuntime
import MarqueeTransport
import Tracing

/// Takes over the traces that callers send, and begins spans where the process has a tracer.
struct ServerTracer: CallTracer {
  /// `nil` where nobody records spans: then the names of traces that callers send are all there is.
  private let tracer: (any Tracer)?

  /// A tracer of calls that records with `tracer` or, without, the one that the process has chosen by now.
  init(_ tracer: (any Tracer)?) {
    let tracer = tracer ?? InstrumentationSystem.tracer
    self.tracer = tracer is NoOpTracer ? nil : tracer
  }

  func span(of call: CallContext) -> (any CallSpan)? {
    guard let tracer else {
      if call.metadata.isEmpty { return nil }
      return call.metadata[TraceParent.key].flatMap(TraceParent.init).map(NamedTrace.init)
    }
    return begin(call, tracer)
  }

  private func begin(_ call: CallContext, _ tracer: some Tracer) -> any CallSpan {
    var context = ServiceContext.topLevel
    tracer.extract(call.metadata, into: &context, using: MetadataExtractor())
    let span = tracer.startSpan(call.method, context: context, ofKind: .server)
    var sent: [String: String] = [:]
    tracer.inject(span.context, into: &sent, using: DictionaryInjector())
    return RecordedCall(span: span, parent: sent[TraceParent.key].flatMap(TraceParent.init))
  }
}

/// A call in a trace that nobody records here.
private struct NamedTrace: CallSpan {
  let parent: TraceParent?

  init(_ parent: TraceParent) {
    self.parent = parent
  }

  func run(_ body: @Sendable () async throws -> Void) async throws {
    try await Trace.$current.withValue(parent?.traceText, operation: body)
  }

  func end(_ code: StatusCode) {}
}

/// A call with a span of its own.
private struct RecordedCall<Span: Tracing.Span>: CallSpan {
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
