/// A first-in, first-out queue with amortized constant-time operations.
///
/// It is public for the compiler only, which specializes public generic types in other modules.
public struct FIFO<Element> {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  /// Creates an empty queue.
  @inlinable public init() {}

  /// Whether there are no elements.
  @inlinable public var isEmpty: Bool { head == elements.count }
  /// The number of elements.
  @inlinable public var count: Int { elements.count - head }

  /// The first element, mutable in place. The queue must not be empty.
  @inlinable public var first: Element {
    get { elements[head]! }
    set { elements[head] = newValue }
  }

  /// Calls `body` with the first element, which is not copied. The queue must not be empty.
  @inlinable public mutating func withFirst<Result>(_ body: (inout Element) -> Result) -> Result {
    body(&elements[head]!)
  }

  /// Adds an element at the end.
  @inlinable public mutating func append(_ element: Element) {
    elements.append(element)
  }

  /// Removes and returns the first element, or returns `nil` if there is none.
  @inlinable public mutating func popFirst() -> Element? {
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
