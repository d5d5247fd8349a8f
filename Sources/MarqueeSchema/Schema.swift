internal import CMarqueeProtos

/// The files, services, messages and enumerations of the .proto files, read from their descriptors.
///
/// Names are compared byte by byte, not by canonical equivalence as strings are.
public struct Schema: Sendable {
  /// The files; each follows the files that it imports.
  public let files: [File]
  /// The services, in the order of the files.
  public let services: [Service]
  /// The messages, also those within messages.
  public let messages: [Message]
  /// The enumerations, also those within messages.
  public let enumerations: [Enumeration]
  /// The indices of the files by their names, and by the full names of the symbols that they declare.
  private let filesByName: [[UInt8]: Int]
  private let filesBySymbol: [[UInt8]: Int]
  private let messagesByName: [[UInt8]: Int]

  /// The schema of the server's services.
  public static let marquee: Schema = {
    var size = 0
    guard let start = marquee_descriptor_set(&size) else { preconditionFailure("no descriptor set") }
    do throws(DescriptorError) {
      return try Schema(descriptorSet: Array(UnsafeBufferPointer(start: start, count: size)))
    } catch {
      preconditionFailure("generated descriptor set: \(error.reason)")
    }
  }()

  /// Reads an encoded `google.protobuf.FileDescriptorSet` of proto3 files.
  ///
  /// - Throws: ``DescriptorError`` if the bytes are malformed, a type is missing, declared twice or unsupported, or a
  ///   file precedes one that it imports.
  public init(descriptorSet: [UInt8]) throws(DescriptorError) {
    var reader = DescriptorReader()
    try reader.read(descriptorSet)
    files = reader.files
    services = reader.services
    enumerations = reader.enumerations
    messages = try reader.resolvedMessages()
    filesByName = reader.filesByName
    filesBySymbol = reader.filesBySymbol
    messagesByName = reader.messagesByName
  }

  /// Returns the file of a name.
  public func file(named name: String) -> File? { filesByName[Array(name.utf8)].map { files[$0] } }

  /// Returns the file that declares a symbol: a service, method, message, field, oneof, enumeration or enumeration
  /// value, by its full name. The values of an enumeration are symbols beside it, not within it.
  public func file(declaring symbol: String) -> File? { filesBySymbol[Array(symbol.utf8)].map { files[$0] } }

  /// Returns a file, followed by the files that it imports, directly or indirectly, each once.
  public func closure(of file: File) -> [File] {
    var (names, closure) = ([file.name], [File]())
    while let name = names.popLast() {
      guard let file = self.file(named: name), !closure.contains(where: { $0.name == name }) else { continue }
      closure.append(file)
      names += file.imports.reversed()
    }
    return closure
  }

  /// Returns the message of a full name.
  public func message(named name: String) -> Message? { messagesByName[Array(name.utf8)].map { messages[$0] } }
}
