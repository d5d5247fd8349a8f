/// An invalid field of a request, as a detail of a status: `google.rpc.BadRequest` with one violation.
public struct FieldViolation: Hashable, Sendable {
  /// The URL of the detail's message type.
  public static let typeURL = "type.googleapis.com/google.rpc.BadRequest"

  /// The path of the field, such as `entries[3].date_ms`.
  public let field: String
  /// A description of the problem.
  public let reason: String

  /// Creates a violation.
  public init(field: String, _ reason: String) {
    self.field = field
    self.reason = reason
  }

  /// Reads the violation in a detail; `nil` for a detail of another form.
  public init?(_ detail: StatusDetail) {
    var rest = detail.value[...]
    guard detail.typeURL == Self.typeURL, let violation = rest.removeField(0x0A), rest.isEmpty else {
      return nil
    }
    rest = violation
    guard let field = rest.removeField(0x0A), let reason = rest.removeField(0x12),
      rest.isEmpty, let field = String(validating: field, as: UTF8.self),
      let reason = String(validating: reason, as: UTF8.self)
    else { return nil }
    self.init(field: field, reason)
  }

  /// The detail.
  public var detail: StatusDetail {
    var violation: [UInt8] = []
    violation.append(field: 0x0A, Array(field.utf8))
    violation.append(field: 0x12, Array(reason.utf8))
    var value: [UInt8] = []
    value.append(field: 0x0A, violation)
    return StatusDetail(typeURL: Self.typeURL, value: value)
  }

  /// The begin of the reason of a message of which no field of a oneof is set; the names of these fields follow.
  package static let choiceReason = "required field is missing; set one of "

  /// The path with the names that fields have in JSON. A oneof has none, so that its path is that of its message.
  public var jsonField: String {
    guard reason.hasPrefix(Self.choiceReason) else { return Self.json(field[...]) }
    return Self.json(field.lastIndex(of: ".").map { field[..<$0] } ?? "")
  }

  /// The violation in JSON.
  fileprivate var inJSON: FieldViolation {
    let isChoice = reason.hasPrefix(Self.choiceReason)
    let choices = reason.dropFirst(Self.choiceReason.utf8.count)
    return FieldViolation(field: jsonField, isChoice ? Self.choiceReason + Self.json(choices) : reason)
  }

  /// Returns names in lower camel case, without underscores.
  private static func json(_ names: Substring) -> String {
    var (name, isAfterUnderscore) = ([UInt8](), false)
    for byte in names.utf8 {
      let isLower = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      if byte != UInt8(ascii: "_") { name.append(isAfterUnderscore && isLower ? byte - 0x20 : byte) }
      isAfterUnderscore = byte == UInt8(ascii: "_")
    }
    return String(decoding: name, as: UTF8.self)
  }
}

extension RPCStatus {
  /// Creates a status of an invalid field: its message is the path and the reason, and its detail a
  /// ``FieldViolation``.
  ///
  /// - Parameters:
  ///   - code: The status code.
  ///   - field: The path of the field; empty if the error concerns the request as a whole.
  ///   - reason: A description of the problem.
  public init(_ code: StatusCode, field: String, _ reason: String) {
    guard !field.isEmpty else {
      self.init(code, reason)
      return
    }
    self.init(code, "\(field): \(reason)", details: [FieldViolation(field: field, reason).detail])
  }

  /// The status of a call in JSON: the paths of fields, in the message and in details, have the names of JSON.
  package var withJSONFields: RPCStatus {
    var status = self
    for (index, detail) in details.enumerated() {
      guard let violation = FieldViolation(detail) else { continue }
      let json = violation.inJSON
      guard json != violation else { continue }
      status.details[index] = json.detail
      guard status.message == "\(violation.field): \(violation.reason)" else { continue }
      status.message = json.field.isEmpty ? json.reason : "\(json.field): \(json.reason)"
    }
    return status
  }
}
