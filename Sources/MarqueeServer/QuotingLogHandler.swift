public import Logging
import MarqueeModel

/// A log handler that sanitizes entries and passes them to another handler.
///
/// Control characters, line breaks and bidirectional marks are escaped, so that no name can forge a log entry, and long
/// texts are truncated.
public struct QuotingLogHandler: LogHandler {
  /// The maximum size of a message, and of a metadata value, in bytes.
  static let textSizeMax = 1_024

  private var base: any LogHandler

  /// Creates a handler that passes sanitized entries to `base`.
  public init(_ base: any LogHandler) {
    self.base = base
  }

  public var logLevel: Logger.Level {
    get { base.logLevel }
    set { base.logLevel = newValue }
  }

  public var metadata: Logger.Metadata {
    get { base.metadata }
    set { base.metadata = newValue.mapValues(Self.quoted) }
  }

  public subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { base[metadataKey: key] }
    set { base[metadataKey: key] = newValue.map(Self.quoted) }
  }

  public func log(event: LogEvent) {
    var event = event
    event.message = "\(event.message.description.visible(sizeMax: Self.textSizeMax))"
    event.metadata = event.metadata?.mapValues(Self.quoted)
    if let error = event.error {
      event.metadata = (event.metadata ?? [:]).merging(["error": Self.quoted("\(error)")]) { given, _ in given }
      event.error = nil
    }
    base.log(event: event)
  }

  private static func quoted(_ value: Logger.MetadataValue) -> Logger.MetadataValue {
    switch value {
    case .string(let text): .string(text.visible(sizeMax: textSizeMax))
    case .stringConvertible(let value): .string(value.description.visible(sizeMax: textSizeMax))
    case .array(let values): .array(values.map(quoted))
    case .dictionary(let values): .dictionary(values.mapValues(quoted))
    }
  }
}
