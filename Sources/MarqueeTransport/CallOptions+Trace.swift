import Instrumentation
import MarqueeRPC
import ServiceContextModule

extension CallOptions {
  /// The same options with what the current trace, if there is one, wants to be sent beside the call; what the options
  /// have of that stays.
  func traced(by instrument: (any Instrument)?) -> CallOptions {
    guard let context = ServiceContext.current else { return self }
    var options = self
    let instrument = instrument ?? InstrumentationSystem.instrument
    instrument.inject(context, into: &options.metadata, using: MetadataInjector())
    return options
  }
}

/// Puts pairs into metadata, unless their keys are there.
private struct MetadataInjector: Injector {
  func inject(_ value: String, forKey key: String, into metadata: inout Metadata) {
    if metadata.bytes(for: key) == nil { metadata.append(key, value) }
  }
}
