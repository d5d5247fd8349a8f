import Foundation

extension TimeZone {
  /// The maximum length of a name in the time zone database, in bytes.
  static let databaseNameSizeMax = 255

  /// The names of Coordinated Universal Time.
  static let utcNames: Set<String> = [
    "Etc/UCT", "Etc/UTC", "Etc/Universal", "Etc/Zulu", "UCT", "UTC", "Universal", "Zulu",
  ]

  /// Creates the zone with that name in the time zone database. Returns `nil` if there is none.
  ///
  /// Foundation also accepts offsets, such as `GMT+5`, and ICU's abbreviations, such as `BST` for Bangladesh. Calendars
  /// use both as names of zones that they define themselves.
  init?(databaseName name: String) {
    guard name.utf8.count <= Self.databaseNameSizeMax, !Self.abbreviations.contains(name),
      !name.hasPrefix("GMT") && !name.hasPrefix("UTC") || Self.namesWithPrefix.contains(name)
    else { return nil }
    self.init(identifier: name)
  }

  /// The names that start with `GMT` or `UTC` and are not offsets.
  private static let namesWithPrefix: Set<String> = ["GMT", "GMT+0", "GMT-0", "GMT0", "UTC"]

  /// ICU's abbreviations, which are not in the database.
  private static let abbreviations: Set<String> = [
    "ACT", "AET", "AGT", "ART", "AST", "BET", "BST", "CAT", "CNT", "CST", "CTT", "EAT", "ECT", "IET", "IST", "JST",
    "MIT", "NET", "NST", "PLT", "PNT", "PRT", "PST", "SST", "VST",
  ]
}
