extension Card {
  /// A text of one style.
  public struct TextBlock: Hashable, Sendable {
    public var text: String
    public var style: TextStyle
    /// Whether the text continues on further lines, instead of being truncated.
    public var wraps: Bool
    /// The maximum number of lines of a text that wraps; `nil` for no limit.
    public var lineCountMax: Int?
    public var alignment: Alignment

    /// Creates a text.
    public init(
      _ text: String, style: TextStyle = TextStyle(), wraps: Bool = false, lineCountMax: Int? = nil,
      alignment: Alignment = .left
    ) {
      self.text = text
      self.style = style
      self.wraps = wraps
      self.lineCountMax = lineCountMax
      self.alignment = alignment
    }
  }

  /// A paragraph of texts of several styles.
  public struct RichText: Hashable, Sendable {
    public var runs: [TextRun]
    public var alignment: Alignment

    /// Creates a paragraph.
    public init(runs: [TextRun], alignment: Alignment = .left) {
      self.runs = runs
      self.alignment = alignment
    }
  }

  /// A part of a paragraph.
  public struct TextRun: Hashable, Sendable {
    public var text: String
    public var style: TextStyle

    /// Creates a part.
    public init(_ text: String, style: TextStyle = TextStyle()) {
      self.text = text
      self.style = style
    }
  }

  /// The style of a text.
  public struct TextStyle: Hashable, Sendable {
    public var size: TextSize
    public var weight: TextWeight
    public var color: TextColor
    public var isSubtle: Bool

    /// Creates a style.
    public init(
      size: TextSize = .default, weight: TextWeight = .default, color: TextColor = .default, isSubtle: Bool = false
    ) {
      self.size = size
      self.weight = weight
      self.color = color
      self.isSubtle = isSubtle
    }
  }

  /// The size of a text.
  public enum TextSize: String, CaseIterable, Sendable {
    case `default`, small, medium, large, extraLarge
  }

  /// The weight of a text.
  public enum TextWeight: String, CaseIterable, Sendable {
    case `default`, lighter, bolder
  }

  /// The color of a text, by its meaning.
  public enum TextColor: String, CaseIterable, Sendable {
    case `default`, dark, light, accent, good, warning, attention
  }

  /// The horizontal alignment of a text.
  public enum Alignment: String, CaseIterable, Sendable {
    case left, center, right
  }

  /// An image that the card contains.
  public struct Image: Hashable, Sendable {
    /// A `data:` URL in Base64 of one of ``mediaTypes``; `nil` for an image elsewhere, which is not loaded.
    public var source: String?
    /// The text that describes the image; may be empty.
    public var altText: String
    public var size: ImageSize

    /// The media types of images.
    public static let mediaTypes = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"]

    /// Creates an image.
    public init(source: String?, altText: String = "", size: ImageSize = .auto) {
      self.source = source
      self.altText = altText
      self.size = size
    }
  }

  /// The size of an image.
  public enum ImageSize: String, CaseIterable, Sendable {
    case auto, stretch, small, medium, large
  }
}
