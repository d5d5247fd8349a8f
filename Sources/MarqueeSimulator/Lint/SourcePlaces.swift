import MarqueeModel
import MarqueeYAML

/// The places in a text of a timeline or a set, and of its entries or items.
struct SourcePlaces {
  /// A place in a text.
  struct Place {
    /// The line, counted from 1, or `nil` if it is unknown.
    var line: Int?
    /// The column, counted from 1 in Unicode scalars, or `nil` if it is unknown.
    var column: Int?
  }

  private let whole: Place
  private let items: [Place]

  /// Creates unknown places.
  init() {
    (whole, items) = (Place(), [])
  }

  /// Creates the places of nodes.
  init(_ whole: YAMLNode, items: [YAMLNode]) {
    self.whole = Place(line: whole.line, column: whole.column)
    self.items = items.map { Place(line: $0.line, column: $0.column) }
  }

  /// Creates the place of a whole on a line.
  init(line: Int?) {
    (whole, items) = (Place(line: line), [])
  }

  /// Creates the places of a file without a tree of nodes.
  init(_ whole: Place, items: [Place]) {
    (self.whole, self.items) = (whole, items)
  }

  /// Returns the place of an entry or item, or of the whole if `index` is `nil` or its place is unknown.
  func place(of index: Int?) -> Place { index.flatMap { items.indices.contains($0) ? items[$0] : nil } ?? whole }
}

extension LintFinding {
  /// Creates the finding of a warning.
  init(_ warning: LintWarning, caseName: String, _ subject: Subject, _ number: Int?, _ places: SourcePlaces) {
    let place = places.place(of: warning.index)
    self.init(
      severity: .warning, code: warning.code, message: warning.message, line: place.line, column: place.column,
      caseName: caseName, subject: subject, number: number, index: warning.index, values: warning.values)
  }
}
