import MarqueeModel

/// A candidate for the front of a stack, with the properties that ranking uses.
struct RankedCandidate {
  let slot: Int
  /// The index in the stack, or 0 for a widget that may be suggested.
  let index: Int
  let evidence: Double
  let episodeStart: Instant

  /// Whether the candidate ranks before another member: more evidence, then the later episode, then the stack's order
  /// (rule R8).
  func outranks(_ other: RankedCandidate) -> Bool {
    if evidence != other.evidence { return evidence > other.evidence }
    if episodeStart != other.episodeStart { return episodeStart > other.episodeStart }
    return index < other.index
  }

  /// Whether the candidate ranks before another suggestion. Ties go by the widgets' identifiers.
  func outranks(_ other: RankedCandidate, in widgets: WidgetTable) -> Bool {
    guard evidence == other.evidence, episodeStart == other.episodeStart else { return outranks(other) }
    return Self.comesFirst(widgets[slot].widget, widgets[other.slot].widget)
  }

  /// Whether the candidates are instances of one widget and rank equally.
  func isTied(with other: RankedCandidate, in widgets: WidgetTable) -> Bool {
    evidence == other.evidence && episodeStart == other.episodeStart
      && widgets[slot].widget == widgets[other.slot].widget
  }

  private static func comesFirst(_ left: Widget, _ right: Widget) -> Bool {
    if left.kind != right.kind { return left.kind < right.kind }
    return left.encoded.lexicographicallyPrecedes(right.encoded)
  }
}

extension Device {
  /// Returns the ranking properties of a widget at an index of a stack.
  func rankedCandidate(_ slot: Int, at index: Int) -> RankedCandidate {
    RankedCandidate(
      slot: slot, index: index, evidence: evidence(slot), episodeStart: widgets.summaries[slot].episodeStart ?? .min)
  }
}
