/// A queue with many producers and one consumer.
struct UnboundedQueue<Element: Sendable>: Sendable {
  let elements: AsyncStream<Element>
  private let continuation: AsyncStream<Element>.Continuation

  init() {
    (elements, continuation) = AsyncStream.makeStream()
  }

  func add(_ element: Element) { continuation.yield(element) }
}
