import Synchronization
import Tracing

/// Records spans, and propagates W3C trace contexts.
final class RecordingTracer: Tracer {
  private let begun = Mutex<[RecordedSpan]>([])

  /// The spans in start order.
  var spans: [RecordedSpan] { begun.withLock(\.self) }

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> RecordedSpan {
    begun.withLock { begun in
      var context = context()
      let parent = context.traceParent
      let trace = parent.map { String($0.split(separator: "-")[1]) }
      let number = String(begun.count + 1)
      let own = String(repeating: "0", count: 16 - number.count) + number
      context.traceParent = "00-\(trace ?? String(repeating: "c", count: 16) + own)-\(own)-01"
      let span = RecordedSpan(operationName, context, parent: parent)
      begun.append(span)
      return span
    }
  }

  func forceFlush() {}

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {
    context.traceParent = extractor.extract(key: "traceparent", from: carrier)
  }

  func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    if let parent = context.traceParent { injector.inject(parent, forKey: "traceparent", into: &carrier) }
  }
}

/// A span of a ``RecordingTracer``.
final class RecordedSpan: Span {
  private struct State {
    var name: String
    var attributes = SpanAttributes()
    var isOver = false
  }

  let context: ServiceContext
  /// The parent span.
  let parent: String?
  private let state: Mutex<State>

  init(_ name: String, _ context: ServiceContext, parent: String?) {
    self.context = context
    self.parent = parent
    state = Mutex(State(name: name))
  }

  var isRecording: Bool { state.withLock { !$0.isOver } }

  var operationName: String {
    get { state.withLock(\.name) }
    set { state.withLock { $0.name = newValue } }
  }

  var attributes: SpanAttributes {
    get { state.withLock(\.attributes) }
    set { state.withLock { $0.attributes = newValue } }
  }

  func setStatus(_ status: SpanStatus) {}
  func addEvent(_ event: SpanEvent) {}
  func addLink(_ link: SpanLink) {}

  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {}

  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) { state.withLock { $0.isOver = true } }
}

extension ServiceContext {
  private enum TraceParentKey: ServiceContextKey { typealias Value = String }

  var traceParent: String? {
    get { self[TraceParentKey.self] }
    set { self[TraceParentKey.self] = newValue }
  }
}
