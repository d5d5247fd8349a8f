import MarqueeModel

/// How probable the actions that matter are now, and at the steps of local time ahead (rule P1).
///
/// Probabilities count in sixteenths, rounded down, so that they seldom change. What is here is a function of what was
/// learned, what surrounds the person, the registrations and the clock: it is never stored.
struct Foresight: Equatable, Sendable {
  /// Parts that a probability is counted in.
  static let partCount = 16

  /// A probability in parts, from 1.
  static func parts(of probability: Double) -> Int { max(1, min(partCount, Int(probability * Double(partCount)))) }

  /// An action that is probable enough to count.
  struct Expectation: Equatable, Sendable {
    /// The action's index in the log's table.
    let action: UInt32
    /// Its probability in sixteenths, from 1.
    let parts: Int
  }

  struct Change: Equatable, Sendable {
    let at: Instant
    let expectations: [Expectation]
  }

  /// What is expected now, in the order in which the actions were learned.
  private(set) var expectations: [Expectation] = []
  /// What will be expected next if nothing happens; `nil` when that is the same up to the end.
  private(set) var change: Change?
  /// Until when this was looked at; `nil` when nothing can come to matter without an event.
  private(set) var end: Instant?
  /// For each sort of learned actions, whether a kind is configured by it.
  private(set) var configured: [Bool] = []

  /// Nothing is expected, whatever the time.
  init(configured: [Bool] = []) {
    self.configured = configured
  }

  /// Some things are expected now, and others from an instant before `end` on, if they are.
  init(_ expectations: [Expectation], then change: Change?, end: Instant, configured: [Bool]) {
    self.expectations = expectations
    self.change = change
    self.end = end
    self.configured = configured
  }

  /// Whether it has to be looked at again, since what was looked at is past.
  func isOver(at now: Instant) -> Bool { end.map { $0 <= now } ?? false }

  /// The next instant at which anything changes or has to be looked at again.
  var nextEdge: Instant? { change?.at ?? end }
}
