import MarqueeModel

/// A widget that its host cannot provide, because the app does not know its configuration: it lacks a value, has one of
/// another type, or refers to an entity that does not exist.
///
/// The host reports it once. It tries again at increasing intervals, because the app can learn the entity later; a
/// widget that is configured differently is another widget.
public struct WidgetConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the widget's kind.
  public let kind: String
  /// The family in which it is placed.
  public let family: WidgetFamily
  /// The names of the parameters that the configuration has, without their values.
  public let parameters: [String]

  init(_ instance: WidgetInstance) {
    kind = instance.widget.kind.name.text
    family = WidgetFamily(instance.family)
    parameters = instance.widget.configuration?.parameters.map(\.name.text) ?? []
  }

  public var description: String {
    let given = parameters.isEmpty ? "it has no parameters" : "its parameters are \(parameters.joined(separator: ", "))"
    return "unknown configuration of the widget \(kind) in \(family): \(given); "
      + "a value is missing, of another type, or an entity that the app's query does not return"
  }
}
