import Foundation

/// Signals that this process handles itself, instead of ending by them, until ``end()``.
struct SignalWatch {
  private let sources: [any DispatchSourceSignal]

  /// Hands signals to `handle`, on any thread. Returns when none can be missed any more: a source takes a while until
  /// it is there, and until then what comes is lost.
  init(_ numbers: [CInt], _ handle: @escaping @Sendable (CInt) -> Void) async {
    var sources: [any DispatchSourceSignal] = []
    for number in numbers {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { handle(number) }
      await withCheckedContinuation { continuation in
        source.setRegistrationHandler { continuation.resume() }
        source.resume()
      }
      sources.append(source)
    }
    self.sources = sources
  }

  /// Hands on no more.
  func end() {
    for source in sources { source.cancel() }
  }
}
