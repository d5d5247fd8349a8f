import Foundation
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
  case accessoryCorner
  case systemExtraLargePortrait
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
    case .accessoryCorner: .accessoryCorner
    case .systemExtraLargePortrait: .systemExtraLargePortrait
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
    case .accessoryCorner: self = .accessoryCorner
    case .systemExtraLargePortrait: self = .systemExtraLargePortrait
    }
  }
}

extension WidgetFamily {
  /// The size in points of a widget whose display has reported none.
  var defaultSize: CGSize {
    switch self {
    case .systemSmall: CGSize(width: 158, height: 158)
    case .systemMedium: CGSize(width: 338, height: 158)
    case .systemLarge: CGSize(width: 338, height: 354)
    case .systemExtraLarge: CGSize(width: 715, height: 354)
    case .systemExtraLargePortrait: CGSize(width: 354, height: 715)
    case .accessoryCircular: CGSize(width: 76, height: 76)
    case .accessoryRectangular: CGSize(width: 172, height: 76)
    case .accessoryInline: CGSize(width: 257, height: 26)
    case .accessoryCorner: CGSize(width: 40, height: 40)
    }
  }
}
