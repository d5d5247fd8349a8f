import MarqueeRPC

/// The response of a unary method with its metadata.
package struct UnaryResponse<Message: Sendable>: Sendable {
  let message: Message
  /// The metadata before the response.
  let header: Metadata
  /// The metadata with the status.
  let trailer: Metadata

  package init(_ message: Message, header: Metadata = Metadata(), trailer: Metadata = Metadata()) {
    self.message = message
    self.header = header
    self.trailer = trailer
  }
}
