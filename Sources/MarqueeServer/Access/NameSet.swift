/// A set of names of one type: all of them, or the listed ones.
enum NameSet<Name: Hashable & Sendable>: Hashable, Sendable {
  /// Every name.
  case all
  /// The listed names.
  case named(Set<Name>)

  /// The empty set.
  static var none: NameSet { .named([]) }

  /// Returns whether the set contains a name.
  func contains(_ name: Name) -> Bool {
    switch self {
    case .all: true
    case .named(let names): names.contains(name)
    }
  }

  /// Returns the union of two sets.
  func union(_ other: NameSet) -> NameSet {
    guard case .named(let names) = self, case .named(let others) = other else { return .all }
    return .named(names.union(others))
  }
}
