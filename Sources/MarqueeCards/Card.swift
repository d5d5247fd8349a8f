/// A card: content of a timeline entry that displays show without code of the app.
///
/// The format is the display subset of Adaptive Cards 1.5 that <doc:Cards> lists. A card of the subset is a valid
/// Adaptive Card; ``CardReading`` reads it, ``json`` writes it, and ``text(width:)`` renders it for terminals.
public struct Card: Hashable, Sendable {
  /// The media type of a card.
  public static let mediaType = "application/vnd.microsoft.card.adaptive"
  /// The maximum size of a card, in bytes; that of an entry's content by default.
  public static let sizeMax = 65_536
  /// The maximum nesting of elements.
  public static let depthMax = 16
  /// The maximum number of elements, including columns, rows, cells, facts, text runs and actions.
  public static let elementCountMax = 256

  /// The elements, from the top.
  public var body: [Element]
  /// The actions below the elements.
  public var actions: [Action]
  /// The text shown if the body has no element that can be shown; may be empty.
  public var fallbackText: String

  /// Creates a card.
  public init(body: [Element], actions: [Action] = [], fallbackText: String = "") {
    self.body = body
    self.actions = actions
    self.fallbackText = fallbackText
  }

  /// Returns whether a media type, which may have parameters, is that of a card.
  public static func isMediaType(_ text: String) -> Bool {
    let type = text.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
    return type.count == mediaType.utf8.count
      && zip(type, mediaType.utf8).allSatisfy { byte, expected in
        byte == expected || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) && byte | 0x20 == expected
      }
  }
}

extension Card {
  /// An element of a card.
  public indirect enum Element: Hashable, Sendable {
    case text(TextBlock)
    case richText(RichText)
    case image(Image)
    case container(Container)
    case columns([Column])
    case facts([Fact])
    case table(Table)
    case actions([Action])
    case toggle(Toggle)
  }

  /// Elements below each other.
  public struct Container: Hashable, Sendable {
    public var items: [Element]
    public var style: ContainerStyle

    /// Creates a container.
    public init(items: [Element], style: ContainerStyle = .default) {
      self.items = items
      self.style = style
    }
  }

  /// The appearance of a container, a column or a cell.
  public enum ContainerStyle: String, CaseIterable, Sendable {
    case `default`, emphasis, good, attention, warning, accent
  }

  /// A column of elements.
  public struct Column: Hashable, Sendable {
    public var items: [Element]
    public var width: ColumnWidth
    public var style: ContainerStyle

    /// Creates a column.
    public init(items: [Element], width: ColumnWidth = .stretch, style: ContainerStyle = .default) {
      self.items = items
      self.width = width
      self.style = style
    }
  }

  /// The width of a column.
  public enum ColumnWidth: Hashable, Sendable {
    /// As wide as the content.
    case auto
    /// The remaining width, like a weight of 1.
    case stretch
    /// A share of the remaining width; from 1 to ``weightMax``.
    case weight(Int)

    /// The maximum weight.
    public static let weightMax = 1_000
  }

  /// A labeled value.
  public struct Fact: Hashable, Sendable {
    public var title: String
    public var value: String

    /// Creates a fact.
    public init(title: String, value: String) {
      self.title = title
      self.value = value
    }
  }

  /// A table.
  public struct Table: Hashable, Sendable {
    public var columns: [ColumnWidth]
    /// The rows, each with at most as many cells as there are columns.
    public var rows: [Row]
    /// Whether the first row is a header.
    public var hasHeader: Bool

    /// Creates a table.
    public init(columns: [ColumnWidth], rows: [Row], hasHeader: Bool = true) {
      self.columns = columns
      self.rows = rows
      self.hasHeader = hasHeader
    }

    /// A row of a table.
    public struct Row: Hashable, Sendable {
      public var cells: [Container]

      /// Creates a row.
      public init(cells: [Container]) { self.cells = cells }
    }
  }
}
