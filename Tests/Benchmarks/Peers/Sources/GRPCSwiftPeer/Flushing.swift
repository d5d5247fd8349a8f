import ArgumentParser

/// The policy by which the transport flushes written messages.
///
/// By default the transport delays a flush by up to 100 µs, which favors many concurrent calls and delays a single
/// call in each direction.
struct Flushing: ParsableArguments {
  @Flag(name: .customLong("flush-at-once"), help: "Flush every write immediately, which favors few concurrent calls.")
  var atOnce = false
}
