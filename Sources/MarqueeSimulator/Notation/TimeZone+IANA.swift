import Foundation
import MarqueeModel

extension TimeZone {
  /// The names of the time zone database in capital letters that are neither abbreviations nor offsets.
  private static let capitalNames: Set<String> = ["GB", "GMT", "NZ", "PRC", "ROC", "ROK", "UCT", "UTC", "W-SU"]

  /// Creates the zone with an IANA identifier. Returns `nil` if there is none.
  ///
  /// Foundation also accepts offsets, such as `GMT+5`, and abbreviations, such as `IST` and `EST5EDT`. They are not
  /// accepted, since an abbreviation has several meanings, and neither follows the daylight saving time of a place.
  package init?(iana name: String) {
    guard name.contains("/") || name.contains(where: \.isLowercase) || Self.capitalNames.contains(name) else {
      return nil
    }
    self.init(identifier: name)
  }

  /// Returns the IANA identifier that is probably meant by an offset, such as `Etc/GMT-5` by `GMT+5`, or by an
  /// abbreviation, such as `Asia/Kolkata` by `IST`; `nil` for other texts.
  ///
  /// The signs of the identifiers of offsets are those of POSIX: they count the hours behind UTC.
  package static func iana(meantBy text: String) -> String? {
    let letters = text.prefix { $0.isASCII && $0.isLetter }.uppercased()
    guard ["GMT", "UTC"].contains(letters) else {
      return abbreviationDictionary[letters].flatMap { TimeZone(iana: $0) == nil ? nil : $0 }
    }
    guard let match = text.uppercased().wholeMatch(of: /[A-Z]{3}([+-])([0-9]{1,2})(?::?00)?/),
      let hours = Int(match.2)
    else { return nil }
    let name = hours == 0 ? "Etc/GMT" : "Etc/GMT\(match.1 == "+" ? "-" : "+")\(hours)"
    return TimeZone(iana: name) == nil ? nil : name
  }

  /// Returns the end of the error for an unknown zone: a proposal, if there is one.
  package static func proposal(for text: String) -> String {
    iana(meantBy: text).map { "; use an IANA identifier, such as \($0)" } ?? ""
  }
}
