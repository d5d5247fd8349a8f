import MarqueeClient
import MarqueeModel
import MarqueeWire

/// Posts a notification when an errand is due, and withdraws it when the errand is done or over.
///
/// The list is received again after a reconnection: notifications that are already posted are not posted twice.
func notify(
  of device: DeviceID, over display: DisplayClient, post: (ListedSuggestion) async -> Void,
  withdraw: (SuggestionID) async -> Void
) async throws {
  var posted: [SuggestionID] = []
  for try await list in display.surfaceUpdates(on: .notifications, of: device) {
    let due = list.suggestions.map(\.id)
    for id in posted where !due.contains(id) { await withdraw(id) }
    for errand in list.suggestions where !posted.contains(errand.id) { await post(errand) }
    posted = due
  }
}
