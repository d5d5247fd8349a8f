import Foundation
import MarqueeClient
import MarqueeModel

/// Names a donation of an app intent.
public struct IntentDonationIdentifier: Hashable, Sendable {
  let text: String
}

/// Which donations of app intents are to be forgotten.
public struct IntentDonationMatchingPredicate: Hashable, Sendable {
  let identifiers: [String]

  /// Those of these names.
  public static func identifiers(_ identifiers: [IntentDonationIdentifier]) -> IntentDonationMatchingPredicate {
    IntentDonationMatchingPredicate(identifiers: identifiers.map(\.text))
  }
}

/// Takes donations of app intents.
public final class IntentDonationManager: Sendable {
  /// The only one.
  public static let shared = IntentDonationManager()

  private init() {}

  /// Donates an intent as something that the person did now, in its turn; durable when it returns.
  @discardableResult
  public func donate<Intent: AppIntent>(intent: Intent) async throws -> IntentDonationIdentifier {
    let id = UUID().uuidString
    try await AppConnection.perform({ connection in
      try IntentDonation(AppIntentForm(intent), id: id, group: nil, date: connection.now(), on: connection)
    }) { try await $0.donate($2, with: $1) }
    return IntentDonationIdentifier(text: id)
  }

  /// Forgets donations, in its turn, as if they had never been (rule D5).
  public func deleteDonations(matching predicate: IntentDonationMatchingPredicate) async throws {
    let selection = DonationSelection.identifiers(try predicate.identifiers.map { try Donation.ID($0) })
    try await AppConnection.perform({ _ in selection }) { try await $1.deleteDonations($2) }
  }
}
