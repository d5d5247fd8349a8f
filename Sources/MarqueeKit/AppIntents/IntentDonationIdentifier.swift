import Foundation
import MarqueeClient
import MarqueeModel

/// The identifier of a donated app intent.
public struct IntentDonationIdentifier: Hashable, Sendable {
  let text: String
}

/// A predicate that selects donations to delete.
public struct IntentDonationMatchingPredicate: Hashable, Sendable {
  let identifiers: [String]

  /// Selects the donations with these identifiers.
  public static func identifiers(_ identifiers: [IntentDonationIdentifier]) -> IntentDonationMatchingPredicate {
    IntentDonationMatchingPredicate(identifiers: identifiers.map(\.text))
  }
}

/// A manager of app-intent donations.
public final class IntentDonationManager: Sendable {
  /// The shared manager.
  public static let shared = IntentDonationManager()

  private init() {}

  /// Donates an intent as performed by the user now, in call order. The donation is durable when this returns.
  @discardableResult
  public func donate<Intent: AppIntent>(intent: Intent) async throws -> IntentDonationIdentifier {
    let id = UUID().uuidString
    try await AppConnection.perform({ connection in
      try IntentDonation(AppIntentForm(intent), id: id, group: nil, date: connection.now(), on: connection)
    }) { try await $0.donate($2, with: $1) }
    return IntentDonationIdentifier(text: id)
  }

  /// Deletes donations, with everything learned from them, in call order.
  public func deleteDonations(matching predicate: IntentDonationMatchingPredicate) async throws {
    let selection = DonationSelection.identifiers(try predicate.identifiers.map { try Donation.ID($0) })
    try await AppConnection.perform({ _ in selection }) { try await $1.deleteDonations($2) }
  }
}
