import MarqueeModel
import MarqueeSimulator

extension WidgetText {
  /// Parses a widget, or throws a usage failure.
  ///
  /// - Parameters:
  ///   - text: The argument.
  ///   - names: Names of kinds, which mean themselves even if they contain parentheses.
  init(argument text: String, known names: [String] = []) throws(CommandFailure) {
    if text.contains("("), names.contains(where: text.hasBytes) {
      self.init(named: text)
      return
    }
    do { try self.init(text) } catch {
      let hint = "Write a name that contains parentheses in double quotes, such as '\"Kind (beta)\"'."
      throw CommandFailure(.usage, error.description, hints: text.contains("(") ? [hint] : [])
    }
  }
}
