import MarqueeModel
import MarqueeSimulator

extension WidgetText {
  /// Reads a widget, or throws a usage failure that says what is wrong.
  init(argument text: String) throws(CommandFailure) {
    self = try Arguments.check { () throws(Refusal) in try WidgetText(text) }
  }
}
