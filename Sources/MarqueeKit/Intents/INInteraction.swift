public import Foundation
import MarqueeClient
import MarqueeModel

/// The direction of an interaction.
public enum INInteractionDirection: Int, Sendable {
  case unspecified
  /// The user performed it.
  case outgoing
  /// The user received it. It predicts no action of the user; a received ``INSendMessageIntent`` strengthens the
  /// suggestion of its sender on the share sheet.
  case incoming
}

/// An action that the user performed in the app.
///
/// A donation captures the interaction and its intent at the time of the call, and is durable once it completes without
/// an error. Donating an identifier again replaces the earlier donation. The first donation of an intent type registers
/// the type.
open class INInteraction {
  /// The intent that was performed.
  public let intent: INIntent
  /// The app's response. It is not sent to the server, except for the reservations of an
  /// ``INGetReservationDetailsIntentResponse``.
  public let intentResponse: INIntentResponse?
  /// The identifier of the donation, unique in the app. Defaults to a random UUID.
  open var identifier = UUID().uuidString
  /// The group of the donation, by which donations can be deleted together.
  open var groupIdentifier: String?
  /// The time of the interaction, of which the start is used. Defaults to the time of the donation.
  open var dateInterval: DateInterval?
  /// The direction of the interaction.
  open var direction = INInteractionDirection.unspecified

  /// Creates an interaction.
  public init(intent: INIntent, response: INIntentResponse?) {
    self.intent = intent
    intentResponse = response
  }

  /// Donates the interaction, in call order, and then calls `completion` with the error, if any.
  ///
  /// Unlike on Apple platforms, completion handlers have no default: top-level code would call this method in place of
  /// the asynchronous ``donate()``, and end before the donation is sent.
  open func donate(completion: (@Sendable ((any Error)?) -> Void)?) {
    AppConnection.perform(donation, completion: completion) { try await $0.donate($2, with: $1) }
  }

  /// Donates the interaction, in call order. The donation is durable when this returns.
  open func donate() async throws {
    try await AppConnection.perform(donation) { try await $0.donate($2, with: $1) }
  }

  private func donation(on connection: AppConnection) throws -> IntentDonation {
    let reservations = (intentResponse as? INGetReservationDetailsIntentResponse)?.reservations ?? []
    return try IntentDonation(
      intent, id: identifier, group: groupIdentifier, date: dateInterval?.start ?? connection.now(),
      isReceived: direction == .incoming, reservations: reservations.models(), on: connection)
  }
}

// MARK: Deleting

extension INInteraction {
  /// Deletes all interactions that the app has donated, with everything learned from them.
  public static func deleteAll(completion: (@Sendable ((any Error)?) -> Void)?) {
    delete({ .intents }, completion)
  }

  /// Deletes the interactions with these identifiers.
  public static func delete(with identifiers: [String], completion: (@Sendable ((any Error)?) -> Void)?) {
    delete({ .identifiers(try identifiers.map { try Donation.ID($0) }) }, completion)
  }

  /// Deletes the interactions of a group.
  public static func delete(with groupIdentifier: String, completion: (@Sendable ((any Error)?) -> Void)?) {
    delete({ .group(try Donation.Group(groupIdentifier)) }, completion)
  }

  /// Deletes all interactions that the app has donated, with everything learned from them.
  public static func deleteAll() async throws {
    try await delete { .intents }
  }

  /// Deletes the interactions with these identifiers.
  public static func delete(with identifiers: [String]) async throws {
    try await delete { .identifiers(try identifiers.map { try Donation.ID($0) }) }
  }

  /// Deletes the interactions of a group.
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

/// A donation of an intent, with the descriptor of its type.
struct IntentDonation: Sendable {
  let type: IntentTypeDescriptor
  let donation: Donation

  init<Form: IntentForm>(
    _ intent: Form, id: String, group: String?, date: Date, isReceived: Bool = false,
    reservations: [Reservation] = [], on connection: AppConnection
  ) throws {
    let model = try intent.model()
    let activity: Donation.Activity =
      if !reservations.isEmpty {
        .reservations(model, reservations)
      } else {
        isReceived ? .received(model) : .intent(model)
      }
    type = try Swift.type(of: intent).descriptor(of: AppID(connection.app))
    donation = Donation(
      id: try Donation.ID(id), group: try group.map { try Donation.Group($0) },
      date: try Instant(date, field: "date"), activity: activity, display: try intent.donationDisplay())
  }
}

extension AppConnection {
  func donate(_ donation: IntentDonation, with provider: ProviderClient) async throws {
    try await register([donation.type], with: provider)
    try await provider.donate([donation.donation])
  }
}
