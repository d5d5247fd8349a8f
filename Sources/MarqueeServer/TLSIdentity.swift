import MarqueeFiles
import NIOSSL

/// The certificate, private key and trusted client roots of the TLS endpoints.
struct TLSIdentity {
  let certificateChain: [NIOSSLCertificate]
  let privateKey: NIOSSLPrivateKey
  /// The certificate authorities of clients; empty to request no client certificates.
  let clientRoots: [NIOSSLCertificate]
  let versionMin: MarqueeConfiguration.TLSFiles.Version

  /// The server's TLS configuration. A client certificate is optional, but an untrusted one fails the handshake.
  var configuration: TLSConfiguration {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: certificateChain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion =
      switch versionMin {
      case .tls12: .tlsv12
      case .tls13: .tlsv13
      }
    // Bounds the time that an unresponsive peer keeps its file descriptor open.
    configuration.shutdownTimeout = .seconds(1)
    if !clientRoots.isEmpty {
      configuration.trustRoots = .certificates(clientRoots)
      configuration.certificateVerification = .optionalVerification
    }
    return configuration
  }
}

extension MarqueeConfiguration.TLSFiles {
  /// The maximum size of a PEM file in bytes.
  private static let sizeMax = 1_048_576

  /// Reads and parses a file.
  ///
  /// - Throws: An error with the key of the file's setting.
  private static func parsed<Value>(
    _ path: String, _ key: String, _ parse: ([UInt8]) throws -> Value
  ) throws(ConfigurationError) -> Value {
    let bytes: [UInt8]
    do { bytes = [UInt8](try CheckedFile.bytes(of: path, sizeMax: sizeMax)) } catch {
      throw ConfigurationError("tls.\(key)", "the file \(path) cannot be read (\(error))")
    }
    do { return try parse(bytes) } catch {
      throw ConfigurationError("tls.\(key)", "the file \(path) is not valid PEM")
    }
  }

  /// Reads and parses the files.
  func read() throws(ConfigurationError) -> TLSIdentity {
    TLSIdentity(
      certificateChain: try Self.parsed(certificateChain, "certificate-chain") {
        try NIOSSLCertificate.fromPEMBytes($0)
      },
      privateKey: try Self.parsed(privateKey, "private-key") { try NIOSSLPrivateKey(bytes: $0, format: .pem) },
      clientRoots: try clientRoots.map { (path) throws(ConfigurationError) in
        try Self.parsed(path, "client-roots") { try NIOSSLCertificate.fromPEMBytes($0) }
      } ?? [],
      versionMin: versionMin)
  }
}
