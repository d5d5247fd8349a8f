public import Foundation
import MarqueeClient
import MarqueeModel

/// Who did what an interaction tells of.
public enum INInteractionDirection: Int, Sendable {
  case unspecified
  /// The person did it.
  case outgoing
  /// It was done to the person: it is not donated, since it says nothing of what the person will do.
  case incoming
}

/// Something that the person did in the app (rule D1).
///
/// What an interaction and its intent hold is what is donated, as of the call. A donation that ends without an error
/// is durable. A donation of an identifier that was donated before replaces it (rule D6). The server learns an
/// intent's type with its first donation.
open class INInteraction {
  /// What was done.
  public let intent: INIntent
  /// What the app answered. The server is not told of it.
  public let intentResponse: INIntentResponse?
  /// Names the donation in the app; made up if it is not set.
  open var identifier = UUID().uuidString
  /// Names donations that may be deleted together.
  open var groupIdentifier: String?
  /// When it was done: its start counts; the moment of the donation if it is not set.
  open var dateInterval: DateInterval?
  /// Who did it.
  open var direction = INInteractionDirection.unspecified

  /// An interaction.
  public init(intent: INIntent, response: INIntentResponse?) {
    self.intent = intent
    intentResponse = response
  }

  /// Donates it, in its turn, and then calls `completion` with the error, if there was one.
  open func donate(completion: (@Sendable ((any Error)?) -> Void)? = nil) {
    AppConnection.perform(donation, completion: completion) { try await $0.donate($2, with: $1) }
  }

  /// Donates it, in its turn.
  open func donate() async throws {
    try await AppConnection.perform(donation) { try await $0.donate($2, with: $1) }
  }

  private func donation(on connection: AppConnection) throws -> IntentDonation? {
    guard direction != .incoming else { return nil }
    return try IntentDonation(
      intent, id: identifier, group: groupIdentifier, date: dateInterval?.start ?? connection.now(), on: connection)
  }
}

// MARK: Deleting

extension INInteraction {
  /// Forgets all interactions that the app has donated, as if they had never been (rule D5).
  public static func deleteAll(completion: (@Sendable ((any Error)?) -> Void)? = nil) {
    delete({ .intents }, completion)
  }

  /// Forgets the interactions of these identifiers.
  public static func delete(with identifiers: [String], completion: (@Sendable ((any Error)?) -> Void)? = nil) {
    delete({ .identifiers(try identifiers.map { try Donation.ID($0) }) }, completion)
  }

  /// Forgets the interactions of the group.
  public static func delete(with groupIdentifier: String, completion: (@Sendable ((any Error)?) -> Void)? = nil) {
    delete({ .group(try Donation.Group(groupIdentifier)) }, completion)
  }

  /// Forgets all interactions that the app has donated, as if they had never been (rule D5).
  public static func deleteAll() async throws {
    try await delete { .intents }
  }

  /// Forgets the interactions of these identifiers.
  public static func delete(with identifiers: [String]) async throws {
    try await delete { .identifiers(try identifiers.map { try Donation.ID($0) }) }
  }

  /// Forgets the interactions of the group.
  public static func delete(with groupIdentifier: String) async throws {
    try await delete { .group(try Donation.Group(groupIdentifier)) }
  }

  private static func delete(
    _ selection: () throws -> DonationSelection, _ completion: (@Sendable ((any Error)?) -> Void)?
  ) {
    AppConnection.perform({ _ in try selection() }, completion: completion) { _, provider, selection in
      try await provider.deleteDonations(selection)
    }
  }

  private static func delete(_ selection: () throws -> DonationSelection) async throws {
    try await AppConnection.perform({ _ in try selection() }) { _, provider, selection in
      try await provider.deleteDonations(selection)
    }
  }
}

/// A donation of an intent, with what the server must know to understand it.
struct IntentDonation: Sendable {
  let type: IntentTypeDescriptor
  let donation: Donation

  init<Form: IntentForm>(
    _ intent: Form, id: String, group: String?, date: Date, on connection: AppConnection
  ) throws {
    type = try Swift.type(of: intent).descriptor(of: AppID(connection.app))
    donation = Donation(
      id: try Donation.ID(id), group: try group.map { try Donation.Group($0) },
      date: try Instant(date, field: "date"), deed: .intent(try intent.model()))
  }
}

extension AppConnection {
  func donate(_ donation: IntentDonation?, with provider: ProviderClient) async throws {
    guard let donation else { return }
    try await register([donation.type], with: provider)
    try await provider.donate([donation.donation])
  }
}
