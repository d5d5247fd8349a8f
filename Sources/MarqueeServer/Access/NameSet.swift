/// Which names of a kind are meant.
enum NameSet<Name: Hashable & Sendable>: Hashable, Sendable {
  /// Every name.
  case all
  /// These.
  case named(Set<Name>)

  /// No name.
  static var none: NameSet { .named([]) }

  /// Whether that name is meant.
  func contains(_ name: Name) -> Bool {
    switch self {
    case .all: true
    case .named(let names): names.contains(name)
    }
  }

  /// The names of both.
  func union(_ other: NameSet) -> NameSet {
    guard case .named(let mine) = self, case .named(let theirs) = other else { return .all }
    return .named(mine.union(theirs))
  }
}
