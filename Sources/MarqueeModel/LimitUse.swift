/// How much of a limit is used, by the one that uses most of it.
public struct LimitUse: Hashable, Sendable {
  /// The limit's name, such as `stack-count-max`.
  public let limit: String
  /// How much is used.
  public let count: Int
  /// Who uses that much, such as an app or a stack; empty where there is only one that could.
  public let holder: String

  /// A use.
  public init(_ limit: String, _ count: Int, holder: String = "") {
    self.limit = limit
    self.count = count
    self.holder = holder
  }

  /// Of each limit's uses the largest, and of equal ones that of the first holder by name.
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
