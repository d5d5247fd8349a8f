import ArgumentParser
import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee donations`
struct DonationsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "donations",
    abstract: "List donations, newest first, and the combinations that each one satisfies.",
    discussion: """
      A combination is shown with the number of the action that it derives from the donation; equivalent donations \
      share it. A donation that satisfies no combination is not used for predictions. 'marquee delete-donations' \
      selects donations by the listed identifiers, groups, persistent identifiers and related items.
      """)

  @Argument(help: "The device; required if there are several.", completion: .deviceNames)
  var device: String?

  @Option(help: "Only donations of the app with this bundle identifier.", transform: Arguments.app)
  var app: AppID?

  @Option(name: [.long, .short], help: "The maximum number of results.")
  var count = 20

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard count > 0 else { throw ValidationError("--count must be at least 1") }
  }

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      let answer = try await donations(on: device, session)
      let clock = try DeviceClock(answer.timeZone.text)
      session.write(
        json: .object(
          .time("at", answer.at, clock) + [
            .init("device", .string(device.text)), .init("donation_count", .integer(Int64(answer.donationCount))),
            .init("donations", .array(answer.donations.map { $0.json(clock) })),
          ]),
        lines: Self.lines(answer))
    }
  }

  /// Returns the newest donations, fetching as many pages as needed.
  private func donations(on device: DeviceID, _ session: Session) async throws -> ListDonationsResponse {
    let countMax = ListDonationsRequest.countMax
    var all = try await session.operators.donations(on: device, of: app, count: min(count, countMax))
    while all.hasMore, all.donations.count < count {
      let next = try await session.operators.donations(
        on: device, of: app, until: all.at, skipping: all.donations.count,
        count: min(count - all.donations.count, countMax))
      guard !next.donations.isEmpty else { break }
      all.donations += next.donations
      all.hasMore = next.hasMore
    }
    return all
  }

  private static func lines(_ answer: ListDonationsResponse) -> [String] {
    guard !answer.donations.isEmpty else { return ["No donations."] }
    var table = Table(
      .init("WHEN"), .init("WHAT"), .init("TITLE"), .init("ID"), .init("GROUP"), .init("PERSISTENT ID"),
      .init("RELATED ITEM"),
      .init("SATISFIES"), .init("CONTEXT"))
    for donation in answer.donations {
      let screen = donation.activity.screen
      table.append(
        donation.wallText, donation.exactText, donation.display.text, donation.id?.text ?? "",
        donation.group?.text ?? "",
        screen?.persistentID?.text ?? "", screen?.relatedItem?.text ?? "",
        donation.satisfied.isEmpty ? "nothing" : donation.satisfied.map(\.text).joined(separator: "; "),
        donation.context.text)
    }
    let rest = answer.donationCount - answer.donations.count
    return table.lines + (answer.hasMore ? ["… and \(rest) older."] : [])
  }
}

extension DonationStatus {
  /// The action as text in the syntax of `donate`: `com.example.soup/OrderSoup(soup=object:tomato)`.
  fileprivate var exactText: String { activity.exactText(of: app) }

  /// The local time on the device: `Fri 2021-06-11 12:30`.
  fileprivate var wallText: String {
    let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    return "\(days[wallTime.weekday]) \(wallTime.text(separator: " "))"
  }

  fileprivate func json(_ clock: DeviceClock) -> JSONValue {
    let screen = activity.screen
    return .object(
      .time("date", date, clock) + [
        .init("wall_time", .string(wallTime.text(separator: "T"))), .init("app", .string(app.text)),
        .init("donation", .string(exactText)), .init("kind", .string(activity.kind)), .init("id", Self.json(id?.text)),
        .init("title", Self.json(screen?.title)), .init("group", Self.json(group?.text)),
        .init("persistent_id", Self.json(screen?.persistentID?.text)),
        .init("related_item", Self.json(screen?.relatedItem?.text)),
        .init("satisfied", .array(satisfied.map(\.json))),
        .init("place", Self.json(context.place?.text)), .init("focus", Self.json(context.focus?.text)),
        .init("routine", Self.json(context.routine.map { "\($0.situation)" })), .init("display", display.json),
      ] + .time("routine_start", context.routine?.at, clock))
  }

  private static func json(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}

extension Donation.Activity {
  /// The user activity; `nil` for an intent.
  fileprivate var screen: UserActivity? {
    guard case .userActivity(let activity) = self else { return nil }
    return activity
  }
}

extension DonationStatus.Satisfied {
  fileprivate var text: String {
    let names = action.parameters.map(\.name.text).joined(separator: ", ")
    return "\(names.isEmpty ? "no parameters" : names) (#\(actionIndex)\(isBackground ? ", background" : ""))"
  }

  fileprivate var json: JSONValue {
    .object([
      .init("action", .integer(Int64(actionIndex))),
      .init("parameters", .array(action.parameters.map { .string($0.name.text) })),
      .init("background", .boolean(isBackground)),
    ])
  }
}

extension DeviceContext {
  /// The known circumstances as a phrase; empty if none are known.
  var text: String {
    let parts = [
      routine.map(\.situation.words), focus.map { "focus \($0)" }, place.map { "at \($0.text)" },
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}

extension Place {
  /// The name to display or, without one, the coordinates in degrees: `52.520, 13.400`.
  var text: String { display.isEmpty ? String(format: "%.3f, %.3f", latitude, longitude) : display }
}

extension WallTime {
  /// Returns `2021-06-11 12:30` with `separator` between date and time.
  fileprivate func text(separator: String) -> String {
    // Formatted as if the clock were in UTC. A donation cannot have a date before 1970.
    let shown = Instant.min.advanced(by: .minutes(Int64(max(0, day * 1_440 + minute))))
    return DeviceClock.utc.day(shown) + separator + DeviceClock.utc.hourAndMinute(shown)
  }
}
