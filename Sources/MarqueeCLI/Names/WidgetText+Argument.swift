import MarqueeModel
import MarqueeSimulator

extension WidgetText {
  /// Parses a widget, or throws a usage failure.
  init(argument text: String) throws(CommandFailure) {
    self = try Arguments.check { () throws(RequestError) in try WidgetText(text) }
  }
}
