package import MarqueeModel

/// The size and shape of a widget.
public enum WidgetFamily: Int, CaseIterable, Hashable, Sendable {
  case systemSmall
  case systemMedium
  case systemLarge
  case systemExtraLarge
  case accessoryCircular
  case accessoryRectangular
  case accessoryInline
}

extension WidgetFamily: CustomStringConvertible {
  /// The case's name.
  public var description: String { model.description }

  package var model: MarqueeModel.WidgetFamily {
    switch self {
    case .systemSmall: .systemSmall
    case .systemMedium: .systemMedium
    case .systemLarge: .systemLarge
    case .systemExtraLarge: .systemExtraLarge
    case .accessoryCircular: .accessoryCircular
    case .accessoryRectangular: .accessoryRectangular
    case .accessoryInline: .accessoryInline
    }
  }

  init(_ family: MarqueeModel.WidgetFamily) {
    switch family {
    case .systemSmall: self = .systemSmall
    case .systemMedium: self = .systemMedium
    case .systemLarge: self = .systemLarge
    case .systemExtraLarge: self = .systemExtraLarge
    case .accessoryCircular: self = .accessoryCircular
    case .accessoryRectangular: self = .accessoryRectangular
    case .accessoryInline: self = .accessoryInline
    }
  }
}
