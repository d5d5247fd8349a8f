/// The largest use of a limit by any single holder.
public struct LimitUse: Hashable, Sendable {
  /// The limit's name, such as `stack-count-max`.
  public let limit: String
  /// The amount in use.
  public let count: Int
  /// The holder of the largest use, such as an app or a stack; empty if the limit has only one possible holder.
  public let holder: String

  /// Creates a use.
  public init(_ limit: String, _ count: Int, holder: String = "") {
    self.limit = limit
    self.count = count
    self.holder = holder
  }

  /// Returns the largest use of each limit. Ties go to the first holder by name.
  public static func fullest(_ uses: [LimitUse]) -> [LimitUse] {
    var fullest: [LimitUse] = []
    for use in uses {
      guard let index = fullest.firstIndex(where: { $0.limit == use.limit }) else {
        fullest.append(use)
        continue
      }
      let known = fullest[index]
      if (use.count, known.holder) > (known.count, use.holder) { fullest[index] = use }
    }
    return fullest
  }
}
