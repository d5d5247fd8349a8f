import MarqueeModel
import Testing

/// The identifiers of suggestions on surfaces.
@Suite struct SuggestionIDTests {
  private static func app(_ name: String = "soup") throws -> AppID { try AppID("com.example.\(name)") }

  private static func intent(_ identifier: String, display: String, _ number: Double) throws -> Intent {
    try Intent(
      type: try IntentType("OrderSoup"),
      parameters: [
        IntentParameter(
          name: try .init("soup"), value: .single(.object(DisplayIdentity(identifier: identifier, display: display)))),
        IntentParameter(name: try .init("salt"), value: .array([.double(number)])),
      ])
  }

  @Test("An identifier is 32 hexadecimal digits, and round-trips")
  func text() throws {
    for number in [0, 1, 0xABCD_EF01, UInt128.max, UInt128(1) << 64] {
      let id = SuggestionID(number: number)
      #expect(id.description.utf8.count == 32 && SuggestionID(id.description) == id)
      #expect(try SuggestionID(decoding: id.encoded) == id)
    }
    let wrong = [
      "", "0", String(repeating: "g", count: 32), String(repeating: "A", count: 32),
      "+" + String(repeating: "1", count: 31),
    ]
    for text in wrong { #expect(SuggestionID(text) == nil, "\(text)") }
  }

  @Test(
    "Equal subjects have equal identifiers regardless of display strings, and different subjects have different ones")
  func subjects() throws {
    let app = try Self.app()
    let soup = try Self.intent("tomato", display: "Tomato", 0)
    let same = try Self.intent("tomato", display: "Tomate", -0.0)
    #expect(soup == same)
    #expect(
      SurfaceSuggestion.Subject.action(.intent(app, soup)).id == SurfaceSuggestion.Subject.action(.intent(app, same)).id
    )
    let reservation = try Reservation(item: DisplayIdentity(identifier: "7", display: ""), start: .min)
    let later = try Reservation(item: DisplayIdentity(identifier: "7", display: "Table"), start: .max)
    #expect(
      SurfaceSuggestion.Subject.reservation(app, reservation, .leave).id
        == SurfaceSuggestion.Subject.reservation(app, later, .leave).id)
    let subjects: [SurfaceSuggestion.Subject] = [
      .action(.intent(app, soup)), .action(.intent(try Self.app("other"), soup)),
      .action(.intent(app, try Self.intent("leek", display: "Tomato", 0))),
      .action(.userActivity(app, try .init("OrderSoup"), soup.parameters)), .upcomingMedia(app, soup),
      .reservation(app, reservation, .leave), .reservation(app, reservation, .checkIn),
      .person(app, DisplayIdentity(identifier: "aga", display: "Aga")),
      .shortcut(app, try RelevantShortcut(intent: soup)),
    ]
    #expect(Set(subjects.map(\.id)).count == subjects.count)
  }
}
