import MarqueeModel
import OrderedCollections

/// State for surfaces: upcoming media of apps, and user feedback on suggestions (rules D7, R11).
struct SurfaceState: Equatable, Sendable {
  /// The maximum number of suggestions with feedback. Beyond it, the oldest entry is evicted.
  static let feedbackCountMax = 1_024

  /// A suggestion on a surface. It does not reveal the content of the suggestion.
  struct Key: Hashable, Sendable {
    let surface: SuggestionSurface
    let id: SuggestionID
  }

  struct Feedback: Equatable, Sendable {
    var engagement = Engagement()
    /// Whether it was shown since its last outcome.
    var isShown = false
    /// When the suggestion may be shown again.
    var suppressedUntil: Instant?
    /// When the user last dismissed the suggestion, on a surface that lists donations in developer mode (rule S12).
    var dismissedAt: Instant?
  }

  var upcoming: OrderedDictionary<AppID, UpcomingMedia> = [:]
  private(set) var feedback: OrderedDictionary<Key, Feedback> = [:]

  init() {}

  subscript(key: Key) -> Feedback { feedback[key] ?? Feedback() }

  mutating func note(_ outcome: SuggestionOutcome, of key: Key) {
    change(key) { feedback in
      if outcome != .shown, feedback.isShown { feedback.engagement.record(isGood: outcome == .acted) }
      feedback.isShown = outcome == .shown
    }
  }

  mutating func suppress(_ key: Key, until instant: Instant) {
    change(key) { $0.suppressedUntil = instant }
  }

  /// Records that the user dismissed the suggestion, on a surface that lists donations in developer mode.
  mutating func noteDismissal(of key: Key, at instant: Instant) {
    guard key.surface.listsDonations else { return }
    change(key) { $0.dismissedAt = instant }
  }

  /// Whether ``writeDismissals(to:)`` writes anything that an earlier format lacks.
  var hasDismissals: Bool { feedback.values.contains { $0.dismissedAt != nil } }

  /// Returns when the suggestions that were suppressed on the surface may be shown again, including past instants.
  func suppressionEnds(on surface: SuggestionSurface) -> [Instant] {
    feedback.compactMap { $0.key.surface == surface ? $0.value.suppressedUntil : nil }
  }

  /// Clamps the end of every suppression to `latest`, and every dismissal to `now`.
  mutating func restateTime(at now: Instant, suppressedUntil latest: Instant) {
    for key in feedback.keys {
      if let end = feedback[key]?.suppressedUntil { feedback[key]?.suppressedUntil = min(end, latest) }
      if let date = feedback[key]?.dismissedAt { feedback[key]?.dismissedAt = min(date, now) }
    }
  }

  /// Removes the feedback of all suggestions for which `isKnown` returns `false`.
  mutating func removeFeedback(exceptFor isKnown: (SuggestionID) -> Bool) {
    feedback.removeAll { !isKnown($0.key.id) }
  }

  private mutating func change(_ key: Key, _ body: (inout Feedback) -> Void) {
    if feedback[key] == nil, feedback.count == Self.feedbackCountMax { feedback.removeFirst() }
    body(&feedback[key, default: Feedback()])
  }
}

extension SurfaceState {
  /// Appends the dismissals, in the order of the feedback.
  func writeDismissals(to writer: inout ByteWriter) {
    for feedback in feedback.values { writer.write(feedback.dismissedAt) }
  }

  mutating func readDismissals(from reader: inout ByteReader, at now: Instant) throws(BinaryDecodingError) {
    for key in feedback.keys {
      let date = try reader.readOptional(Instant.self)
      guard date ?? .min <= now, date == nil || key.surface.listsDonations else {
        throw reader.corrupt("dismissal in the future, or on a surface that lists no donations")
      }
      feedback[key]?.dismissedAt = date
    }
  }
}

/// The encoding omits dismissals, which ``writeDismissals(to:)`` appends.
extension SurfaceState: BinaryCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(upcoming.count)
    for (app, media) in upcoming {
      writer.write(app)
      writer.write(media)
    }
    writer.write(feedback.count)
    for (key, feedback) in feedback {
      writer.write(tag: key.surface.rawValue)
      writer.write(key.id)
      writer.write(feedback.engagement)
      writer.write(feedback.isShown)
      writer.write(feedback.suppressedUntil)
    }
  }

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    upcoming = try reader.readDictionary { (reader) throws(BinaryDecodingError) in try reader.read() }
    for _ in 0..<(try reader.readCount()) {
      guard let surface = SuggestionSurface(rawValue: try reader.readTag()) else {
        throw reader.corrupt("unknown surface")
      }
      let key = Key(surface: surface, id: try reader.read())
      let feedback = Feedback(
        engagement: try reader.read(), isShown: try reader.readBool(), suppressedUntil: try reader.readOptional())
      guard self.feedback.updateValue(feedback, forKey: key) == nil else {
        throw reader.corrupt("duplicate feedback")
      }
    }
  }
}
