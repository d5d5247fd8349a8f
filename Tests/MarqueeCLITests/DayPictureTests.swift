import Foundation
import FoundationXML
import MarqueeModel
import MarqueeSimulator
import Testing

@testable import MarqueeCLI

struct DayPictureTests {
  /// A crowded day: two stacks, nine widgets, a score or a window every few minutes.
  private static func busyDay(_ hours: String = "24:00") throws -> SimulatedDay {
    let names = ["Weather", "Calendar", "Reminders", "Cards", "Fitness", "News", "Transit", "Photos", "Music"]
    var text = "device: phone\ntime-zone: Europe/Berlin\nbegin: 2026-10-25\npolicy: {dwell: 1m, hold: 1m}\napps:\n"
    for name in names { text += "  com.example.\(name.lowercased()): {kinds: {\(name): [systemSmall]}}\n" }
    text += "stacks:\n  home: {family: systemSmall, widgets: [Weather, Calendar, Reminders]}\n"
    text += "  work: {family: systemSmall, widgets: [News, Transit, Calendar]}\nevents:\n"
    for (index, name) in names.enumerated() {
      let times = (0..<20).map { ($0 * 71 + index * 37) % 1_440 }.map {
        "\($0 / 60):\($0 % 60 < 10 ? "0" : "")\($0 % 60)"
      }
      if index < 7 {
        let entries = times.enumerated().map { "[\($1), \(($0 * 7 + index) % 50 + 1), \(5 + $0 * 3)m]" }
        text += "  - {at: 00:00, publish: \(name), relevance: [\(entries.joined(separator: ", "))]}\n"
      } else {
        let windows = times.map { "[\($0), 17m]" }.joined(separator: ", ")
        let app = "com.example.\(name.lowercased())"
        text += "  - {at: 00:00, set-shortcuts: \(app), shortcuts: [{widget: \(name), when: [\(windows)]}]}\n"
      }
    }
    for time in ["08:57", "12:57", "18:57", "23:50"] { text += "  - {at: \(time), scroll: home, to: Weather}\n" }
    let scenario = try Scenario(yaml: text)
    let end = try #require(TimeText(hours)?.instant(day: scenario.begin, clock: scenario.clock))
    return try Simulation.day(of: scenario, until: end)
  }

  private struct Label {
    let text: String
    let (left, right, y): (Double, Double, Double)
    let size: Double
  }

  private static func labels(_ svg: String) throws -> [Label] {
    let document = try XMLDocument(data: Data(svg.utf8), options: [])
    return try (document.rootElement()?.elements(forName: "text") ?? []).map { element in
      func attribute(_ name: String) -> String {
        (element.attributes ?? []).first { $0.name == name }?.stringValue ?? ""
      }
      let text = element.stringValue ?? ""
      let (x, y) = (try #require(Double(attribute("x"))), try #require(Double(attribute("y"))))
      let size = try #require(Double(attribute("font-size")))
      // A letter's usual width, where the layout allows for a wide one's.
      let width = Double(text.count) * size * 0.58
      let left = ["middle": x - width / 2, "end": x - width][attribute("text-anchor")] ?? x
      return Label(text: text, left: left, right: left + width, y: y, size: size)
    }
  }

  @Test(
    "No two labels overlap and none exceeds the picture", arguments: ["24:00", "03:00", "00:20"])
  func labels(hours: String) throws {
    let day = try Self.busyDay(hours)
    for stack in [nil] + day.stacks.map({ Optional($0.id) }) {
      let picture = DayPicture(day, stack: stack)
      let labels = try Self.labels(picture.svg)
      #expect(labels.count >= 15)
      for (index, label) in labels.enumerated() {
        #expect(label.left >= 0 && label.right <= Double(picture.size.width), "\(label.text)")
        for other in labels[(index + 1)...] where abs(label.y - other.y) < min(label.size, other.size) * 0.8 {
          #expect(label.right <= other.left || other.right <= label.left, "\(label.text) and \(other.text)")
        }
      }
    }
  }

  @Test("A stack's chart contains only its members, and has a textual description")
  func oneStack() throws {
    let day = try Self.busyDay()
    let picture = DayPicture(day, stack: try StackID("work"))
    #expect(picture.bands.count == 1 && picture.rows.count < DayPicture(day).rows.count)
    #expect(picture.title == "phone/work, 2026-10-25")
    #expect(picture.summary.contains(" widgets, 1 stack. work: 0"))
  }

  @Test("The axis fits minutes, days and years, and a day of 25 hours")
  func ticks() throws {
    let scenario = try Self.busyDay().scenario
    let labels = try ["2026-10-25 00:40", "24:00", "2026-10-29", "2027-02-01", "2034-10-25"].map { text in
      let end = try #require(TimeText(text)?.instant(day: scenario.begin, clock: scenario.clock))
      return DayPicture(try Simulation.day(of: scenario, until: end)).ticks.map(\.label)
    }
    #expect(labels[0] == ["00:00", "00:40"])
    #expect(labels[1].first == "00:00" && labels[1].last == "24:00" && labels[1].count == 13)
    #expect(labels[2].contains("12:00") && labels[2].contains("10-26"))
    #expect(labels[3].contains("11-22") && labels[4].contains("2026-10-25"))
    for labels in labels { #expect((2...16).contains(labels.count)) }
  }

  @Test("The SVG is well-formed for arbitrary names and values")
  func unfitSigns() throws {
    let scenario = try Scenario(
      yaml: """
        device: "<&>\\""
        time-zone: UTC
        begin: 2026-01-01
        apps:
          com.a.b: {intents: {T: {parameters: {p: string}}}, kinds: {"K & <b>": {families: [systemSmall], intent: T}}}
        stacks:
          home:
            family: systemSmall
            widgets: [{kind: com.a.b/K & <b>, intent: {type: T, parameters: {p: "\\x01\\n\\uFFFE]]>"}}}]
        """)
    let svg = DayPicture(try Simulation.day(of: scenario)).svg
    let texts = try XMLDocument(data: Data(svg.utf8), options: []).rootElement()?.elements(forName: "text") ?? []
    #expect(texts.contains { $0.stringValue == "K & <b> \\u{1}\\u{A}?]]>" })
  }
}
