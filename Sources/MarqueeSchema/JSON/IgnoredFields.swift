/// The unknown fields of a JSON text, which were skipped: perhaps misspelled ones.
public struct IgnoredFields: Hashable, Sendable {
  /// The maximum number of paths.
  public static let countMax = 8
  /// The maximum size of a path, in bytes.
  public static let pathSizeMax = 64

  /// The paths of the first fields, such as `entries[3].dateMS`, in ASCII: a character other than a letter, a digit,
  /// `_`, `-` and `$` is replaced by `?`. A longer path is reduced to its end.
  public private(set) var paths: [String] = []
  /// Whether there are more fields.
  public private(set) var isIncomplete = false

  /// Creates an empty list.
  public init() {}

  /// The paths, separated by commas, with `...` for further ones; empty if no field was skipped.
  public var text: String { (paths + (isIncomplete ? ["..."] : [])).joined(separator: ", ") }

  /// Appends a key of the outermost object.
  mutating func append(_ key: ArraySlice<UInt8>) {
    guard paths.count < Self.countMax else {
      isIncomplete = true
      return
    }
    let safe = key.suffix(Self.pathSizeMax).map { Self.isSafe($0) ? $0 : UInt8(ascii: "?") }
    paths.append(String(decoding: safe, as: UTF8.self))
  }

  /// Prefixes the paths that were appended after the first `count`, which are within an outer value.
  mutating func prefix(after count: Int, with outer: @autoclosure () -> String) {
    guard count < paths.count else { return }
    let outer = outer()
    for index in count..<paths.count {
      let path = paths[index].utf8.first == UInt8(ascii: "[") ? outer + paths[index] : "\(outer).\(paths[index])"
      paths[index] = String(path.suffix(Self.pathSizeMax))
    }
  }

  private static func isSafe(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "$"):
      true
    default:
      false
    }
  }
}
