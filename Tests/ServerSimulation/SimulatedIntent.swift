import MarqueeModel
import MarqueeTestSupport

/// The intents that displays have performed: the number in the parameter determines the user's replies to prompts, and
/// the app's dialog contains the replies.
enum SimulatedIntent {
  static func invocation(_ number: Int) -> IntentInvocation {
    valid {
      let parameter = IntentParameter(name: SimulationContext.filterNumber, value: .single(.integer(Int64(number))))
      return IntentInvocation(try Intent(type: IntentType("Order"), parameters: [parameter]))
    }
  }

  /// Returns the number of an intent.
  static func number(of invocation: IntentInvocation) -> Int? {
    guard case .single(.integer(let number))? = invocation.intent.parameters.first?.value else { return nil }
    return Int(number)
  }

  /// Returns whether the user agrees to a prompt of an intent, counted from 1.
  static func agrees(_ number: Int, _ prompt: Int) -> Bool { (number + prompt).isMultiple(of: 2) }

  /// Returns the dialog of an intent to whose prompts the user has replied.
  static func dialog(of number: Int, _ replies: [Bool]) -> String { "\(number) \(replies)" }

  /// Returns the dialog of an intent with a number of prompts, if every reply reached the app once and in order.
  static func dialog(of number: Int, promptCount: Int) -> String {
    dialog(of: number, (0..<promptCount).map { agrees(number, $0 + 1) })
  }
}
