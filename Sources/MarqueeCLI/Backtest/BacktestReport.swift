import Foundation
import MarqueeEvaluation
import MarqueeTerminal

/// The results of a replay, as text and as JSON.
struct BacktestReport {
  let dayCount: Int
  let people: [(name: String, scores: ReplayScores)]

  private var all: ReplayScores { people.reduce(into: ReplayScores()) { $0 += $1.scores } }

  var lines: [String] {
    var table = Table(
      .init("PERSON"), .init("ACTIVE DAYS", .right), .init("USES", .right), .init("IN STACK", .right),
      .init("ROTATIONS", .right), .init("A DAY", .right), .init("TRUE", .right), .init("SEEN", .right),
      .init("AT USE", .right))
    for (name, scores) in people + [("all", all)] {
      table.append(
        name, "\(scores.activeDayCount)", "\(scores.useCount)", "\(scores.memberUseCount)", "\(scores.rotationCount)",
        Self.text(scores.changesPerDay(.marquee), digits: 1), Self.text(scores.precision(.marquee)),
        Self.text(scores.seenShare), Self.text(scores.hitRate(.marquee)))
    }
    return ["The last \(dayCount) days of \(people.count) people"] + table.lines + busiest + [""] + choices(all).lines
  }

  /// The highest number of rotations of a person per day with any use, or `nil` without people.
  private var rotationsPerDayMax: (name: String, rate: Double)? {
    people.compactMap { person in person.scores.changesPerDay(.marquee).map { (person.name, $0) } }
      .max { $0.1 < $1.1 }
  }

  private var busiest: [String] {
    rotationsPerDayMax.map { ["Most rotations a day: \(Self.text($0.rate, digits: 1)) (\($0.name))"] } ?? []
  }

  private func choices(_ scores: ReplayScores) -> Table {
    var table = Table(
      .init("IN FRONT"), .init("CHANGES/DAY", .right), .init("TRUE", .right), .init("AT USE", .right))
    for method in ReplayScores.methods {
      table.append(
        method.rawValue, Self.text(scores.changesPerDay(method), digits: 1), Self.text(scores.precision(method)),
        Self.text(scores.hitRate(method)))
    }
    return table
  }

  var json: JSONValue {
    .object([
      .init("day_count", .integer(Int64(dayCount))),
      .init("people", .array(people.map { Self.json($0.scores, [.init("person", .string($0.name))]) })),
      .init("all", Self.json(all)), .init("rotations_per_day_max", Self.number(rotationsPerDayMax?.rate)),
    ])
  }

  private static func json(_ scores: ReplayScores, _ fields: [JSONValue.Field] = []) -> JSONValue {
    let choices = ReplayScores.methods.map { method in
      JSONValue.object([
        .init("method", .string(method.rawValue)), .init("changes_per_day", number(scores.changesPerDay(method))),
        .init("true_share", number(scores.precision(method))), .init("use_share", number(scores.hitRate(method))),
      ])
    }
    return .object(
      fields + [
        .init("active_day_count", .integer(Int64(scores.activeDayCount))),
        .init("use_count", .integer(Int64(scores.useCount))),
        .init("stack_use_count", .integer(Int64(scores.memberUseCount))),
        .init("rotation_count", .integer(Int64(scores.rotationCount))),
        .init("seen_share", number(scores.seenShare)), .init("choices", .array(choices)),
      ])
  }

  private static func number(_ number: Double?) -> JSONValue { number.map { .number($0) } ?? .null }

  private static func text(_ number: Double?, digits: Int = 3) -> String {
    number.map { String(format: "%.\(digits)f", $0) } ?? "-"
  }
}
