import MarqueeModel

/// A widget that may come to the front of a stack, as far as ranking needs it.
struct Contender {
  let slot: Int
  /// Its index in the stack; 0 for one that may be suggested.
  let index: Int
  let evidence: Double
  let episodeStart: Instant

  /// The order of a stack's members: more evidence, then the later episode, then the stack's order (rule R8).
  func outranks(_ other: Contender) -> Bool {
    if evidence != other.evidence { return evidence > other.evidence }
    if episodeStart != other.episodeStart { return episodeStart > other.episodeStart }
    return index < other.index
  }

  /// The same of suggestions, which identifiers tell apart.
  func outranks(_ other: Contender, in widgets: WidgetTable) -> Bool {
    guard evidence == other.evidence, episodeStart == other.episodeStart else { return outranks(other) }
    return Self.comesFirst(widgets[slot].widget, widgets[other.slot].widget)
  }

  private static func comesFirst(_ left: Widget, _ right: Widget) -> Bool {
    if left.kind != right.kind { return left.kind < right.kind }
    return left.encoded.lexicographicallyPrecedes(right.encoded)
  }
}

extension Device {
  /// What ranking needs of a widget that is the stack's member of that index.
  func contender(_ slot: Int, at index: Int) -> Contender {
    Contender(
      slot: slot, index: index, evidence: evidence(slot), episodeStart: widgets.outlooks[slot].episodeStart ?? .min)
  }
}
