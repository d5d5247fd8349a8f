import MarqueeModel

extension Sampler {
  /// Returns the texts of a combination of these parameters, or none.
  public mutating func actionTexts(_ names: [IntentParameter.Name]) throws -> ActionTexts {
    guard once(in: 2) else { return .none }
    return try ActionTexts(
      title: format(names), subtitle: format(names), summary: format(names), imageKey: text(), category: text(),
      keywords: array { $0.text() + "k" })
  }

  private mutating func format(_ names: [IntentParameter.Name]) throws -> TextFormat {
    let references = names.filter { !$0.text.contains("}") && once(in: 2) }.map { " ${\($0)}" }.joined()
    return try TextFormat(TextFormat.escaped(text()) + references)
  }

  /// Returns the titles of cases of an enumeration; none for other types.
  public mutating func caseTitles(_ type: IntentValueType) throws -> [EnumCaseTitle] {
    guard type == .enumCase else { return [] }
    return try (0..<number(in: 0...3)).map { try EnumCaseTitle(name: "\($0)" + text(), title: text() + "t") }
  }

  /// Returns the representation of a donation.
  public mutating func donationDisplay() throws -> DonationDisplay {
    try DonationDisplay(title: "t" + text(), subtitle: text(), imageKey: text())
  }

  /// Returns a representation.
  public mutating func actionDisplay() -> ActionDisplay {
    ActionDisplay(title: text(), subtitle: text(), summary: text(), imageKey: text())
  }

  /// Returns a label of a widget.
  public mutating func label() throws -> WidgetLabel {
    WidgetLabel(
      widget: try widget(), appName: text(), kindName: text(), display: actionDisplay(), accessibilityLabel: text())
  }
}
