import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport

/// Apps that donate interactions: the examples of WWDC18 211 and WWDC21 10231.
enum Habits {
  static let soupApp = valid { try AppID("com.example.soup-chef") }
  static let coffeeApp = valid { try AppID("com.example.coffee") }

  /// A provider that only donates.
  static func provider(
    _ connection: RPCClient, _ app: AppID = soupApp, device: DeviceID = Fixture.device
  ) -> ProviderClient {
    valid { try ProviderClient(connection, device: device, app: app, kinds: [], reconnection: .eager) }
  }

  static func type(
    _ name: String, of app: AppID, _ parameters: [String: IntentValueType], _ combinations: [[String]],
    isEligibleForSuggestions: Bool = true, isDiscoverable: Bool = true
  ) -> IntentTypeDescriptor {
    valid {
      try IntentTypeDescriptor(
        app: app, type: IntentType(name),
        parameters: parameters.sorted { $0.key < $1.key }.map { .init(name: try .init($0.key), type: $0.value) },
        combinations: combinations.map { .init(parameters: try $0.map { try .init($0) }, isBackground: $0.count > 2) },
        isEligibleForSuggestions: isEligibleForSuggestions, isDiscoverable: isDiscoverable)
    }
  }

  static func values(_ values: [String: IntentValue]) -> [IntentParameter] {
    values.sorted { $0.key < $1.key }.map { name, value in
      IntentParameter(name: valid { try .init(name) }, value: .single(value))
    }
  }

  static func intent(_ type: String, _ values: [String: IntentValue] = [:]) -> Donation.Activity {
    .intent(valid { try Intent(type: IntentType(type), parameters: self.values(values)) })
  }

  static func object(_ text: String) -> IntentValue {
    .object(DisplayIdentity(identifier: text, display: "the \(text)"))
  }

  static func donation(
    _ id: String, _ activity: Donation.Activity, at date: Instant = Fixture.start, group: String? = nil
  ) -> Donation {
    valid {
      Donation(id: try .init(id), group: try group.map { try .init($0) }, date: date, activity: activity)
    }
  }

  /// The combinations that a donation satisfies, each with the number of its action.
  static func satisfied(_ reading: DonationStatus) -> [String] {
    reading.satisfied.map { satisfied in
      satisfied.action.parameters.map(\.name.text).joined(separator: "+") + ":\(satisfied.actionIndex)"
        + (satisfied.isBackground ? " in background" : "")
    }
  }

  /// The codes and indices of warnings.
  static func codes(_ warnings: [LintWarning]) -> [String] {
    warnings.map { warning in warning.code + (warning.index.map { " \($0)" } ?? "") }
  }

  /// Returns the texts that occur in a file below a directory.
  static func found(_ texts: [String], in directory: String) throws -> [String] {
    let files = try FileManager.default.subpathsOfDirectory(atPath: directory).map { "\(directory)/\($0)" }
    var found: Set<String> = []
    for file in files {
      // Directories and sockets have no content.
      guard let content = FileManager.default.contents(atPath: file) else { continue }
      found.formUnion(texts.filter { content.range(of: Data($0.utf8)) != nil })
    }
    return found.sorted()
  }
}
