import ArgumentParser

/// When what is written goes out.
///
/// By default the transport gathers it for up to 100 µs, which suits many calls at a time and makes one alone wait in
/// each direction.
struct Flushing: ParsableArguments {
  @Flag(name: .customLong("flush-at-once"), help: "Send at once what is written; better for few calls at a time.")
  var atOnce = false
}
