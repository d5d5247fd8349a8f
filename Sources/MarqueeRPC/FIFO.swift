/// A first-in, first-out queue with amortized constant-time operations: a ring buffer.
///
/// It is public for the compiler only, which specializes public generic types in other modules.
public struct FIFO<Element> {
  /// The maximum number of places kept while the queue is empty.
  @usableFromInline static var keptCountMax: Int { 64 }

  /// The places of the ring; their number is a power of two, or 0.
  @usableFromInline var elements: [Element?] = []
  /// The place of the first element.
  @usableFromInline var head = 0
  @usableFromInline var elementCount = 0

  /// Creates an empty queue.
  @inlinable public init() {}

  /// Whether there are no elements.
  @inlinable public var isEmpty: Bool { elementCount == 0 }
  /// The number of elements.
  @inlinable public var count: Int { elementCount }

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
  @inlinable public mutating func append(_ element: consuming Element) {
    if count == elements.count { grow() }
    elements[place(count)] = element
    elementCount += 1
  }

  /// Removes and returns the first element, or returns `nil` if there is none.
  @inlinable public mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[head].take()
    head = place(1)
    elementCount -= 1
    if isEmpty, elements.count > Self.keptCountMax {
      elements = []
      head = 0
    }
    return element
  }

  /// The place of the element at an offset from the first one.
  @inlinable func place(_ offset: Int) -> Int { (head + offset) & (elements.count - 1) }

  @inlinable mutating func grow() {
    var larger = [Element?](repeating: nil, count: max(1, 2 * count))
    for offset in 0..<count { larger[offset] = elements[place(offset)].take() }
    elements = larger
    head = 0
  }
}

extension FIFO: Sendable where Element: Sendable {}
