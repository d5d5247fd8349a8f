import Instrumentation
import MarqueeRPC
import ServiceContextModule

extension CallOptions {
  /// Returns the options with the current trace context injected into the metadata. Existing metadata keys take
  /// precedence.
  consuming func traced(by instrument: (any Instrument)?) -> CallOptions {
    guard let context = ServiceContext.current else { return self }
    var options = self
    let instrument = instrument ?? InstrumentationSystem.instrument
    instrument.inject(context, into: &options.metadata, using: MetadataInjector())
    return options
  }
}

/// Appends pairs to metadata unless their keys are present.
private struct MetadataInjector: Injector {
  func inject(_ value: String, forKey key: String, into metadata: inout Metadata) {
    if metadata.bytes(for: key) == nil { metadata.append(key, value) }
  }
}
