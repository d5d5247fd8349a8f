/// The edit distance of names, used to suggest corrections of mistyped ones.
public enum EditDistance {
  /// The maximum number of names suggested at once.
  public static let suggestionCountMax = 3
  /// The maximum length of a compared name, in characters.
  public static let nameLengthMax = 256

  /// Returns the minimum number of insertions, deletions, replacements and transpositions of neighbors.
  ///
  /// No substring is edited twice ("optimal string alignment").
  static func between(_ left: some StringProtocol, _ right: some StringProtocol) -> Int {
    let (a, b) = (Array(left), Array(right))
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var (beforeLast, last) = ([Int](), Array(0...b.count))
    for i in 1...a.count {
      var row = [i] + Array(repeating: 0, count: b.count)
      for j in 1...b.count {
        let replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
        row[j] = min(last[j] + 1, row[j - 1] + 1, replaced)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { row[j] = min(row[j], beforeLast[j - 2] + 1) }
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }

  /// Returns the names nearest to `text` within a third of its length, ignoring case, nearest first.
  public static func nearest(to text: String, among names: [String]) -> [String] {
    let wanted = text.prefix(nameLengthMax).lowercased()
    let distanceMax = max(1, wanted.count / 3)
    var found: [(distance: Int, name: String)] = []
    for name in names where abs(name.count - wanted.count) <= distanceMax {
      let distance = between(wanted, name.lowercased())
      if distance <= distanceMax { found.append((distance, name)) }
    }
    found.sort { ($0.distance, $0.name) < ($1.distance, $1.name) }
    return found.prefix(suggestionCountMax).map(\.name)
  }
}
