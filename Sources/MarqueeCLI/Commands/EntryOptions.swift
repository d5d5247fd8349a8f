import ArgumentParser
import MarqueeModel
import MarqueeSimulator

/// Options for the details of published entries, and for the group of their widget, which files of events and scores do
/// not have.
struct EntryOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Let each entry expire this long after its date, such as 45m, unless the next one is current by then.",
      valueName: "duration"),
    transform: EntryOptions.span)
  var expires: TimeSpan?

  @Option(
    help: ArgumentHelp(
      "A text that replaces the content of an expired entry on every screen; without it, the entry is stale.",
      valueName: "text"))
  var fallback: String?

  @Flag(name: .customLong("private"), help: "Hide the content from locked and shared screens.")
  var isPrivate = false

  @Option(help: ArgumentHelp("A text that these screens show instead; requires --private.", valueName: "text"))
  var redacted: String?

  @Option(
    help: ArgumentHelp("The URL that the app opens when the user taps the widget.", valueName: "url"),
    transform: EntryOptions.link)
  var link: EntryLink?

  @Option(
    help: ArgumentHelp(
      "A group of the app's widgets, of which a stack brings the most relevant one to the front.", valueName: "name"),
    transform: EntryOptions.group)
  var group: GroupName?

  func validate() throws {
    guard isPrivate || redacted == nil else { throw ValidationError("--redacted requires --private") }
  }

  /// The details for all entries.
  var details: PublishedDetails {
    PublishedDetails(
      lifetime: expires, sensitivity: isPrivate ? .isPrivate(redacted.map(EntryContent.init(plainText:))) : .none,
      link: link, fallback: fallback.map(EntryContent.init(plainText:)), group: group)
  }

  private static func span(_ text: String) throws -> TimeSpan {
    guard let span = TimeSpan(text: text), span > .zero else {
      throw ValidationError("\"\(text)\" is not a positive duration such as 300s, 45m or 1h30m")
    }
    return span
  }

  private static func link(_ text: String) throws -> EntryLink {
    do { return try EntryLink(text) } catch { throw ValidationError("\"\(text)\": \(error)") }
  }

  private static func group(_ text: String) throws -> GroupName {
    do { return try GroupName(text) } catch { throw ValidationError("\"\(text)\": \(error)") }
  }
}
