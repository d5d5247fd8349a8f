import MarqueeRPC

/// The protocols of the calls that an HTTP/2 connection serves, and the checks of requests that browsers can send.
public struct HTTP2Protocols: Hashable, Sendable {
  /// Whether calls of gRPC and gRPC-Web are served.
  public var servesGRPC = true
  /// Whether calls of the Connect protocol are served.
  public var servesConnect = true
  /// The kinds of the methods, by path without the leading slash.
  public var kinds: [String: CallKind] = [:]
  /// Whether messages may be JSON.
  public var servesJSON = true
  /// The checks of requests of Connect and gRPC-Web, and for files.
  public var check = OriginCheck()
  /// The files for browsers, which are served beside calls of the Connect protocol only.
  public var files = StaticFiles()

  /// The forms of calls.
  public var forms: CallForms {
    var forms = CallForms(
      kinds, servesJSON: servesJSON, servesConnect: servesConnect, servesGRPCWeb: servesGRPC, servesGRPC: servesGRPC)
    if servesConnect { forms.files = files }
    return forms
  }

  /// Creates a value with all protocols.
  public init() {}
}
