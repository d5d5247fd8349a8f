import MarqueeModel
import MarqueeTerminal

extension ActionDisplay {
  /// The representation as JSON.
  var json: JSONValue {
    .object([
      .init("title", .string(title)), .init("subtitle", .string(subtitle)), .init("summary", .string(summary)),
      .init("image_key", .string(imageKey)),
    ])
  }
}
