/// A first-in, first-out queue with amortized constant-time operations.
///
/// It is inlinable, so that other modules specialize it for their elements.
package struct FIFO<Element> {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { head == elements.count }
  @inlinable package var count: Int { elements.count - head }

  /// The first element, mutable in place. The queue must not be empty.
  @inlinable package var first: Element {
    get { elements[head]! }
    set { elements[head] = newValue }
  }

  @inlinable package mutating func append(_ element: Element) {
    elements.append(element)
  }

  @inlinable package mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head].take()
    head += 1
    compact()
    return element
  }

  @inlinable mutating func compact() {
    if head == elements.count {
      elements.removeAll(keepingCapacity: elements.capacity <= 64)
      head = 0
    } else if head >= 32, head * 2 >= elements.count {
      elements.removeSubrange(..<head)
      head = 0
    }
  }
}

extension FIFO: Sendable where Element: Sendable {}
