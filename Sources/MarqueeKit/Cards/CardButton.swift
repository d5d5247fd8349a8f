public import Foundation
import MarqueeCards
import MarqueeModel

/// A button of a card that performs an intent of the app.
public struct CardButton: CardPart {
  let title: String
  let style: CardActionStyle
  let intent: any AppIntent

  /// Creates a button. The app performs the intent if its bundle of widgets lists the type in `appIntents`.
  public init(_ title: String, intent: some AppIntent, style: CardActionStyle = .default) {
    self.title = title
    self.style = style
    self.intent = intent
  }

  func elements() throws -> [Card.Element] {
    [.actions([Card.Action(title: title, effect: .perform(try intent.encoded()), style: style.value)])]
  }
}

/// A link of a card.
public struct CardLink: CardPart, Sendable {
  let title: String
  let destination: URL

  /// Creates a link to an `https` URL.
  public init(_ title: String, destination: URL) {
    self.title = title
    self.destination = destination
  }

  func elements() throws -> [Card.Element] {
    [.actions([Card.Action(title: title, effect: .open(try EntryLink(destination.absoluteString)))])]
  }
}

/// A switch of a card that performs an intent of the app with its new state.
public struct CardToggle: CardPart {
  let title: String
  let isOn: Bool
  let intent: any AppIntent
  let parameter: String

  /// Creates a switch.
  ///
  /// - Parameters:
  ///   - isOn: The present state.
  ///   - intent: The intent, of which the parameter is set to the new state.
  ///   - parameter: The name of a Boolean parameter of the intent.
  public init(_ title: String, isOn: Bool, intent: some AppIntent, parameter: String = "value") {
    self.title = title
    self.isOn = isOn
    self.intent = intent
    self.parameter = parameter
  }

  func elements() throws -> [Card.Element] {
    [
      .toggle(
        Card.Toggle(
          title: title, isOn: isOn, intent: try intent.encoded(),
          parameter: try MarqueeModel.IntentParameter.Name(parameter)))
    ]
  }
}
