import Foundation
import MarqueeClient
import MarqueeModel

/// The identifier of a donated app intent.
public struct IntentDonationIdentifier: Hashable, Sendable {
  let text: String
}

/// A predicate that selects donations to delete.
public struct IntentDonationMatchingPredicate: Hashable, Sendable {
  private enum Condition: Hashable, Sendable {
    case identifiers([String])
    case type(String)
  }

  private let condition: Condition

  /// Selects the donations with these identifiers.
  public static func identifiers(_ identifiers: [IntentDonationIdentifier]) -> IntentDonationMatchingPredicate {
    IntentDonationMatchingPredicate(condition: .identifiers(identifiers.map(\.text)))
  }

  /// Selects the donations of an intent type.
  public static func intentType<Intent: AppIntent>(_ type: Intent.Type) -> IntentDonationMatchingPredicate {
    IntentDonationMatchingPredicate(condition: .type(AppIntentForm<Intent>.typeName))
  }

  /// The selections of donations, each within the server's limit.
  var selections: [DonationSelection] {
    get throws {
      switch condition {
      case .identifiers(let texts):
        try texts.map { try Donation.ID($0) }.batches(of: DonationSelection.nameCountMax).map { .identifiers($0) }
      case .type(let text): [.intentType(try IntentType(text))]
      }
    }
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
    let selections = try predicate.selections
    try await AppConnection.perform({ _ in selections }) { _, provider, selections in
      for selection in selections { try await provider.deleteDonations(selection) }
    }
  }
}
