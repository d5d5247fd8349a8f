import Foundation
import MarqueeKit

// Intents as Xcode writes them from an intent definition file, with the parameters that the samples set.

final class CheckWeatherIntent: INIntent, @unchecked Sendable {
  @Parameter var location: CLPlacemark?
}

final class ShowAlbumIntent: INIntent, @unchecked Sendable {
  @Parameter var place: String?
}

final class OrderCoffeeIntent: INIntent, @unchecked Sendable {
  @Parameter var item: INObject?
  @Parameter var size: CoffeeSize?
  @Parameter var date: Date?

  override class var parameterCombinations: [[String]]? { [["item", "size"], ["item"]] }
}

enum CoffeeSize: String, AppEnum {
  case small
  case large

  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Size"
  static let caseDisplayRepresentations: [CoffeeSize: DisplayRepresentation] = [.small: "small", .large: "large"]
}

/// The code samples of WWDC21 10231, as published. Each test of them compares these lines with the transcript's.
struct TranscriptSamples {
  var error: @Sendable ((any Error)?) -> Void

  func weather(_ weatherLocation: CLPlacemark) {
    // [sample 1]
    // Donate your intent.
    let intent = CheckWeatherIntent()
    intent.location = weatherLocation

    let interaction = INInteraction(intent: intent, response: nil)
    interaction.donate { (error) in
      // Handle the error.
      // [end]
      self.error(error)
    }
  }

  func album(_ intent: ShowAlbumIntent, _ response: INIntentResponse) {
    // [sample 2]
    // Donate your intent.
    let interaction = INInteraction(intent: intent, response: response)
    interaction.identifier = "68753A44-4D6F-1226-9C60-0050E4C00067"
    interaction.groupIdentifier = "san-diego"
    interaction.donate { (error) in
      // Handle the error.
      // [pause]
      self.error(error)
      // [resume]
    }

    // Delete individual donations.
    INInteraction.delete(with: ["68753A44-4D6F-1226-9C60-0050E4C00067"]) { (error) in
      // Handle the error.
      // [pause]
      self.error(error)
      // [resume]
    }

    // Delete group donations.
    INInteraction.delete(with: "san-diego") { (error) in
      // Handle the error.
      // [end]
      self.error(error)
    }
  }

  func coffee(_ item: INObject, _ size: CoffeeSize, _ date: Date) {
    // [sample 3]
    // Donate your intent.
    let intent = OrderCoffeeIntent()
    intent.item = item
    intent.size = size
    intent.date = date

    let interaction = INInteraction(intent: intent, response: nil)
    interaction.donate { (error) in
      // Handle the error.
      // [end]
      self.error(error)
    }
  }
}
