import Foundation

/// Handles signals in this process instead of terminating, until ``end()``.
struct SignalWatch {
  private let sources: [any DispatchSourceSignal]

  /// Calls `handle` for each signal, on any thread. Returns once the dispatch sources are installed, because signals
  /// that arrive earlier are lost.
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

  /// Stops handling signals.
  func end() {
    for source in sources { source.cancel() }
  }
}
